{{/* The pod template of a group, the same for every workload kind. */}}
{{- define "replica-group.pod" -}}
metadata:
  labels:
    {{- include "replica-group.labels" . | nindent 4 }}
    {{- with .spec.environment.labels }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
  {{- with .spec.environment.annotations }}
  annotations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
spec:
  {{- if eq .kind "Job" }}
  restartPolicy: Never
  subdomain: {{ .object }}
  {{- end }}
  {{- with omit .spec.environment "labels" "annotations" }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
  containers:
    - {{ toYaml .spec.container | indent 6 | trim }}
  {{- with .spec.volumes }}
  volumes:
    {{- toYaml . | nindent 4 }}
  {{- end }}
{{- end -}}
