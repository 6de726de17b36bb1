{{/* Copy .from into .into without the nulls, which stand for "not given". */}}
{{- define "replica-operation.given" -}}
{{- range $key, $value := .from -}}
{{- if kindIs "map" $value -}}
{{- $copy := dict -}}
{{- template "replica-operation.given" (dict "into" $copy "from" $value) -}}
{{- $_ := set $.into $key $copy -}}
{{- else if not (kindIs "invalid" $value) -}}
{{- $_ := set $.into $key $value -}}
{{- end -}}
{{- end -}}
{{- end -}}
