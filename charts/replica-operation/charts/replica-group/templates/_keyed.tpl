{{/* Merge entries, written as a list or as a map, into .into[.key], a map by key. It holds beside them the order in which layers first name them ("@order") and, for keys of several fields, which other names an entry goes by ("@names"). A deleted entry is nil and keeps its place; whoever deletes the map deletes all. */}}
{{- define "replica-group.keyed.merge" -}}
{{- $items := get .into .key -}}
{{- if not (kindIs "map" $items) -}}
{{- $items = dict "@order" list -}}
{{- $_ := set .into .key $items -}}
{{- end -}}
{{- $path := print .walk.layer "." (trimSuffix "." .at) -}}
{{- $read := dict "entries" .from "order" .from -}}
{{- if kindIs "map" .from -}}
{{- template "replica-group.readable" (dict "map" .from "path" $path "otherwise" (ternary "choose another" "write the entries as a list" (has (get .shape "@by" | first) (list "annotation" "resource")))) -}}
{{- else -}}
{{- $read = dict "entries" dict "order" list -}}
{{- template "replica-group.keyed.index" (dict "index" $read "from" .from "by" (get .shape "@by") "path" $path) -}}
{{- end -}}
{{- template "replica-group.keyed.put" (dict "items" $items "entries" $read.entries "order" $read.order "at" .at "shape" .shape "walk" .walk) -}}
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
{{- if hasKey $.shape "@kept" -}}
{{- $handle = include "replica-group.keyed.kept" (dict "items" $items "handle" $handle "entry" $entry "shape" $.shape) -}}
{{- end -}}
{{- end -}}
{{- if not (hasKey $items $handle) -}}
{{- $order = append $order $handle -}}
{{- end -}}
{{- if and $plain (kindIs "string" $entry) -}}
{{- $_ := set $items $handle $entry -}}
{{- else if kindIs "invalid" $entry -}}
{{- $_ := set $items $handle nil -}}
{{- template "replica-group.trace.forget" (dict "walk" $.walk "path" (print $.at $handle)) -}}
{{- if hasKey $.shape "@kept" -}}
{{- template "replica-group.keyed.forget" (dict "items" $items "handle" $handle) -}}
{{- end -}}
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
