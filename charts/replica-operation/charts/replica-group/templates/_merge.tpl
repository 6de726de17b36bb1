{{/* Lay the map .from over the map .into, which changes. .at: path of .into with a final dot, .shape: its rules, .walk: layer and trace. */}}
{{- define "replica-group.merge" -}}
{{- $names := get .shape "@names" -}}
{{- if $names -}}
{{- template "replica-group.readable" (dict "map" .from "path" (print .walk.layer "." (trimSuffix "." .at)) "otherwise" "choose another key") -}}
{{- end -}}
{{- range $key, $value := .from -}}
{{- $rule := get $.shape $key | default (get $.shape "@each") -}}
{{- if and $rule (hasKey $rule "@apart") -}}
{{- else if kindIs "invalid" $value -}}
{{- $_ := unset $.into $key -}}
{{- template "replica-group.trace.forget" (dict "walk" $.walk "path" (print $.at $key)) -}}
{{- else if and $rule (hasKey $rule "@by") -}}
{{- template "replica-group.keyed.merge" (dict "into" $.into "key" $key "from" $value "at" (print $.at $key ".") "shape" $rule "walk" $.walk) -}}
{{- else if kindIs "map" $value -}}
{{- template "replica-group.merge.map" (dict "into" $.into "key" $key "from" $value "at" (print $.at $key ".") "shape" ($rule | default dict) "walk" $.walk) -}}
{{- else -}}
{{- if or (eq $names "strings") (and $rule (hasKey $rule "@strings")) -}}
{{- template "replica-group.require.strings" (dict "value" $value "path" (print $.walk.layer "." $.at $key) "references" (and $rule (hasKey $rule "@references"))) -}}
{{- end -}}
{{- if and $rule (hasKey $rule "@append") -}}
{{- $value = concat (get $.into $key | default list) $value -}}
{{- end -}}
{{- if $.walk.traced -}}
{{- template "replica-group.trace.forget" (dict "walk" $.walk "path" (print $.at $key)) -}}
{{- $_ := set $.walk.trace (print $.at $key) $.walk.layer -}}
{{- end -}}
{{- $_ := set $.into $key $value -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* Merge one map under .key; alternatives that the new value excludes (a probe's other handler, a volume's other source) go. */}}
{{- define "replica-group.merge.map" -}}
{{- $from := .from -}}
{{- $old := get .into .key -}}
{{- if not (kindIs "map" $old) -}}
{{- $old = dict -}}
{{- $_ := set .into .key $old -}}
{{- if .walk.traced -}}
{{- template "replica-group.trace.forget" (dict "walk" .walk "path" (trimSuffix "." .at)) -}}
{{- end -}}
{{- end -}}
{{- $rivals := list -}}
{{- if hasKey .shape "@only" -}}
{{- $rivals = without (keys $old $from) "name" -}}
{{- else if hasKey .shape "@one" -}}
{{- $rivals = get .shape "@one" -}}
{{- end -}}
{{- if and $rivals (not (include "replica-group.any.key" (dict "map" $from "keys" $rivals))) -}}
{{- $rivals = list -}}
{{- end -}}
{{- range $rival := $rivals -}}
{{- if and (not (hasKey $from $rival)) (hasKey $old $rival) -}}
{{- $_ := unset $old $rival -}}
{{- template "replica-group.trace.forget" (dict "walk" $.walk "path" (print $.at $rival)) -}}
{{- end -}}
{{- end -}}
{{- if hasKey .shape "@excludes" -}}
{{- template "replica-group.merge.excludes" . -}}
{{- end -}}
{{- if and .walk.traced (not $from) -}}
{{- $_ := set .walk.trace (trimSuffix "." .at) .walk.layer -}}
{{- end -}}
{{- template "replica-group.merge" (dict "into" $old "from" $from "at" .at "shape" .shape "walk" .walk) -}}
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
