{{/* Metadata of an object that belongs to the operation as a whole. .object: its name, .annotations: its own. */}}
{{- define "replica-operation.metadata" -}}
{{- $operation := .operation -}}
name: {{ .object }}
namespace: {{ $operation.namespace | quote }}
labels:
  app.kubernetes.io/instance: {{ $operation.release | quote }}
  helm-roster.dev/operation: {{ $operation.base | quote }}
  app.kubernetes.io/managed-by: {{ $operation.managedBy | quote }}
  {{- with $operation.labels }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
annotations:
  helm-roster.dev/chart-version: {{ $operation.chart.version | quote }}
  {{- with merge dict .annotations $operation.annotations }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- end -}}
