{{/* Refuse groups of .operation that require each other in a circle, directly or over others: none would ever be ready. */}}
{{- define "replica-operation.requires" -}}
{{- $cleared := dict -}}
{{- range $name, $group := .operation.groups -}}
{{- if $group.requires -}}
{{- template "replica-group.readiness.checked" $group -}}
{{- template "replica-operation.requires.follow" (dict "path" (list $name) "cleared" $cleared "groups" $.operation.groups) -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* Follow what the last group of .path requires; .cleared are those known to lead into no circle. */}}
{{- define "replica-operation.requires.follow" -}}
{{- $name := last .path -}}
{{- if has $name (initial .path) -}}
{{- $circle := list -}}
{{- range $step := .path -}}
{{- if or $circle (eq $step $name) -}}
{{- $circle = append $circle $step -}}
{{- end -}}
{{- end -}}
{{- fail (printf "groups.%s.readiness.requires: %s is a circle, in which no group would ever be ready; take one out" $name (join " -> " $circle)) -}}
{{- end -}}
{{- if not (hasKey .cleared $name) -}}
{{- range $required := (get .groups $name).requires -}}
{{- template "replica-operation.requires.follow" (dict "path" (append $.path $required) "cleared" $.cleared "groups" $.groups) -}}
{{- end -}}
{{- $_ := set .cleared $name true -}}
{{- end -}}
{{- end -}}
