{{/* Turn every keyed map under .node back into the list that Kubernetes wants; .shape says where they are. */}}
{{- define "replica-group.keyed.lists" -}}
{{- range $key, $rule := .shape -}}
{{- if and (kindIs "map" $rule) (kindIs "map" (get $.node $key)) -}}
{{- if hasKey $rule "@by" -}}
{{- template "replica-group.keyed.list" (dict "node" $.node "key" $key "shape" $rule "path" (print $.path $key)) -}}
{{- else -}}
{{- template "replica-group.keyed.lists" (dict "node" (get $.node $key) "shape" $rule "path" (print $.path $key ".")) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* Replace .node[.key], a map by key, by its entries in order; entries that agree in all fields of a composite key become one. */}}
{{- define "replica-group.keyed.list" -}}
{{- $items := omit (get .node .key) "@order" "@names" -}}
{{- $by := get .shape "@by" -}}
{{- $list := list -}}
{{- $seen := dict -}}
{{- range $handles := get (get .node .key) "@order" -}}
{{- range $handle := $handles -}}
{{- if hasKey $items $handle -}}
{{- $entry := get $items $handle -}}
{{- $_ := unset $items $handle -}}
{{- if kindIs "string" $entry -}}
{{- $list = append $list (dict "name" $handle "value" $entry) -}}
{{- else if not $by -}}
{{- $list = append $list $handle -}}
{{- else -}}
{{- $item := dict -}}
{{- template "replica-group.keyed.item" (dict "into" $item "entry" $entry "handle" $handle "by" $by "path" $.path) -}}
{{- $identity := $handle -}}
{{- if gt (len $by) 1 -}}
{{- $identity = include "replica-group.keyed.handle" (dict "entry" $item "by" $by) -}}
{{- end -}}
{{- if hasKey $seen $identity -}}
{{- $_ := mergeOverwrite (get $seen $identity) $item -}}
{{- else -}}
{{- $_ := set $seen $identity $item -}}
{{- $list = append $list $item -}}
{{- end -}}
{{- end -}}
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
{{- $named := get .into $field | default .handle | toString -}}
{{- if ne $named .handle -}}
{{- fail (printf "%s.%s: %s is %q, but the entry stands under %q; leave %s out" .path .handle $field $named .handle $field) -}}
{{- end -}}
{{- $_ := set .into $field .handle -}}
{{- end -}}
{{- end -}}
