{{/* The pod template of a group, the same for every workload kind; of a LeaderWorkerSet the leaders alone serve, unless the group says that all do. */}}
{{- define "replica-group.pod" -}}
{{- $serves := or (ne .kind "LeaderWorkerSet") (hasKey . "leads") (hasKey . "allServe") -}}
metadata:
  labels:
    {{- nindent 4 .labels }}
    {{- if $serves }}
    {{- template "replica-group.serving.labels" . }}
    {{- end }}
    {{- with .spec.environment.labels }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
  {{- $annotations := .spec.environment.annotations }}
  {{- with get . "portAnnotations" }}
  {{- if $serves }}
  {{- $annotations = merge dict . ($annotations | default dict) }}
  {{- end }}
  {{- end }}
  {{- with $annotations }}
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
  {{- with get . "initContainers" }}
  initContainers:
    {{- range . }}
    - {{ include "replica-group.container" . | nindent 6 | trim }}
    {{- end }}
  {{- end }}
  containers:
    - {{ include "replica-group.container" .spec.container | nindent 6 | trim }}
    {{- range get . "sidecars" | default list }}
    - {{ include "replica-group.container" . | nindent 6 | trim }}
    {{- end }}
  {{- with get . "resourceClaims" }}
  resourceClaims:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with .spec.volumes }}
  volumes:
    {{- toYaml . | nindent 4 }}
  {{- end }}
{{- end -}}

{{/* Print a composed container. */}}
{{- define "replica-group.container" -}}
{{- $env := get . "env" -}}
{{- toYaml (omit . "env") }}
{{- with $env }}
{{- with include "replica-group.env" . }}
env:
{{- . }}
{{- end }}
{{- end }}
{{- end -}}
