{{/* Turn the keyed maps inside each entry of .items, a keyed map itself, into the lists that Kubernetes wants. */}}
{{- define "replica-group.keyed.nested" -}}
{{- range $handle, $entry := omit .items "@order" "@names" -}}
{{- if kindIs "map" $entry -}}
{{- template "replica-group.keyed.lists" (dict "node" $entry "shape" $.shape "path" (print $.path $handle ".")) -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* Drop from the entry under .key of .into what a field of .from takes the place of, as "@excludes" of .shape says. */}}
{{- define "replica-group.merge.excludes" -}}
{{- $old := get .into .key -}}
{{- range $field, $replaced := get .shape "@excludes" -}}
{{- if and (hasKey $.from $field) (not (kindIs "invalid" (get $.from $field))) -}}
{{- range $rival := $replaced -}}
{{- if and (hasKey $old $rival) (not (hasKey $.from $rival)) -}}
{{- $_ := unset $old $rival -}}
{{- template "replica-group.trace.forget" (dict "walk" $.walk "path" (print $.at $rival)) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}
