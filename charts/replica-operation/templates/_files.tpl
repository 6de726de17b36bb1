{{/* Read the files of .values, without nulls, into .operation.files, each with its texts and the mode of its volume. */}}
{{- define "replica-operation.files" -}}
{{- $operation := .operation -}}
{{- $given := dict -}}
{{- template "replica-operation.given" (dict "into" $given "from" .values.files) -}}
{{- $_ := set $operation "files" dict -}}
{{- range $name, $files := $given -}}
{{- template "replica-operation.names.readable" (dict "path" "files" "name" $name "limit" 58) -}}
{{- $at := print "files." $name -}}
{{- $content := get $files "content" | default dict -}}
{{- if not $content -}}
{{- fail (printf "%s.content: none; give the files by name, with their text" $at) -}}
{{- end -}}
{{- template "replica-group.readable" (dict "map" $content "path" (print $at ".content") "otherwise" "choose another name") -}}
{{- range $file, $text := $content -}}
{{- template "replica-group.require.strings" (dict "value" $text "path" (printf "%s.content.%s" $at $file)) -}}
{{- if or (hasPrefix ".." $file) (eq $file ".") (gt (add (len $name) (len $file)) 252) -}}
{{- fail (printf "%s.content: %q cannot be a file: it does not begin with .., and has at most 252 characters together with %q" $at $file $name) -}}
{{- end -}}
{{- end -}}
{{- $read := dict "content" $content -}}
{{- if hasKey $files "mode" -}}
{{- $_ := set $read "mode" (include "replica-group.mode" (dict "mode" $files.mode "at" (print $at ".mode")) | int64) -}}
{{- end -}}
{{- $_ := set $operation.files $name $read -}}
{{- end -}}
{{- end -}}
