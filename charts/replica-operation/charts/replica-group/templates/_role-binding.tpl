{{/* The RoleBinding of a group: gives its Role to the service account of its pods. */}}
{{- define "replica-group.role-binding" -}}
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata:
  {{- include "replica-group.metadata" (dict "group" . "object" .object) | nindent 2 }}
roleRef:
  apiGroup: rbac.authorization.k8s.io
  kind: Role
  name: {{ .object }}
subjects:
  - kind: ServiceAccount
    name: {{ .spec.environment.serviceAccountName | quote }}
    namespace: {{ .operation.namespace | quote }}
{{- end -}}
