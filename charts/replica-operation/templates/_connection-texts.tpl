{{/* Refuse what is no text in a connection where Kubernetes wants texts, and keys that YAML reads as something else. */}}
{{- define "replica-operation.connections.texts" -}}
{{- $connection := .connection -}}
{{- range $field := list "annotations" "attributes" "env" "envKeys" -}}
{{- $map := get $connection $field | default dict -}}
{{- $path := print $.at "." $field -}}
{{- template "replica-group.readable" (dict "map" $map "path" $path "otherwise" "choose another key") -}}
{{- range $key, $value := $map -}}
{{- if eq $field "env" -}}
{{- template "replica-group.require.env" (dict "entry" $value "path" (print $path "." $key)) -}}
{{- if kindIs "map" $value -}}
{{- template "replica-group.keyed.named" (dict "entry" $value "handle" $key "field" "name" "path" $path) -}}
{{- end -}}
{{- else -}}
{{- template "replica-group.require.strings" (dict "value" $value "path" (print $path "." $key)) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- template "replica-group.reserved" (dict "map" (get $connection "annotations") "path" (print .at ".annotations")) -}}
{{- template "replica-group.readable" (dict "map" (get $connection "init" | default dict) "path" (print .at ".init") "otherwise" "choose another name") -}}
{{- range $name := keys (get $connection "envKeys" | default dict) | sortAlpha -}}
{{- if hasKey (get $connection "env" | default dict) $name -}}
{{- fail (printf "%s.envKeys.%s: env has this name too; keep one" $.at $name) -}}
{{- end -}}
{{- end -}}
{{- end -}}
