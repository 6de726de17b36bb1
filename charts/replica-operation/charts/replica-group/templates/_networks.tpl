{{/* Write the networks of a group's pods into their annotations, once for each accelerator of the pod or as often as asked for. */}}
{{- define "replica-group.networks" -}}
{{- $group := . -}}
{{- range $annotation, $entry := omit .spec.networks "@order" "@names" -}}
{{- if $entry -}}
{{- $at := printf "groups.%s.networks.%s" $group.name $annotation -}}
{{- template "replica-group.networks.fit" (dict "entry" $entry "at" $at) -}}
{{- $entries := list -}}
{{- range $first := get $entry "first" | default list -}}
{{- $entries = append $entries (ternary $first (toJson $first) (kindIs "string" $first)) -}}
{{- end -}}
{{- $count := mul (get $entry "perAccelerator" | default 0 | int64) $group.accelerators -}}
{{- if hasKey $entry "perAccelerator" -}}
{{- $entries = ternary $entries list (gt $count 0) -}}
{{- else -}}
{{- $count = get $entry "perPod" | default 0 | int64 -}}
{{- end -}}
{{- range $index := int $count | until -}}
{{- $entries = append $entries (include "replica-group.networks.each" (dict "each" $entry.each "index" $index "at" $at)) -}}
{{- end -}}
{{- if $entries -}}
{{- $text := join "," $entries -}}
{{- if kindIs "map" (get $entry "each" | default (get $entry "first" | default list | first)) -}}
{{- $text = printf "[%s]" $text -}}
{{- end -}}
{{- template "replica-group.networks.annotate" (dict "group" $group "annotation" $annotation "text" $text) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* Refuse .entry at .at that does not say how many there are, or of what, and texts beside maps. */}}
{{- define "replica-group.networks.fit" -}}
{{- template "replica-group.devices.one" . -}}
{{- $counted := or (hasKey .entry "perAccelerator") (hasKey .entry "perPod") -}}
{{- $each := get .entry "each" -}}
{{- if and $counted (not $each) -}}
{{- fail (printf "%s.each: missing; say what stands there for each network, as text or as a map" .at) -}}
{{- end -}}
{{- if and $each (not $counted) -}}
{{- fail (printf "%s: %s, but not how many; give perAccelerator or perPod" .at (toJson $each)) -}}
{{- end -}}
{{- range $first := get .entry "first" | default list -}}
{{- if not (kindIs (kindOf ($each | default (first $.entry.first))) $first) -}}
{{- fail (printf "%s.first: %s stands beside %s; write all as text, which is joined by commas, or all as maps, for a JSON list" $.at (toJson $first) (toJson ($each | default (first $.entry.first)))) -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* Print .each, text as it is and a map as JSON, with the number .index in place of {index}. .at: where it stands. */}}
{{- define "replica-group.networks.each" -}}
{{- $text := ternary .each (toJson .each) (kindIs "string" .each) -}}
{{- range $found := regexFindAll `\{[A-Za-z][^{}":,]*\}` $text -1 | uniq -}}
{{- if not (regexMatch `^\{index(\+[0-9]{1,4})?\}$` $found) -}}
{{- fail (printf "%s.each: %s stands for nothing; write {index} for 0, 1, …, or {index+N}" $.at $found) -}}
{{- end -}}
{{- $text = replace $found (regexFind "[1-9][0-9]*" $found | int | add $.index | toString) $text -}}
{{- end -}}
{{- $text -}}
{{- end -}}

{{/* Annotate the pods of .group; another text under the same .annotation is refused. */}}
{{- define "replica-group.networks.annotate" -}}
{{- $environment := .group.spec.environment -}}
{{- if not (kindIs "map" (get $environment "annotations")) -}}
{{- $_ := set $environment "annotations" dict -}}
{{- end -}}
{{- if ne (get $environment.annotations .annotation | default .text) .text -}}
{{- fail (printf "groups.%s.environment.annotations.%s: given, and networks makes it too; leave it out, or take it from networks by null" .group.name .annotation) -}}
{{- end -}}
{{- $_ := set $environment.annotations .annotation .text -}}
{{- template "replica-group.explained.chart" (dict "group" .group "path" (print "environment.annotations." .annotation)) -}}
{{- end -}}
