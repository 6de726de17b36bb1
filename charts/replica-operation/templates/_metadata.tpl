{{/* Metadata of an object that belongs to the operation as a whole. .object: its name, .annotations: its own. */}}
{{- define "replica-operation.metadata" -}}
{{- $labels := printf "app.kubernetes.io/instance: %q\nhelm-roster.dev/operation: %q" .operation.release .operation.base -}}
{{- template "replica-group.metadata" (dict "group" (dict "operation" .operation "labels" $labels) "object" .object "given" .annotations) -}}
{{- end -}}
