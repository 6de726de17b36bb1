{{/* Print a count: the group's, else that of `defaults`, else .otherwise; null and `unset` hide what is lower. */}}
{{- define "replica-group.count" -}}
{{- $count := get .defaults .field -}}
{{- if or (hasKey .values .field) (has .field (get .values "unset" | default list)) -}}
{{- $count = get .values .field -}}
{{- end -}}
{{- if or (kindIs "invalid" $count) (kindIs "string" $count) -}}
{{- $count = .otherwise -}}
{{- end -}}
{{- $count | int64 -}}
{{- end -}}
