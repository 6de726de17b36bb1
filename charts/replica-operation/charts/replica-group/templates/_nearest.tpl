{{/* Refuse .name, which nobody defined. .at: where it stands, .what: what it would be, .known: the names that there are, .otherwise: what to do where there are none, .then: what to do in any case. */}}
{{- define "replica-group.unknown" -}}
{{- $known := sortAlpha .known | join ", " | default (printf "none; %s" (get . "otherwise")) -}}
{{- fail (printf "%s: there %s %q%s; known: %s%s" .at .what .name (include "replica-group.nearest" .) $known (get . "then")) -}}
{{- end -}}

{{/* Print which of .known, a list, was probably meant by .name, as words for a refusal; nothing when none is like it. */}}
{{- define "replica-group.nearest" -}}
{{- $name := include "replica-group.nearest.folded" .name -}}
{{- $least := div (len $name) 3 | add1 -}}
{{- $nearest := "" -}}
{{- range $known := sortAlpha .known -}}
{{- $other := include "replica-group.nearest.folded" $known -}}
{{- $distance := $least -}}
{{- if eq $name (splitList "/" $known | last | include "replica-group.nearest.folded") -}}
{{- $distance = 0 -}}
{{- else if lt (max (len $other) (len $name)) (add (min (len $other) (len $name)) $least) -}}
{{- $distance = include "replica-group.nearest.distance" (dict "from" $name "to" $other) | int64 -}}
{{- end -}}
{{- if lt $distance $least -}}
{{- $least = $distance -}}
{{- $nearest = $known -}}
{{- else if and (not $nearest) (gt (min (len $other) (len $name)) 2) (or (contains $name $other) (contains $other $name)) -}}
{{- $nearest = $known -}}
{{- end -}}
{{- end -}}
{{- if $nearest }} (did you mean {{ $nearest | quote }}?){{ end -}}
{{- end -}}

{{/* Print a name without what is easily mistaken: case and separators. */}}
{{- define "replica-group.nearest.folded" -}}
{{- regexReplaceAll "[-_./ ]" (lower .) "" -}}
{{- end -}}

{{/* Print how many letters must be changed, added or left out to turn .from into .to (Levenshtein's distance). */}}
{{- define "replica-group.nearest.distance" -}}
{{- $letters := splitList "" .to -}}
{{- $above := len $letters | int | add1 | int | until -}}
{{- range $i, $letter := splitList "" .from -}}
{{- $row := list (add1 $i) -}}
{{- range $j, $other := $letters -}}
{{- $changed := add (index $above $j) (ternary 0 1 (eq $letter $other)) -}}
{{- $row = append $row (min $changed (add1 (index $above (add1 $j))) (last $row | add1)) -}}
{{- end -}}
{{- $above = $row -}}
{{- end -}}
{{- last $above -}}
{{- end -}}
