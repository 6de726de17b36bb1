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

{{/* Metadata of a top-level object of a group. .object: its name, .annotations: its own. */}}
{{- define "replica-group.metadata" -}}
{{- $operation := .group.operation -}}
name: {{ .object }}
namespace: {{ $operation.namespace | quote }}
labels:
  {{- include "replica-group.labels" .group | nindent 2 }}
  app.kubernetes.io/managed-by: {{ $operation.managedBy | quote }}
  {{- with $operation.labels }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
annotations:
  helm-roster.dev/chart-version: {{ $operation.chart.version | quote }}
  {{- with .annotations }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
  {{- with $operation.annotations }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- end -}}

{{/* Metadata of a group's workload, with what the other parts of Roster read from it. */}}
{{- define "replica-group.workload.metadata" -}}
{{- $annotations := dict "helm-roster.dev/kind" .operation.kind "helm-roster.dev/lifecycle" .lifecycle -}}
{{- with .gang -}}
{{- $_ := set $annotations "helm-roster.dev/gang" . -}}
{{- end -}}
{{- if gt .accelerators 0 -}}
{{- $_ := set $annotations "helm-roster.dev/accelerators" (printf "%d %s" .accelerators .accelerator.resource) -}}
{{- with .accelerator.model -}}
{{- $_ := set $annotations "helm-roster.dev/model" . -}}
{{- end -}}
{{- end -}}
{{- if .router -}}
{{- $_ := set $annotations "helm-roster.dev/router" "true" -}}
{{- end -}}
{{- with .requires -}}
{{- $_ := set $annotations "helm-roster.dev/requires" (join "," .) -}}
{{- end -}}
{{- template "replica-group.metadata" (dict "group" . "object" .object "annotations" $annotations) -}}
{{- end -}}
