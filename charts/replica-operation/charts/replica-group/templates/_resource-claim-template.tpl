{{/* The template of the claims by which pods of .group get their accelerators. Its .spec is immutable, so another one has another name; the claims carry the group's labels. */}}
{{- define "replica-group.resource-claim-template" -}}
apiVersion: resource.k8s.io/v1
kind: ResourceClaimTemplate
metadata:
  {{- include "replica-group.metadata" . | nindent 2 }}
spec:
  metadata:
    labels:
      {{- nindent 6 .group.labels }}
  spec:
    {{- toYaml .spec | nindent 4 }}
{{- end -}}
