{{/* Add to .used the layers and, by container, the paths of one connection: for the group itself, or, with .field and .container, for another container of its pods. */}}
{{- define "replica-group.connections.add" -}}
{{- $contribution := get .operation.connections .name -}}
{{- $place := ternary (printf "%s.%v" .field (get . "container")) "container" (ne .field "") -}}
{{- $paths := get .used.paths $place | default dict -}}
{{- range $path := $contribution.paths -}}
{{- if hasKey $paths (clean $path) -}}
{{- fail (printf "%s.connections: %q and %q are both mounted at %s; give one another mountPath" $.at (get $paths (clean $path)) $.name (clean $path)) -}}
{{- end -}}
{{- $_ := set $paths (clean $path) $.name -}}
{{- end -}}
{{- $_ := set .used.paths $place $paths -}}
{{- if and .field (hasKey $contribution "fill") (not (has .name .used.listed)) -}}
{{- fail (printf "%s.connections: %q is filled by a Job, and only the group waits for it; list it under the connections of the group" .at .name) -}}
{{- end -}}
{{- $from := dict -}}
{{- $prepares := and (eq .field "init") (has .name .used.listed) (not (hasKey $contribution "fill")) (hasKey (get $contribution "init" | default dict) .container) -}}
{{- with ternary $contribution.writable $contribution.container $prepares -}}
{{- $_ := set $from ($.field | default "container") (ternary (dict (get $ "container") .) . (ne $.field "")) -}}
{{- end -}}
{{- if and (not .field) (hasKey $contribution "init") -}}
{{- $_ := set $from "init" $contribution.init -}}
{{- end -}}
{{- if not (has .name .used.names) -}}
{{- $from = merge $from $contribution.pod -}}
{{- $_ := set .used "names" (append .used.names .name) -}}
{{- with $contribution.account -}}
{{- $_ := set $.used.accounts . $.name -}}
{{- end -}}
{{- end -}}
{{- $_ := set .used "layers" (append .used.layers (dict "layer" (print "connections." .name) "from" $from "strategy" "" "field" (.field | default "container"))) -}}
{{- end -}}

{{/* Give the pod the service account that the connections in .accounts name, if they name one only. */}}
{{- define "replica-group.connections.account" -}}
{{- if eq (len .accounts) 1 -}}
{{- range $account, $name := .accounts -}}
{{- $from := dict "environment" (dict "serviceAccountName" $account) -}}
{{- $_ := set $ "layers" (append $.layers (dict "layer" (print "connections." $name) "from" $from "strategy" "")) -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* Lay what connections give back over .on.spec, in fields that a layer replaces. .from: that layer. */}}
{{- define "replica-group.connections.restore" -}}
{{- range $field := keys .from -}}
{{- template "replica-group.connections.back" (dict "keys" (list $field) "whole" true "on" $.on "operation" $.operation "traced" $.operation.traced) -}}
{{- end -}}
{{- end -}}

{{/* Hold what connections give against what the group says itself, and note the claims that are made for it. */}}
{{- define "replica-group.connections.settle" -}}
{{- $group := .group -}}
{{- $used := $group.connected -}}
{{- $accounts := keys $used.accounts | sortAlpha -}}
{{- if and (gt (len $accounts) 1) (not (get $group.spec.environment "serviceAccountName")) (not (include "replica-group.account.name" $group)) -}}
{{- fail (printf "groups.%s.connections: %s want different service accounts, %s; say which by environment.serviceAccountName" $group.name (values $used.accounts | sortAlpha | join " and ") (join " and " $accounts)) -}}
{{- end -}}
{{- $volumes := dict -}}
{{- range $volume := get $group.spec "volumes" | default list -}}
{{- $_ := set $volumes $volume.name $volume -}}
{{- end -}}
{{- $bare := dict -}}
{{- range $name := sortAlpha $used.names -}}
{{- $contribution := get $.operation.connections $name -}}
{{- if and (hasKey $contribution.pod "volumes") (not (hasKey $volumes $name)) -}}
{{- fail (printf "groups.%s.volumes.%s: deleted, but it is the volume of the connection %q; delete that, by groups.%s.connections.%s: null" $group.name $name $name $group.name $name) -}}
{{- else if not (hasKey $volumes $name) -}}
{{- $_ := set $bare $name true -}}
{{- end -}}
{{- if hasKey $contribution "fill" -}}
{{- $_ := set $.operation "filled" (set (get $.operation "filled" | default dict) $name true) -}}
{{- $_ := set $group "waiting" (add (get $group "waiting" | int64) $contribution.fill.seconds) -}}
{{- end -}}
{{- if hasKey $contribution "claim" -}}
{{- template "replica-group.connections.claim" (dict "group" $group "name" $name "claim" $contribution.claim "volume" (get $volumes $name) "operation" $.operation) -}}
{{- end -}}
{{- end -}}
{{- if $bare -}}
{{- template "replica-group.connections.bare" (dict "names" $bare "spec" $group.spec "at" (print "groups." $group.name)) -}}
{{- end -}}
{{- end -}}

{{/* Refuse mounts of connections in .names, which are environment alone and so no volume. */}}
{{- define "replica-group.connections.bare" -}}
{{- range $container := concat (list .spec.container) (get .spec "init" | default list) (get .spec "sidecars" | default list) -}}
{{- range $mount := get $container "volumeMounts" | default list -}}
{{- if hasKey $.names (get $mount "name" | default "") -}}
{{- fail (printf "%s: volume %q is mounted at %s, but the connection %q has no path, so it is no volume; give it mountPath or mounts" $.at $mount.name $mount.mountPath $mount.name) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}
