{{/* Print "true" where the text, values as JSON, holds anything that only all groups together can tell. */}}
{{- define "replica-operation.wired" -}}
{{- if or (contains `"fromGroup":` .) (contains `"fromRole":` .) (contains `"fromPort":` .) (contains `"waitFor":` .) (contains `"coordinated":` .) }}true{{ end -}}
{{- end -}}
