{{/* Put .list, the env of a container, into an order in which every $(NAME) follows NAME; .path names the list. */}}
{{- define "replica-group.env.order" -}}
{{- if contains "$(" (toJson (get .container "env")) -}}
{{- $walk := dict "path" .path "byName" dict "state" dict "list" list -}}
{{- range $entry := .container.env -}}
{{- $_ := set $walk.byName $entry.name $entry -}}
{{- end -}}
{{- range $entry := .container.env -}}
{{- template "replica-group.env.visit" (dict "entry" $entry "walk" $walk) -}}
{{- end -}}
{{- $_ := set .container "env" $walk.list -}}
{{- end -}}
{{- end -}}

{{/* Append .entry to the walk's list after everything that it refers to; a circle is refused. */}}
{{- define "replica-group.env.visit" -}}
{{- $name := .entry.name -}}
{{- $state := get .walk.state $name -}}
{{- if eq $state "open" -}}
{{- fail (printf "%s.%s: its value refers to itself, directly or through others; $(NAME) needs a NAME that is defined before it" .walk.path $name) -}}
{{- end -}}
{{- if not $state -}}
{{- $_ := set .walk.state $name "open" -}}
{{- range $reference := regexFindAll "\\$\\([-._a-zA-Z0-9]+\\)" (get .entry "value" | replace "$$" "") -1 -}}
{{- $target := trimSuffix ")" (trimPrefix "$(" $reference) -}}
{{- if hasKey $.walk.byName $target -}}
{{- template "replica-group.env.visit" (dict "entry" (get $.walk.byName $target) "walk" $.walk) -}}
{{- end -}}
{{- end -}}
{{- $_ := set .walk.state $name "done" -}}
{{- $_ := set .walk "list" (append .walk.list .entry) -}}
{{- end -}}
{{- end -}}
