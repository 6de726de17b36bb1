{{/* Merge entries, written as a list or as a map, into .into[.key], a map by key; their order stands beside it under "@<key>". */}}
{{- define "replica-group.keyed.merge" -}}
{{- if not (hasKey .into .key) -}}
{{- $_ := set .into .key dict -}}
{{- end -}}
{{- $items := get .into .key -}}
{{- $order := get .into (print "@" .key) | default list -}}
{{- $from := .from -}}
{{- $handles := list -}}
{{- if kindIs "map" $from -}}
{{- $handles = keys $from | sortAlpha -}}
{{- else -}}
{{- $from = dict -}}
{{- range $entry := .from -}}
{{- $handle := include "replica-group.keyed.handle" (dict "entry" $entry "by" (get $.shape "@by") "path" (print $.walk.layer "." (trimSuffix "." $.at))) -}}
{{- if hasKey $from $handle -}}
{{- fail (printf "%s.%s: %q stands twice in one list; keep one" $.walk.layer (trimSuffix "." $.at) $handle) -}}
{{- end -}}
{{- $_ := set $from $handle $entry -}}
{{- $handles = append $handles $handle -}}
{{- end -}}
{{- end -}}
{{- range $handle := $handles -}}
{{- $entry := get $from $handle -}}
{{- if kindIs "invalid" $entry -}}
{{- $_ := unset $items $handle -}}
{{- include "replica-group.trace.forget" (dict "walk" $.walk "path" (print $.at $handle)) -}}
{{- else -}}
{{- if not (hasKey $items $handle) -}}
{{- $order = append $order $handle -}}
{{- end -}}
{{- include "replica-group.keyed.entry" (dict "items" $items "handle" $handle "entry" $entry "at" $.at "shape" $.shape "walk" $.walk) -}}
{{- end -}}
{{- end -}}
{{- $_ := set .into (print "@" .key) $order -}}
{{- end -}}

{{/* Print the key of a list entry: the entry itself, the value of its key field, or of several joined by "/". */}}
{{- define "replica-group.keyed.handle" -}}
{{- $fields := .by -}}
{{- if not $fields -}}
{{- .entry -}}
{{- else if not (kindIs "map" .entry) -}}
{{- fail (printf "%s: %v is no entry of this list; each entry is a map with %s" .path .entry (join ", " .by)) -}}
{{- else if eq (len $fields) 1 -}}
{{- $value := get .entry (first $fields) -}}
{{- if not (and (kindIs "string" $value) $value) -}}
{{- fail (printf "%s: an entry has no %q, by which entries of this list are merged; name it" .path (first $fields)) -}}
{{- end -}}
{{- $value -}}
{{- else -}}
{{- $parts := list -}}
{{- range $field := $fields -}}
{{- $value := get $.entry $field -}}
{{- if kindIs "map" $value -}}
{{- $value = get $value "name" -}}
{{- end -}}
{{- $parts = append $parts ($value | default "" | toString) -}}
{{- end -}}
{{- join "/" $parts -}}
{{- end -}}
{{- end -}}

{{/* Merge one entry: @whole ones replace, the others merge deeply; a bare value stands for the field @short. */}}
{{- define "replica-group.keyed.entry" -}}
{{- if or (eq .handle "true") (eq .handle "false") (eq .handle "null") -}}
{{- fail (printf "%s.%s%s: YAML reads y, n, yes, no, on, off, true, false and null as no text; quote the key in a list entry, or choose another name" .walk.layer .at .handle) -}}
{{- end -}}
{{- $short := get .shape "@short" -}}
{{- if hasKey .shape "@whole" -}}
{{- include "replica-group.require.env" (dict "entry" .entry "path" (print .walk.layer "." .at .handle)) -}}
{{- $_ := set .items .handle .entry -}}
{{- if .walk.traced -}}
{{- $_ := set .walk.trace (print .at .handle) .walk.layer -}}
{{- end -}}
{{- else -}}
{{- $entry := .entry -}}
{{- if not (kindIs "map" $entry) -}}
{{- $entry = dict -}}
{{- if $short -}}
{{- $entry = dict $short .entry -}}
{{- end -}}
{{- end -}}
{{- include "replica-group.merge.map" (dict "into" .items "key" .handle "from" $entry "at" (print .at .handle ".") "shape" .shape "walk" .walk) -}}
{{- end -}}
{{- end -}}
