{{/* The Indexed Job of a group: each replica runs to its end once. */}}
{{- define "replica-group.job" -}}
apiVersion: batch/v1
kind: Job
metadata:
  {{- include "replica-group.workload.metadata" . | nindent 2 }}
spec:
  completionMode: Indexed
  completions: {{ .replicas }}
  parallelism: {{ .replicas }}
  {{- with .operation.job }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
  template:
    {{- include "replica-group.pod" . | nindent 4 }}
{{- end -}}
