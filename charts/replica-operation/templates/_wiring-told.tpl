{{/* Tell people the variable at .at by its .text, in what all layers of its group come to. */}}
{{- define "replica-operation.wiring.told" -}}
{{- $name := trimSuffix ".leader" .group.name -}}
{{- $group := get .operation.groups $name -}}
{{- $told := fromJson $group.composed -}}
{{- $keys := trimPrefix (printf "groups.%s." $name) .at | splitList "." -}}
{{- $node := $told -}}
{{- range $key := initial $keys -}}
{{- $node = get ($node | default dict) $key -}}
{{- end -}}
{{- if $node -}}
{{- $_ := set $node (last $keys) .text -}}
{{- $_ := set $group "composed" (toJson $told) -}}
{{- end -}}
{{- end -}}
