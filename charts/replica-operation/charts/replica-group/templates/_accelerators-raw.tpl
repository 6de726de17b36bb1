{{/* Refuse accelerators of one of the group's presets that are written as a resource into .resources of a container at .path, which has none by count: nothing else would know of them. */}}
{{- define "replica-group.accelerators.raw" -}}
{{- $group := .group -}}
{{- range $name := concat $group.presets $group.skippedPresets -}}
{{- $resource := get (get (get $group.operation.presets $name) "accelerator" | default dict) "resource" | default "" -}}
{{- range $side := ternary (list "limits" "requests") list (ne $resource "") -}}
{{- $amount := get (get $.resources $side | default dict) $resource | toString -}}
{{- if not (has $amount (list "" "0")) -}}
{{- fail (printf "groups.%s.%sresources.%s: %s is %s, which preset %q has as its accelerator, but %saccelerators is 0; set `%saccelerators: %s` instead" $group.name $.path $side $resource $amount $name $.path $.path $amount) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}
