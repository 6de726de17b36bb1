{{/* Print the key of a list entry: the entry itself, the value of its key field, or of several joined by "/". */}}
{{- define "replica-group.keyed.handle" -}}
{{- $fields := .by -}}
{{- if not $fields -}}
{{- .entry -}}
{{- else if not (kindIs "map" .entry) -}}
{{- fail (printf "%s: %s is no entry of this list; each entry is a map with %s" .path (toJson .entry) (join ", " .by)) -}}
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
{{- else if kindIs "slice" $value -}}
{{- $value = join "," $value -}}
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

{{/* Print the name under which .items keeps the entry .handle, so that it replaces none: its own, or, where another stands there, that name and what the entry says, by which alone it is found too. That "@kept" of .shape tells: true, or the fields one of which an entry of its own says. */}}
{{- define "replica-group.keyed.kept" -}}
{{- $by := get .shape "@by" -}}
{{- $leads := get .shape "@kept" -}}
{{- $item := get .items .handle -}}
{{- $identity := "" -}}
{{- if and (kindIs "map" .entry) (kindIs "map" $item) -}}
{{- if or (kindIs "bool" $leads) (and (include "replica-group.any.key" (dict "map" .entry "keys" $leads)) (include "replica-group.any.key" (dict "map" $item "keys" $leads))) -}}
{{- $identity = include "replica-group.keyed.handle" (dict "entry" .entry "by" $by) -}}
{{- end -}}
{{- end -}}
{{- if and $identity (ne $identity (include "replica-group.keyed.handle" (dict "entry" $item "by" $by))) -}}
{{- $name := print .handle " @ " $identity -}}
{{- $_ := set .items "@names" (set (get .items "@names" | default dict) $identity $name) -}}
{{- $name -}}
{{- else -}}
{{- .handle -}}
{{- end -}}
{{- end -}}

{{/* Delete from .items what else is kept under the name .handle. */}}
{{- define "replica-group.keyed.forget" -}}
{{- range $name := keys .items -}}
{{- if hasPrefix (print $.handle " @ ") $name -}}
{{- $_ := set $.items $name nil -}}
{{- end -}}
{{- end -}}
{{- end -}}
