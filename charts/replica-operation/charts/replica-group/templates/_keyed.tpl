{{/* Merge entries, written as a list or as a map, into .into[.key], a map by key. It holds beside them the order in which layers first name them ("@order") and, for keys of several fields, which other names an entry goes by ("@names"). A deleted entry is nil and keeps its place; whoever deletes the map deletes all. */}}
{{- define "replica-group.keyed.merge" -}}
{{- $items := get .into .key -}}
{{- if not (kindIs "map" $items) -}}
{{- $items = dict "@order" list -}}
{{- $_ := set .into .key $items -}}
{{- end -}}
{{- $path := print .walk.layer "." (trimSuffix "." .at) -}}
{{- if kindIs "map" .from -}}
{{- template "replica-group.readable" (dict "map" .from "path" $path "otherwise" "write the entries as a list") -}}
{{- template "replica-group.keyed.put" (dict "items" $items "entries" .from "order" .from "at" .at "shape" .shape "walk" .walk) -}}
{{- else -}}
{{- $read := dict "entries" dict "order" list -}}
{{- template "replica-group.keyed.index" (dict "index" $read "from" .from "by" (get .shape "@by") "path" $path) -}}
{{- template "replica-group.keyed.put" (dict "items" $items "entries" $read.entries "order" $read.order "at" .at "shape" .shape "walk" .walk) -}}
{{- end -}}
{{- end -}}

{{/* Put .entries into .items. .order: their names as a list, or the map itself for its own order. */}}
{{- define "replica-group.keyed.put" -}}
{{- $items := .items -}}
{{- $plain := and (hasKey .shape "@whole") (not .walk.traced) -}}
{{- $composite := gt (len (get .shape "@by")) 1 -}}
{{- $listed := kindIs "slice" .order -}}
{{- $order := get $items "@order" -}}
{{- range $handle, $entry := .order -}}
{{- if $listed -}}
{{- $handle = $entry -}}
{{- $entry = get $.entries $handle -}}
{{- end -}}
{{- if $composite -}}
{{- $handle = include "replica-group.keyed.same" (dict "items" $items "handle" $handle "entry" $entry "by" (get $.shape "@by")) -}}
{{- end -}}
{{- if not (hasKey $items $handle) -}}
{{- $order = append $order $handle -}}
{{- end -}}
{{- if kindIs "invalid" $entry -}}
{{- $_ := set $items $handle nil -}}
{{- template "replica-group.trace.forget" (dict "walk" $.walk "path" (print $.at $handle)) -}}
{{- else if and $plain (kindIs "string" $entry) -}}
{{- $_ := set $items $handle $entry -}}
{{- else -}}
{{- template "replica-group.keyed.entry" (dict "items" $items "handle" $handle "entry" $entry "at" $.at "shape" $.shape "walk" $.walk) -}}
{{- end -}}
{{- end -}}
{{- $_ := set $items "@order" $order -}}
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

{{/* Print the name under which .items holds the entry .handle, whose key has several fields: a lower layer may have written it in the list form, without a name, and then a name is remembered. */}}
{{- define "replica-group.keyed.same" -}}
{{- $names := get .items "@names" | default dict -}}
{{- $found := get $names .handle | default .handle -}}
{{- if and (kindIs "map" .entry) (not (hasKey .items $found)) -}}
{{- $identity := include "replica-group.keyed.handle" (dict "entry" .entry "by" .by) -}}
{{- range $name, $item := omit .items "@order" "@names" -}}
{{- if kindIs "map" $item -}}
{{- $equal := eq $identity (include "replica-group.keyed.handle" (dict "entry" $item "by" $.by)) -}}
{{- if or (eq $name (get $names $identity)) (and $equal (has $identity (list $name $.handle))) -}}
{{- $found = $name -}}
{{- $_ := set $.items "@names" (set $names $.handle $name) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- ternary .handle (ternary $found .handle (hasKey .items $found)) (hasKey .items .handle) -}}
{{- end -}}
