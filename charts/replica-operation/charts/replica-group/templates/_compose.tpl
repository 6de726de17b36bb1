{{/* Compose one group out of its layers into .group, once for all templates. .values: the group as written, .operation: see replica-operation.resolve. */}}
{{- define "replica-group.compose" -}}
{{- $group := .group -}}
{{- $_ := set $group "accelerators" (include "replica-group.count" (dict "values" .values "defaults" .operation.defaults "field" "accelerators" "otherwise" 0) | int64) -}}
{{- $_ := set $group "replicas" (include "replica-group.count" (dict "values" .values "defaults" .operation.defaults "field" "replicas" "otherwise" 1) | int64) -}}
{{- include "replica-group.presets.choose" . -}}
{{- include "replica-group.presets.agree" . -}}
{{- include "replica-group.layers" . -}}
{{- $spec := $group.spec -}}
{{- range $part := list "container" "environment" "resources" "readiness" "rollout" -}}
{{- if not (hasKey $spec $part) -}}
{{- $_ := set $spec $part dict -}}
{{- end -}}
{{- end -}}
{{- if $group.traced -}}
{{- $_ := set $group "trace" (merge $group.trace (dict "replicas" "chart" "accelerators" "chart")) -}}
{{- end -}}
{{- if eq .operation.kind "job" -}}
{{- include "replica-group.rendezvous.fill" . -}}
{{- end -}}
{{- include "replica-group.keyed.lists" (dict "node" $spec "shape" .operation.shape "path" (printf "groups.%s." $group.name)) -}}
{{- include "replica-group.env.order" (dict "container" $spec.container "path" (printf "groups.%s.container.env" $group.name)) -}}
{{- include "replica-group.command" . -}}
{{- include "replica-group.accelerators" . -}}
{{- include "replica-group.readiness" . -}}
{{- include "replica-group.environment" . -}}
{{- include "replica-group.workload" . -}}
{{- end -}}

{{/* Print a count: the group's, else that of `defaults`, else .otherwise; null and `unset` hide what is lower. */}}
{{- define "replica-group.count" -}}
{{- $count := get .defaults .field -}}
{{- if or (hasKey .values .field) (has .field (get .values "unset" | default list)) -}}
{{- $count = get .values .field -}}
{{- end -}}
{{- if or (kindIs "invalid" $count) (kindIs "string" $count) -}}
{{- $count = .otherwise -}}
{{- end -}}
{{- $count | int64 -}}
{{- end -}}
