{{/* The StatefulSet of a group: replicas with stable names that start together. Its partition is always said: without it a pod that is deleted in the midst of a rollout may be made of the old template again. */}}
{{- define "replica-group.stateful-set" -}}
{{- if eq .strategy.type "RollingUpdate" -}}
{{- $_ := set .strategy "steps" (mergeOverwrite (dict "partition" 0) .strategy.steps) -}}
{{- end -}}
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
