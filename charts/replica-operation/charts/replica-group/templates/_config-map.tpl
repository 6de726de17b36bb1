{{/* The ConfigMap of a group's files. Texts are blocks, for people to read; what stands at the end of a document, or ends in blank lines, could lose line breaks. */}}
{{- define "replica-group.config-map" -}}
apiVersion: v1
kind: ConfigMap
data:
  {{- range $key, $text := .files }}
  {{- if regexMatch `(^|\n)\s*\n$` $text }}
  {{ toJson $key }}: {{ toJson $text }}
  {{- else }}
  {{- toYaml (dict $key $text) | nindent 2 }}
  {{- end }}
  {{- end }}
metadata:
  {{- include "replica-group.metadata" (dict "group" . "object" (print .object "-files")) | nindent 2 }}
{{- end -}}
