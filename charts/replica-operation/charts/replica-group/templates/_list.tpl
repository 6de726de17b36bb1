{{/* Turn every keyed map under .node back into the list that Kubernetes wants; .shape says where they are. Environments stay maps with an order, see replica-group.env. */}}
{{- define "replica-group.keyed.lists" -}}
{{- range $key, $value := .node -}}
{{- if kindIs "map" $value -}}
{{- $rule := get $.shape $key -}}
{{- if not $rule -}}
{{- else if not (hasKey $rule "@by") -}}
{{- template "replica-group.keyed.lists" (dict "node" $value "shape" $rule "path" (print $.path $key ".")) -}}
{{- else if not (hasKey $rule "@whole") -}}
{{- if hasKey $rule "@nested" -}}
{{- template "replica-group.keyed.nested" (dict "items" $value "shape" $rule "path" (print $.path $key ".")) -}}
{{- end -}}
{{- template "replica-group.keyed.list" (dict "node" $.node "key" $key "shape" $rule "path" (print $.path $key)) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* Replace .node[.key], a map by key, by its entries in order; entries that agree in all fields of a composite key become one. */}}
{{- define "replica-group.keyed.list" -}}
{{- $items := get .node .key -}}
{{- $by := get .shape "@by" -}}
{{- $composite := gt (len $by) 1 -}}
{{- $list := list -}}
{{- $seen := dict -}}
{{- range $handle := get $items "@order" -}}
{{- $entry := get $items $handle -}}
{{- if kindIs "invalid" $entry -}}
{{- else if not $by -}}
{{- $list = append $list $handle -}}
{{- else -}}
{{- $item := dict -}}
{{- template "replica-group.keyed.item" (dict "into" $item "entry" $entry "handle" $handle "by" $by "path" $.path) -}}
{{- $identity := $handle -}}
{{- if $composite -}}
{{- $identity = include "replica-group.keyed.handle" (dict "entry" $item "by" $by) -}}
{{- end -}}
{{- if and $composite (hasKey $seen $identity) -}}
{{- $_ := mergeOverwrite (get $seen $identity) $item -}}
{{- else -}}
{{- $_ := set $seen $identity $item -}}
{{- $list = append $list $item -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- if $list -}}
{{- $_ := set .node .key $list -}}
{{- else -}}
{{- $_ := unset .node .key -}}
{{- end -}}
{{- end -}}

{{/* Fill .into with one entry as Kubernetes writes it: its fields, and its key as a field. */}}
{{- define "replica-group.keyed.item" -}}
{{- range $field, $value := .entry -}}
{{- if not (kindIs "invalid" $value) -}}
{{- $_ := set $.into $field $value -}}
{{- end -}}
{{- end -}}
{{- if eq (len .by) 1 -}}
{{- $field := first .by -}}
{{- template "replica-group.keyed.named" (dict "entry" .into "handle" .handle "field" $field "path" .path) -}}
{{- $_ := set .into $field .handle -}}
{{- end -}}
{{- end -}}

{{/* Turn the keyed maps inside each entry of .items, a keyed map itself, into the lists that Kubernetes wants. */}}
{{- define "replica-group.keyed.nested" -}}
{{- range $handle, $entry := omit .items "@order" "@names" -}}
{{- if kindIs "map" $entry -}}
{{- template "replica-group.keyed.lists" (dict "node" $entry "shape" $.shape "path" (print $.path $handle ".")) -}}
{{- end -}}
{{- end -}}
{{- end -}}
