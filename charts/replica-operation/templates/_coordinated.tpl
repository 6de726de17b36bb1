{{/* Fill .into with the groups of .operation that are rolled out together, by their router, and give each its .revision, which changes with any of their pod templates and patches and never with a count. */}}
{{- define "replica-operation.coordinated" -}}
{{- $operation := .operation -}}
{{- range $name, $group := $operation.groups -}}
{{- if eq (get $group.spec.rollout "coordinated" | toString) "true" -}}
{{- template "replica-operation.coordinated.fits" (dict "group" $group "at" (printf "groups.%s.rollout" $name)) -}}
{{- template "replica-operation.coordinated.patched" (dict "group" $group "patches" (get $operation.patches $name)) -}}
{{- $_ := set $.into $group.servedBy (append (get $.into $group.servedBy | default list) $name) -}}
{{- end -}}
{{- end -}}
{{- range $router, $names := .into -}}
{{- if lt (len $names) 2 -}}
{{- fail (printf "groups.%s.rollout.coordinated: true, but of no other group that %q serves, and one alone is rolled out with nothing; set it on another too, or leave it out" (first $names) $router) -}}
{{- end -}}
{{- $said := dict -}}
{{- range $name := $names -}}
{{- $group := get $operation.groups $name -}}
{{- template "replica-operation.wiring.pods" (dict "group" $group "operation" $operation "whole" false) -}}
{{- $_ := set $said $name (include "replica-group.told" $group) -}}
{{- end -}}
{{- $revision := toJson $said | sha256sum | trunc 10 -}}
{{- range $name := append $names $router -}}
{{- $_ := set (get $operation.groups $name) "coordinated" $names -}}
{{- end -}}
{{- range $name := $names -}}
{{- $_ := set (get $operation.groups $name) "revision" $revision -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* Refuse a .group that cannot be rolled out together with others. */}}
{{- define "replica-operation.coordinated.fits" -}}
{{- if .group.router -}}
{{- fail (printf "%s.coordinated: true, but the group is a router, which follows what it serves by itself; set it on those" .at) -}}
{{- end -}}
{{- if not (get .group "servedBy") -}}
{{- fail (printf "%s.coordinated: true, but no router serves the group, so nobody would keep its versions apart; let one serve it, or leave it out" .at) -}}
{{- end -}}
{{- if eq (get .group.spec.rollout "type") "OnDelete" -}}
{{- fail (printf "%s.type: OnDelete, but the group is rolled out together with others, and pods that stay behind would be reached by nobody; leave one out" .at) -}}
{{- end -}}
{{- if get .group.spec.rollout "partition" -}}
{{- fail (printf "%s.partition: %v, but the group is rolled out together with others, and pods that stay behind would be reached by nobody; leave one out" .at .group.spec.rollout.partition) -}}
{{- end -}}
{{- end -}}

{{/* Refuse routers of .sets that do not find what is rolled out together by labels alone, and groups of a set that find others of it otherwise: nothing else tells versions apart. */}}
{{- define "replica-operation.coordinated.kept" -}}
{{- $groups := .operation.groups -}}
{{- range $router, $names := .sets -}}
{{- range $name := $names -}}
{{- range $reader := prepend (without $names $name) $router -}}
{{- $blind := without (get (get $groups $reader).reads $name | default list) "count" "labels" "pods" "port" "selector" -}}
{{- if $blind -}}
{{- fail (printf "groups.%s.rollout.coordinated: true, but %q reads it as %s, which tells no versions apart; let that read labels or selector alone" $name $reader (join " and " $blind)) -}}
{{- end -}}
{{- end -}}
{{- $reads := get (get $groups $router).reads $name | default list -}}
{{- if not (or (has "labels" $reads) (has "selector" $reads)) -}}
{{- fail (printf "groups.%s.rollout.coordinated: true, but nothing that %q is given selects its pods; give it a reference to the group as labels or selector" $name $router) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* Refuse .patches, which may be absent, that let pods of .group, which is rolled out together with others, stay behind. */}}
{{- define "replica-operation.coordinated.patched" -}}
{{- range $name, $patch := .patches | default dict -}}
{{- $found := list (pick (get (get $patch "merge" | default dict) "spec" | default dict) "rolloutStrategy" "updateStrategy") -}}
{{- range $change := get $patch "json" | default list -}}
{{- if regexMatch "^/spec/(rollout|update)Strategy" (get $change "path" | toString) -}}
{{- $found = append $found $change -}}
{{- end -}}
{{- end -}}
{{- if and (eq $patch.target "workload") (regexMatch `"OnDelete"|/partition|"partition":[^0]` (toJson $found)) -}}
{{- fail (printf "patches.%s.%s: keeps pods back, but the group is rolled out together with others, and those would be reached by nobody; leave it out, or rollout.coordinated" $.group.name $name) -}}
{{- end -}}
{{- end -}}
{{- end -}}
