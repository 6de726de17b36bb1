{{/* The two Services of a group: headless for ranks and discovery, and, with ports, one of the ready pods only. */}}
{{- define "replica-group.services" -}}
apiVersion: v1
kind: Service
metadata:
  {{- include "replica-group.metadata" (dict "group" . "object" .object) | nindent 2 }}
spec:
  clusterIP: None
  publishNotReadyAddresses: true
  {{- include "replica-group.service.body" . | nindent 2 }}
{{- if .ready }}
---
apiVersion: v1
kind: Service
metadata:
  {{- include "replica-group.metadata" (dict "group" . "object" .ready) | nindent 2 }}
spec:
  {{- include "replica-group.service.body" . | nindent 2 }}
{{- end }}
{{- end -}}

{{/* Selector and ports of a group's Services; ports keep the names of the containers'. */}}
{{- define "replica-group.service.body" -}}
selector:
  {{- nindent 2 .selector }}
{{- with get . "ports" }}
ports:
  {{- range . }}
  - name: {{ .name }}
    port: {{ int64 .containerPort }}
    targetPort: {{ .name }}
    protocol: {{ .protocol | default "TCP" }}
  {{- end }}
{{- end }}
{{- end -}}
