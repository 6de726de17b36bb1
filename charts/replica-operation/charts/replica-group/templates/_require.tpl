{{/* Refuse numbers and booleans in .value, one value or a list, where Kubernetes wants strings. */}}
{{- define "replica-group.require.strings" -}}
{{- $values := .value -}}
{{- if not (kindIs "slice" $values) -}}
{{- $values = list $values -}}
{{- end -}}
{{- range $value := $values -}}
{{- if not (kindIs "string" $value) -}}
{{- fail (printf "%s: %s is %s where Kubernetes wants text; quote it, or set it with --set-string" $.path (toJson $value) (include "replica-group.require.kind" $value)) -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* Say what a value is that is no string. */}}
{{- define "replica-group.require.kind" -}}
{{- if kindIs "bool" . -}}a boolean{{- else if kindIs "invalid" . -}}nothing{{- else -}}a number{{- end -}}
{{- end -}}

{{/* The same for one entry of env, a bare value or a map with `value` or `valueFrom`. */}}
{{- define "replica-group.require.env" -}}
{{- if not (kindIs "string" .entry) -}}
{{- if kindIs "map" .entry -}}
{{- $value := get .entry "value" -}}
{{- if not (kindIs "invalid" $value) -}}
{{- template "replica-group.require.strings" (dict "value" $value "path" .path) -}}
{{- end -}}
{{- if and $value (get .entry "valueFrom") -}}
{{- fail (printf "%s: value and valueFrom both say its value; keep one" .path) -}}
{{- end -}}
{{- else -}}
{{- template "replica-group.require.strings" (dict "value" .entry "path" .path) -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* Print "true" when .map has one of .keys with a value. */}}
{{- define "replica-group.any.key" -}}
{{- range $key := .keys -}}
{{- if and (hasKey $.map $key) (not (kindIs "invalid" (get $.map $key))) -}}true{{- end -}}
{{- end -}}
{{- end -}}
