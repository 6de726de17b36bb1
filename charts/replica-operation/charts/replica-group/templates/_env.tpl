{{/* Print the environment of a container as a list: .env maps names to values, and "@order" tells their sequence. */}}
{{- define "replica-group.env" -}}
{{- $order := get . "@order" -}}
{{- $names := join "\n" $order -}}
{{- $quoted := not (regexMatch `^(?:[A-Z][A-Z0-9]*_[A-Z0-9_]*(?:\n|$))*$` $names) -}}
{{- if $quoted -}}
{{- $quoted = regexMatch `(?m)^([^A-Za-z_\n].*|.*[^-.\w\n].*|(?i:y|n|yes|no|on|off|true|false|null))$` $names -}}
{{- end -}}
{{- range $name := $order -}}
{{- $value := get $ $name -}}
{{- if kindIs "string" $value }}
- name: {{ if $quoted }}{{ quote $name }}{{ else }}{{ $name }}{{ end }}
  value: {{ quote $value }}
{{- else if not (kindIs "invalid" $value) }}
- {{ merge (dict "name" $name) $value | toYaml | nindent 2 | trim }}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* Put the environment of .container into an order in which every $(NAME) follows NAME, and refuse names that no variable has; .path names it. */}}
{{- define "replica-group.env.order" -}}
{{- $env := get .container "env" -}}
{{- if $env -}}
{{- template "replica-group.env.named" (dict "env" $env "path" .path) -}}
{{- if contains "$(" (toJson $env) -}}
{{- $walk := dict "path" .path "env" $env "state" dict "order" list -}}
{{- range $name := get $env "@order" -}}
{{- template "replica-group.env.visit" (dict "name" $name "walk" $walk) -}}
{{- end -}}
{{- $_ := set $env "@order" $walk.order -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* Append .name to the walk's order after everything that its value refers to; a circle is refused. */}}
{{- define "replica-group.env.visit" -}}
{{- $state := get .walk.state .name -}}
{{- if eq $state "open" -}}
{{- fail (printf "%s.%s: its value refers to itself, directly or through others; $(NAME) needs a NAME that is defined before it" .walk.path .name) -}}
{{- end -}}
{{- if not $state -}}
{{- $_ := set .walk.state .name "open" -}}
{{- $value := get .walk.env .name -}}
{{- if kindIs "map" $value -}}
{{- $value = get $value "value" -}}
{{- end -}}
{{- range $reference := regexFindAll "\\$\\([-._a-zA-Z0-9]+\\)" ($value | default "" | replace "$$" "") -1 -}}
{{- $target := trimSuffix ")" (trimPrefix "$(" $reference) -}}
{{- if kindIs "invalid" (get $.walk.env $target) -}}
{{- else if hasKey $.walk.env $target -}}
{{- template "replica-group.env.visit" (dict "name" $target "walk" $.walk) -}}
{{- end -}}
{{- end -}}
{{- $_ := set .walk.state .name "done" -}}
{{- $_ := set .walk "order" (append .walk.order .name) -}}
{{- end -}}
{{- end -}}

{{/* Refuse the first name of .env that holds = or what is no printable ASCII. Joined by =, all names are looked at in one go. */}}
{{- define "replica-group.env.named" -}}
{{- $order := get .env "@order" -}}
{{- $names := join "=" $order -}}
{{- if or (not (regexMatch `^[ -~]*$` $names)) (ne (splitList "=" $names | len) (len $order)) (has "" $order) -}}
{{- range $name := $order -}}
{{- if not (or (kindIs "invalid" (get $.env $name)) (regexMatch `^[ -<>-~]+$` $name)) -}}
{{- fail (printf "%s: %q cannot be the name of a variable; allowed: printable ASCII characters other than =" $.path $name) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}
