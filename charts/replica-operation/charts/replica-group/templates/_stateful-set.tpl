{{/* The StatefulSet of a group: replicas with stable names that start together. */}}
{{- define "replica-group.stateful-set" -}}
apiVersion: apps/v1
kind: StatefulSet
metadata:
  {{- include "replica-group.workload.metadata" . | nindent 2 }}
spec:
  {{- if not .autoscaling }}
  replicas: {{ .replicas }}
  {{- end }}
  serviceName: {{ .object }}
  podManagementPolicy: Parallel
  revisionHistoryLimit: 3
  {{- with .spec.minReadySeconds }}
  minReadySeconds: {{ int64 . }}
  {{- end }}
  selector:
    matchLabels:
      {{- nindent 6 .selector }}
  updateStrategy:
    {{- include "replica-group.strategy" .strategy | nindent 4 }}
  template:
    {{- include "replica-group.pod" . | nindent 4 }}
  {{- with get . "claims" }}
  {{- if not $.keeps.keep }}
  persistentVolumeClaimRetentionPolicy: {whenDeleted: Delete, whenScaled: Retain}
  {{- end }}
  volumeClaimTemplates:
    {{- toYaml . | nindent 4 }}
  {{- end }}
{{- end -}}
