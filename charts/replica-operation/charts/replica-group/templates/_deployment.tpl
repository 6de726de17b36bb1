{{/* The Deployment of a group: replicas without an identity of their own. */}}
{{- define "replica-group.deployment" -}}
apiVersion: apps/v1
kind: Deployment
metadata:
  {{- include "replica-group.workload.metadata" . | nindent 2 }}
spec:
  {{- if not .autoscaling }}
  replicas: {{ .replicas }}
  {{- end }}
  revisionHistoryLimit: 3
  {{- with .spec.minReadySeconds }}
  minReadySeconds: {{ int64 . }}
  {{- end }}
  {{- with get . "deadline" }}
  progressDeadlineSeconds: {{ . }}
  {{- end }}
  selector:
    matchLabels:
      {{- nindent 6 .selector }}
  strategy:
    {{- include "replica-group.strategy" .strategy | nindent 4 }}
  template:
    {{- include "replica-group.pod" . | nindent 4 }}
{{- end -}}
