{{/* Merge one entry of a keyed map: @whole ones replace, the others merge deeply; a bare value stands for the field @short. */}}
{{- define "replica-group.keyed.entry" -}}
{{- $entry := .entry -}}
{{- $short := get .shape "@short" -}}
{{- if hasKey .shape "@whole" -}}
{{- template "replica-group.require.env" (dict "entry" $entry "path" (print .walk.layer "." .at .handle)) -}}
{{- if kindIs "map" $entry -}}
{{- $named := get $entry "name" | default .handle -}}
{{- if ne $named .handle -}}
{{- fail (printf "%s.%s%s: name is %q, but the entry stands under %q; leave name out" .walk.layer .at .handle $named .handle) -}}
{{- end -}}
{{- $entry = dict -}}
{{- template "replica-group.merge" (dict "into" $entry "from" .entry "at" "" "shape" dict "walk" (dict "traced" false)) -}}
{{- end -}}
{{- $_ := set .items .handle $entry -}}
{{- if .walk.traced -}}
{{- $_ := set .walk.trace (print .at .handle) .walk.layer -}}
{{- end -}}
{{- else -}}
{{- if not (kindIs "map" $entry) -}}
{{- $entry = dict -}}
{{- if $short -}}
{{- $entry = dict $short .entry -}}
{{- end -}}
{{- end -}}
{{- template "replica-group.merge.map" (dict "into" .items "key" .handle "from" $entry "at" (print .at .handle ".") "shape" .shape "walk" .walk) -}}
{{- end -}}
{{- end -}}
