{{/* Add what all layers require of a node to every term of the required node affinity, since terms are alternatives. Entered where the field is given. */}}
{{- define "replica-group.require-nodes" -}}
{{- $environment := .group.spec.environment -}}
{{- $required := list -}}
{{- range $entry := $environment.requireNodes -}}
{{- template "replica-group.require-nodes.check" (dict "entry" $entry "at" (printf "groups.%s.environment.requireNodes" $.group.name)) -}}
{{- $required = append $required $entry -}}
{{- end -}}
{{- $_ := unset $environment "requireNodes" -}}
{{- $affinity := get $environment "affinity" | default dict -}}
{{- $node := get $affinity "nodeAffinity" | default dict -}}
{{- $hard := get $node "requiredDuringSchedulingIgnoredDuringExecution" | default dict -}}
{{- $terms := list -}}
{{- range $term := get $hard "nodeSelectorTerms" | default list -}}
{{- $all := concat (get $term "matchExpressions" | default list) $required -}}
{{- $terms = append $terms (ternary (merge (dict "matchExpressions" $all) $term) $term (gt (len $term) 0)) -}}
{{- end -}}
{{- if not (get $hard "nodeSelectorTerms") -}}
{{- $terms = list (dict "matchExpressions" $required) -}}
{{- end -}}
{{- $node = mergeOverwrite (omit $node "requiredDuringSchedulingIgnoredDuringExecution") (dict "requiredDuringSchedulingIgnoredDuringExecution" (dict "nodeSelectorTerms" $terms)) -}}
{{- $_ := set $environment "affinity" (set (omit $affinity "nodeAffinity") "nodeAffinity" $node) -}}
{{- end -}}

{{/* Refuse a node requirement that Kubernetes would not take. */}}
{{- define "replica-group.require-nodes.check" -}}
{{- $operators := dict "In" "some" "NotIn" "some" "Exists" "none" "DoesNotExist" "none" "Gt" "one" "Lt" "one" -}}
{{- $operator := get .entry "operator" -}}
{{- $values := get .entry "values" | default list -}}
{{- if not (get .entry "key") -}}
{{- fail (printf "%s: %s has no key; entries of all layers are kept side by side, so each says key, operator and values" .at (toJson .entry)) -}}
{{- end -}}
{{- $at := printf "%s: %s" .at .entry.key -}}
{{- if not (hasKey $operators $operator) -}}
{{- fail (printf "%s: operator %q; allowed: %s" $at $operator (keys $operators | sortAlpha | join ", ")) -}}
{{- end -}}
{{- $wanted := get $operators $operator -}}
{{- template "replica-group.require.strings" (dict "value" $values "path" (print $at " values")) -}}
{{- template "replica-group.labels.required" (dict "entry" .entry "at" .at) -}}
{{- if or (and (eq $wanted "some") (not $values)) (and (eq $wanted "none") $values) (and (eq $wanted "one") (ne (len $values) 1)) -}}
{{- fail (printf "%s: operator %s wants %s in values, and has %d" $at $operator (get (dict "some" "one or more" "none" "nothing" "one" "one whole number") $wanted) (len $values)) -}}
{{- end -}}
{{- if and (eq $wanted "one") (not (regexMatch "^-?[0-9]+$" (first $values))) -}}
{{- fail (printf "%s: operator %s compares whole numbers, and values has %q; write one, such as \"8\"" $at $operator (first $values)) -}}
{{- end -}}
{{- end -}}
