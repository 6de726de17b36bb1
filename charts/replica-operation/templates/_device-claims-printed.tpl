{{/* Print as JSON the labels of claims that pods get from a template; they are part of its spec. */}}
{{- define "replica-operation.device-claims.labels" -}}
{{- dict "app.kubernetes.io/instance" .release "helm-roster.dev/operation" .base | toJson -}}
{{- end -}}

{{/* Print the objects of .kind that claims of the operation are made of. Claims that pods get from a template carry its labels. */}}
{{- define "replica-operation.device-claims.print" -}}
{{- $labels := include "replica-operation.device-claims.labels" .operation | fromJson }}
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
