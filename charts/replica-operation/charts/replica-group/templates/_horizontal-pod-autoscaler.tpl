{{/* The HorizontalPodAutoscaler of a group, called as the workload that it scales. */}}
{{- define "replica-group.horizontal-pod-autoscaler" -}}
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata:
  {{- include "replica-group.metadata" (dict "group" . "object" .object) | nindent 2 }}
spec:
  scaleTargetRef:
    apiVersion: {{ .apiVersion }}
    kind: {{ .kind }}
    name: {{ .object }}
  minReplicas: {{ .autoscaling.min }}
  maxReplicas: {{ .autoscaling.max }}
  {{- toYaml .hpa | nindent 2 }}
{{- end -}}
