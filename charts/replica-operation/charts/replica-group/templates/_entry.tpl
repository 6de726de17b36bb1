{{/* Merge one entry of a keyed map: @whole ones replace, the others merge deeply; a bare value stands for an entry of which the field @short is all. */}}
{{- define "replica-group.keyed.entry" -}}
{{- $entry := .entry -}}
{{- $short := get .shape "@short" -}}
{{- if hasKey .shape "@whole" -}}
{{- template "replica-group.require.env" (dict "entry" $entry "path" (print .walk.layer "." .at .handle)) -}}
{{- if kindIs "map" $entry -}}
{{- template "replica-group.keyed.named" (dict "entry" $entry "handle" .handle "field" "name" "path" (print .walk.layer "." (trimSuffix "." .at))) -}}
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
{{- $_ := unset .items .handle -}}
{{- end -}}
{{- end -}}
{{- template "replica-group.merge.map" (dict "into" .items "key" .handle "from" $entry "at" (print .at .handle ".") "shape" .shape "walk" .walk) -}}
{{- end -}}
{{- end -}}

{{/* Refuse the .entry of a map that says in the .field by which it is keyed something else than its key, .handle. */}}
{{- define "replica-group.keyed.named" -}}
{{- $named := get .entry .field | default .handle | toString -}}
{{- if ne $named .handle -}}
{{- fail (printf "%s.%s: %s is %q, but the entry stands under %q; leave %s out" .path .handle .field $named .handle .field) -}}
{{- end -}}
{{- end -}}
