{{/* Print file permissions as the number that Kubernetes wants. .mode: octal digits as text, or what YAML made of them. */}}
{{- define "replica-group.mode" -}}
{{- $text := .mode | toString -}}
{{- if not (kindIs "string" .mode) -}}
{{- $text = int64 .mode | printf "%04o" -}}
{{- if not (has $text (splitList " " "0400 0440 0444 0500 0550 0555 0600 0640 0644 0660 0664 0666 0700 0750 0755 0770 0775 0777")) -}}
{{- fail (printf "%s: %v is no octal number with a leading zero; write it as text, such as \"0755\"" .at .mode) -}}
{{- end -}}
{{- end -}}
{{- if not (regexMatch "^0?[0-7]{3}$" $text) -}}
{{- fail (printf "%s: %q is no file mode; write three octal digits after a zero, such as \"0755\"" .at .mode) -}}
{{- end -}}
{{- $number := 0 -}}
{{- range $digit := splitList "" $text -}}
{{- $number = add (mul $number 8) (int64 $digit) -}}
{{- end -}}
{{- $number -}}
{{- end -}}
