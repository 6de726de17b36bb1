{{/* The two Services of a group: headless for ranks and discovery, and, with ports, one of the ready pods only. */}}
{{- define "replica-group.services" -}}
apiVersion: v1
kind: Service
metadata:
  {{- include "replica-group.metadata" (dict "group" . "object" .object) | nindent 2 }}
spec:
  clusterIP: None
  publishNotReadyAddresses: true
  {{- include "replica-group.service.body" (dict "group" . "ports" (get . "allPorts" | default (get . "ports")) "only" "" "serving" false) | nindent 2 }}
{{- if .ready }}
{{- $expose := .spec.expose | default dict }}
---
apiVersion: v1
kind: Service
metadata:
  {{- include "replica-group.metadata" (dict "group" . "object" .ready "given" (get $expose "annotations")) | nindent 2 }}
spec:
  {{- with get $expose "type" }}
  type: {{ . }}
  {{- end }}
  {{- include "replica-group.service.body" (dict "group" . "ports" .ports "only" (get $expose "port") "serving" (eq .kind "LeaderWorkerSet")) | nindent 2 }}
{{- end }}
{{- end -}}

{{/* Selector and .ports of a Service of .group, all or the one called .only; ports keep the names of the containers', and go by number, since Kubernetes resolves names of native sidecars only from 1.32 on. */}}
{{- define "replica-group.service.body" -}}
selector:
  {{- nindent 2 .group.selector }}
  {{- if .serving }}
  helm-roster.dev/leader: "true"
  {{- end }}
{{- with .ports }}
ports:
  {{- range . }}
  {{- if or (not $.only) (eq $.only .name) }}
  - name: {{ toYaml .name }}
    port: {{ int64 .containerPort }}
    targetPort: {{ int64 .containerPort }}
    protocol: {{ .protocol | default "TCP" }}
  {{- end }}
  {{- end }}
{{- end }}
{{- end -}}
