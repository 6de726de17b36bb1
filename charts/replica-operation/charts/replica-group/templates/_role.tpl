{{/* The Role of a group: what its pods may do in the namespace. */}}
{{- define "replica-group.role" -}}
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata:
  {{- include "replica-group.metadata" (dict "group" . "object" .object) | nindent 2 }}
rules:
  {{- toYaml .rules | nindent 2 }}
{{- end -}}
