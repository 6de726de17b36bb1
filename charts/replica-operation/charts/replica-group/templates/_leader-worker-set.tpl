{{/* The LeaderWorkerSet of a group: each replica is several pods that start and end as one, the first of which leads. */}}
{{- define "replica-group.leader-worker-set" -}}
{{- range $field, $value := pick . "role" "revision" "servingLabels" "portAnnotations" -}}
{{- $_ := set $.leader $field $value -}}
{{- end -}}
apiVersion: {{ .apiVersion }}
kind: LeaderWorkerSet
metadata:
  {{- include "replica-group.workload.metadata" . | nindent 2 }}
spec:
  {{- if not .autoscaling }}
  replicas: {{ .replicas }}
  {{- end }}
  rolloutStrategy:
    {{- include "replica-group.strategy" (set .strategy "field" "rollingUpdateConfiguration") | nindent 4 }}
  leaderWorkerTemplate:
    size: {{ .podsPerReplica }}
    restartPolicy: {{ ternary "None" "RecreateGroupOnPodRestart" (eq (get (.spec.recovery | default dict) "scope" | toString) "pod") }}
    leaderTemplate:
      {{- include "replica-group.pod" .leader | nindent 6 }}
    workerTemplate:
      {{- include "replica-group.pod" . | nindent 6 }}
{{- end -}}
