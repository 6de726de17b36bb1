{{/* Labels that every object and pod of a group carries. */}}
{{- define "replica-group.labels" -}}
app.kubernetes.io/instance: {{ .operation.release | quote }}
helm-roster.dev/group: {{ .name | quote }}
helm-roster.dev/operation: {{ .operation.base | quote }}
{{- end -}}

{{/* The selector of a group: release and group, never more, since it is immutable. */}}
{{- define "replica-group.selector" -}}
app.kubernetes.io/instance: {{ .operation.release | quote }}
helm-roster.dev/group: {{ .name | quote }}
{{- end -}}

{{/* Metadata of a top-level object of a group. .object: its name, .annotations: its own, as text, .given: those that the user gives it, which win. */}}
{{- define "replica-group.metadata" -}}
{{- $operation := .group.operation -}}
name: {{ .object }}
namespace: {{ $operation.namespace | quote }}
labels:
  {{- nindent 2 .group.labels }}
  app.kubernetes.io/managed-by: {{ $operation.managedBy | quote }}
  {{- with $operation.labels }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
annotations:
  helm-roster.dev/chart-version: {{ $operation.chart.version | quote }}
  {{- with .annotations }}
  {{- nindent 2 . }}
  {{- end }}
  {{- $shared := $operation.annotations }}
  {{- if .given }}
  {{- $shared = merge dict .given $shared }}
  {{- end }}
  {{- with $shared }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- end -}}

{{/* Metadata of a group's workload. */}}
{{- define "replica-group.workload.metadata" -}}
{{- template "replica-group.metadata" (dict "group" . "object" .object "annotations" (include "replica-group.workload.annotations" .)) -}}
{{- end -}}

{{/* What the other parts of Roster read from a group's workload. */}}
{{- define "replica-group.workload.annotations" -}}
{{- if .accelerators -}}
helm-roster.dev/accelerators: {{ .accelerators }} {{ get .accelerator "resource" | default (get .accelerator "deviceClass") }}
{{ end -}}
{{- with .autoscaling -}}
helm-roster.dev/autoscaler: {{ .owner }}
{{ end -}}
{{- with .gang -}}
helm-roster.dev/gang: {{ quote . }}
{{ end -}}
helm-roster.dev/kind: {{ .operation.kind }}
helm-roster.dev/lifecycle: {{ .lifecycle }}
{{- if .accelerators }}
{{- with .accelerator.model }}
helm-roster.dev/model: {{ quote . }}
{{- end }}
{{- end }}
{{- with .requires }}
helm-roster.dev/requires: {{ join "," . | toYaml }}
{{- end }}
{{- if .router }}
helm-roster.dev/router: "true"
{{- end }}
{{- end -}}
