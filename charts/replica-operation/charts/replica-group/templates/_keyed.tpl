{{/* Merge entries, written as a list or as a map, into .into[.key], a map by key; the orders in which layers name them stand beside it under "@<key>". */}}
{{- define "replica-group.keyed.merge" -}}
{{- if not (hasKey .into .key) -}}
{{- $_ := set .into .key dict -}}
{{- end -}}
{{- $items := get .into .key -}}
{{- $from := .from -}}
{{- $handles := list -}}
{{- if kindIs "map" $from -}}
{{- $handles = keys $from | sortAlpha -}}
{{- include "replica-group.keyed.readable" (dict "map" $from "path" (print .walk.layer "." .at)) -}}
{{- else -}}
{{- $index := dict "entries" dict "order" list -}}
{{- include "replica-group.keyed.index" (dict "index" $index "from" $from "by" (get .shape "@by") "path" (print .walk.layer "." (trimSuffix "." .at))) -}}
{{- $from = $index.entries -}}
{{- $handles = $index.order -}}
{{- end -}}
{{- $_ := set .into (print "@" .key) (append (get .into (print "@" .key) | default list) $handles) -}}
{{- $plain := and (hasKey .shape "@whole") (not .walk.traced) -}}
{{- range $handle := $handles -}}
{{- $entry := get $from $handle -}}
{{- if and $plain (kindIs "string" $entry) -}}
{{- $_ := set $items $handle $entry -}}
{{- else if kindIs "invalid" $entry -}}
{{- $_ := unset $items $handle -}}
{{- include "replica-group.trace.forget" (dict "walk" $.walk "path" (print $.at $handle)) -}}
{{- else -}}
{{- include "replica-group.keyed.entry" (dict "items" $items "handle" $handle "entry" $entry "at" $.at "shape" $.shape "walk" $.walk) -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* Put the entries of the list .from under their keys into .index; two of one key are refused. */}}
{{- define "replica-group.keyed.index" -}}
{{- range $entry := .from -}}
{{- $handle := include "replica-group.keyed.handle" (dict "entry" $entry "by" $.by "path" $.path) -}}
{{- if hasKey $.index.entries $handle -}}
{{- fail (printf "%s: %q stands twice in one list; keep one" $.path $handle) -}}
{{- end -}}
{{- $_ := set $.index.entries $handle $entry -}}
{{- $_ := set $.index "order" (append $.index.order $handle) -}}
{{- end -}}
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

{{/* Refuse keys of .map that YAML did not read as text. */}}
{{- define "replica-group.keyed.readable" -}}
{{- range $key := list "false" "null" "true" -}}
{{- if hasKey $.map $key -}}
{{- fail (printf "%s%s: YAML reads the keys y, yes, on, true, n, no, off, false and null as no text; write the entries as a list with quoted names, or choose another name" $.path $key) -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* Merge one entry: @whole ones replace, the others merge deeply; a bare value stands for the field @short. */}}
{{- define "replica-group.keyed.entry" -}}
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
