{{/* Compose every group, then work out the gangs; order of the groups never matters. */}}
{{- define "replica-operation.groups" -}}
{{- $operation := .operation -}}
{{- $names := list -}}
{{- range $name, $values := .values.groups -}}
{{- if not (kindIs "invalid" $values) -}}
{{- template "replica-operation.names.group" (dict "name" $name) -}}
{{- $names = append $names $name -}}
{{- end -}}
{{- end -}}
{{- if not $names -}}
{{- fail "groups: none; an operation has at least one named group; give values with -f" -}}
{{- end -}}
{{- $_ := set $operation "names" $names -}}
{{- $_ := set $operation "gangOf" dict -}}
{{- template "replica-operation.gangs.members" (dict "operation" $operation) -}}
{{- template "replica-operation.patches" (dict "operation" $operation "values" .values) -}}
{{- $_ := set $operation "groups" dict -}}
{{- $_ := set $operation "bases" dict -}}
{{- $_ := set $operation "accounts" dict -}}
{{- $_ := set $operation "builtin" dict -}}
{{- if eq $operation.kind "job" -}}
{{- $env := dict -}}
{{- template "replica-group.rendezvous.names" (dict "into" $env) -}}
{{- $_ := set $operation "builtin" (dict "container" (dict "env" $env)) -}}
{{- end -}}
{{- range $name := $names -}}
{{- $group := dict "name" $name "operation" $operation "spec" dict "trace" dict "traced" $operation.traced "gang" (get $operation.gangOf $name) -}}
{{- $_ := set $group "object" (include "replica-operation.object" (dict "base" $operation.base "group" $name "run" $operation.run)) -}}
{{- if $operation.run -}}
{{- $_ := set $group "objectWithoutRun" (include "replica-operation.object" (dict "base" $operation.base "group" $name "run" "")) -}}
{{- end -}}
{{- range $field := list "presets" "skippedPresets" "requires" -}}
{{- $_ := set $group $field list -}}
{{- end -}}
{{- $_ := set $group "router" false -}}
{{- $_ := set $group "ready" "" -}}
{{- template "replica-group.compose" (dict "group" $group "values" (get $.values.groups $name) "operation" $operation) -}}
{{- $_ := set $operation.groups $name $group -}}
{{- end -}}
{{- if not (hasKey $operation "primary") -}}
{{- fail "groups: all have lifecycle auxiliary; at least one is primary, and decides when the operation is ready or complete" -}}
{{- end -}}
{{- template "replica-operation.device-claims.objects" (dict "operation" $operation) -}}
{{- template "replica-operation.routers" (dict "operation" $operation) -}}
{{- if $operation.wired -}}
{{- template "replica-operation.waits" (dict "operation" $operation) -}}
{{- end -}}
{{- template "replica-operation.requires" (dict "operation" $operation) -}}
{{- if $operation.wired -}}
{{- template "replica-operation.wiring" (dict "operation" $operation) -}}
{{- end -}}
{{- template "replica-operation.compute-domains.dependents" (dict "operation" $operation) -}}
{{- template "replica-operation.claims" (dict "operation" $operation) -}}
{{- $gangs := dict -}}
{{- template "replica-operation.gangs.resolve" (dict "operation" $operation "into" $gangs) -}}
{{- $_ := set $operation "gangs" $gangs -}}
{{- end -}}
