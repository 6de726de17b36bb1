{{/* Delete the value at .path of .into; a key may hold dots, so every key that begins the path is followed, and so is another name of an entry. Prints "true" where there is one. */}}
{{- define "replica-group.unset" -}}
{{- if and (hasKey .into .path) (not (hasPrefix "@" .path)) -}}
{{- if hasKey .into "@order" -}}
{{- $_ := set .into .path nil -}}
{{- template "replica-group.keyed.forget" (dict "items" .into "handle" .path) -}}
{{- else -}}
{{- $_ := unset .into .path -}}
{{- end -}}
true
{{- else -}}
{{- range $name, $key := get .into "@names" | default dict -}}
{{- if and (hasKey $.into $key) (hasPrefix (print $name ".") (print $.path ".")) -}}
{{- template "replica-group.unset" (dict "into" $.into "path" (print $key (trimPrefix $name $.path))) -}}
{{- end -}}
{{- end -}}
{{- range $key, $value := .into -}}
{{- if and (kindIs "map" $value) (hasPrefix (print $key ".") $.path) (not (hasPrefix "@" $key)) -}}
{{- template "replica-group.unset" (dict "into" $value "path" (trimPrefix (print $key ".") $.path)) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* Forget who set .path and what is under it. */}}
{{- define "replica-group.trace.forget" -}}
{{- if .walk.traced -}}
{{- range $path := keys .walk.trace -}}
{{- if or (eq $path $.path) (hasPrefix (print $.path ".") $path) (hasPrefix (print $.path " @ ") $path) -}}
{{- $_ := unset $.walk.trace $path -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}
