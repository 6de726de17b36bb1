{{/* Fill .operation.levels: by name, by what nodes of one level are known (label, tier, topology). A text stands for the label; `host` is there without being asked for. .given: the values of `scheduling`, without nulls. */}}
{{- define "replica-operation.topology" -}}
{{- $levels := dict "host" (dict "label" "kubernetes.io/hostname") -}}
{{- $at := "scheduling.topology.levels" -}}
{{- range $name, $level := dig "topology" "levels" dict .given -}}
{{- template "replica-operation.names.readable" (dict "path" $at "name" $name "limit" 40) -}}
{{- if kindIs "string" $level -}}
{{- $level = dict "label" $level -}}
{{- end -}}
{{- $level = mergeOverwrite (get $levels $name | default dict) $level -}}
{{- if not $level -}}
{{- fail (printf "%s.%s: says by nothing what is together; give label, a label of nodes, or tier or topology, as your placement backend reads" $at $name) -}}
{{- end -}}
{{- if hasKey $level "label" -}}
{{- template "replica-group.labels.key" (dict "key" $level.label "path" (printf "%s.%s.label" $at $name)) -}}
{{- end -}}
{{- if and (hasKey $level "tier") (not (kindIs "string" $level.tier)) -}}
{{- $_ := set $level "tier" (int64 $level.tier) -}}
{{- end -}}
{{- $_ := set $levels $name $level -}}
{{- end -}}
{{- $_ := set .operation "levels" $levels -}}
{{- end -}}

{{/* Put into .into, as its locality, what .asked says at .at, with the fields of the level that it names among .levels. .bounds: by group, the pods of which one segment is a part, and words about them. */}}
{{- define "replica-operation.locality" -}}
{{- $level := get .asked "within" -}}
{{- if not $level -}}
{{- fail (printf "%s.within: missing beside %s; name a level: %s" .at (keys .asked | sortAlpha | join ", ") (keys .levels | sortAlpha | join ", ")) -}}
{{- end -}}
{{- if not (hasKey .levels $level) -}}
{{- template "replica-group.unknown" (dict "at" (print .at ".within") "what" "is no level of scheduling.topology.levels called" "name" $level "known" (keys .levels)) -}}
{{- end -}}
{{- $locality := merge (dict "within" $level "required" (ne (get .asked "required" | toString) "false")) (get .levels $level) -}}
{{- if hasKey .asked "segment" -}}
{{- $segment := int64 .asked.segment -}}
{{- range $group, $bound := .bounds -}}
{{- if gt $segment $bound.pods -}}
{{- fail (printf "%s.segment: %d, but the group %q %s" $.at $segment $group $bound.has) -}}
{{- end -}}
{{- end -}}
{{- $_ := set $locality "segment" $segment -}}
{{- end -}}
{{- $_ := set .into "locality" $locality -}}
{{- end -}}
