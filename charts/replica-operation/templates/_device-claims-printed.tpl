{{/* Print the objects of .kind that claims of the operation are made of. Claims that pods get from a template carry its labels. */}}
{{- define "replica-operation.device-claims.print" -}}
{{- $labels := dict "app.kubernetes.io/instance" .operation.release "helm-roster.dev/operation" .operation.base }}
{{- range $name, $object := .operation.claimObjects }}
{{- if eq $object.kind $.kind }}
---
apiVersion: {{ $.apiVersion }}
kind: {{ $.kind }}
metadata:
  {{- include "replica-operation.metadata" (dict "operation" $.operation "object" $object.name) | nindent 2 }}
spec:
  {{- toYaml (ternary (dict "metadata" (dict "labels" $labels) "spec" $object.spec) $object.spec (eq $.kind "ResourceClaimTemplate")) | nindent 2 }}
{{- end }}
{{- end }}
{{- end -}}
