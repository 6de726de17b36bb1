{{/* Print the Jobs that fill the connections of .operation that a group lists. */}}
{{- define "replica-operation.fill.jobs" -}}
{{- range $name := keys (get . "filled" | default dict) | sortAlpha }}
---
{{ include "replica-operation.fill.job" (dict "operation" $ "name" $name "fill" (get $.connections $name).fill) }}
{{- end }}
{{- end -}}

{{/* The Job that fills the connection .name. */}}
{{- define "replica-operation.fill.job" -}}
{{- $labels := printf "app.kubernetes.io/instance: %q\nhelm-roster.dev/fills: %q\nhelm-roster.dev/operation: %q" .operation.release .name .operation.base -}}
apiVersion: batch/v1
kind: Job
metadata:
  {{- include "replica-group.metadata" (dict "group" (dict "operation" .operation "labels" $labels) "object" .fill.name) | nindent 2 }}
spec:
  backoffLimit: 6
  template:
    metadata:
      labels:
        {{- nindent 8 $labels }}
    spec:
      {{- toYaml .fill.pod | nindent 6 }}
{{- end -}}

{{/* Note in .taken the Jobs that fill, as replica-operation.extra-objects.taken does what groups render. */}}
{{- define "replica-operation.fill.taken" -}}
{{- range $name := keys (get .operation "filled" | default dict) -}}
{{- $_ := set $.taken (printf "batch/Job/%s/%s" $.operation.namespace (get $.operation.connections $name).fill.name) (print "fill of connection " $name) -}}
{{- end -}}
{{- end -}}

{{/* Turn the .fields of .node, which stands at .at, into lists where they are maps by a name of the user's; .shape tells by what their entries are merged. */}}
{{- define "replica-operation.fill.listed" -}}
{{- range $field := .fields -}}
{{- with get $.node $field -}}
{{- $read := dict -}}
{{- $shape := get $.shape $field -}}
{{- template "replica-group.keyed.merge" (dict "into" $read "key" $field "from" . "at" (print $field ".") "shape" $shape "walk" (dict "layer" $.at "traced" false)) -}}
{{- template "replica-group.keyed.list" (dict "node" $read "key" $field "shape" $shape "path" (print $.at "." $field)) -}}
{{- $_ := set $.node $field (get $read $field) -}}
{{- end -}}
{{- end -}}
{{- end -}}
