{{/* Let the pods of .group claim what its `claims` name; who uses what is noted in .operation.claimUsers, with the entries of the pods, which get the name of their object once all groups are known. Entered where the field is given. */}}
{{- define "replica-group.device-claims" -}}
{{- $group := .group -}}
{{- $operation := .operation -}}
{{- $names := list -}}
{{- $items := $group.spec.claims -}}
{{- range $name := get $items "@order" -}}
{{- $use := get $items $name -}}
{{- if kindIs "map" $use -}}
{{- $at := printf "groups.%s.claims.%s" $group.name $name -}}
{{- template "replica-group.device-claims.known" (dict "name" $name "at" (printf "groups.%s.claims" $group.name) "operation" $operation) -}}
{{- $containers := list -}}
{{- range $container := get $use "containers" | default (list "main") | uniq -}}
{{- $found := dict -}}
{{- template "replica-group.device-claims.container" (dict "into" $found "name" $container "group" $group "at" (print $at ".containers")) -}}
{{- $containers = append $containers $found.container -}}
{{- template "replica-group.explained.chart" (dict "group" $group "path" (print $found.path "resources.claims")) -}}
{{- end -}}
{{- $claim := dict "name" $name -}}
{{- template "replica-group.device-claims.wire" (dict "group" $group "claim" $claim "containers" $containers) -}}
{{- $users := get $operation "claimUsers" | default dict -}}
{{- $user := dict "group" (trimSuffix ".leader" $group.name) "leads" (hasKey $group "leads") "claim" $claim -}}
{{- $_ := set $operation "claimUsers" (set $users $name (append (get $users $name | default list) $user)) -}}
{{- $names = append $names $name -}}
{{- end -}}
{{- end -}}
{{- $_ := set $group "claimNames" $names -}}
{{- end -}}

{{/* Refuse the name of a claim that nobody defined. */}}
{{- define "replica-group.device-claims.known" -}}
{{- if not (hasKey .operation.deviceClaims .name) -}}
{{- if hasKey .operation.presets .name -}}
{{- fail (printf "%s: %q is a preset; list it under presets" .at .name) -}}
{{- end -}}
{{- template "replica-group.unknown" (dict "at" .at "what" "is no claim" "name" .name "known" (keys .operation.deviceClaims) "otherwise" "define it under claims") -}}
{{- end -}}
{{- end -}}

{{/* Put the container .name of .group, of which its spec is one, and the path of it into .into. */}}
{{- define "replica-group.device-claims.container" -}}
{{- $spec := .group.spec -}}
{{- $known := dict "main" $spec -}}
{{- $paths := dict "main" "" -}}
{{- range $field := list "init" "sidecars" -}}
{{- range $name := get (get $spec $field | default dict) "@order" | default list -}}
{{- $container := get (get $spec $field) $name -}}
{{- if kindIs "map" $container -}}
{{- $_ := set $known $name $container -}}
{{- $_ := set $paths $name (printf "%s.%s." $field $name) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- if not (hasKey $known .name) -}}
{{- template "replica-group.unknown" (dict "at" .at "what" "is no container" "name" .name "known" (keys $known)) -}}
{{- end -}}
{{- $_ := set (set .into "container" (get $known .name)) "path" (get $paths .name) -}}
{{- end -}}

{{/* Let the pods of .group have .claim, which each of .containers, maps with resources, gets. */}}
{{- define "replica-group.device-claims.wire" -}}
{{- $_ := set .group "resourceClaims" (append (get .group "resourceClaims" | default list) .claim) -}}
{{- range $container := .containers -}}
{{- template "replica-group.device-claims.give" (dict "name" $.claim.name "container" $container) -}}
{{- end -}}
{{- end -}}

{{/* Give .container, a map with resources, the devices of the pod's claim .name. */}}
{{- define "replica-group.device-claims.give" -}}
{{- $resources := get .container "resources" | default dict -}}
{{- $_ := set $resources "claims" (append (get $resources "claims" | default list) (dict "name" .name)) -}}
{{- $_ := set .container "resources" $resources -}}
{{- end -}}
