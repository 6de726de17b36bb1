{{/* Refuse fields of operation.job that contradict each other: the API server would, once everything else is applied. */}}
{{- define "replica-operation.job" -}}
{{- $each := hasKey . "backoffLimitPerIndex" -}}
{{- if and (hasKey . "maxFailedIndexes") (not $each) -}}
{{- fail (printf "operation.job.maxFailedIndexes: %v, but only backoffLimitPerIndex lets a single index fail; set that too, or leave it out" .maxFailedIndexes) -}}
{{- end -}}
{{- if and (hasKey . "podFailurePolicy") (eq (get . "podReplacementPolicy") "TerminatingOrFailed") -}}
{{- fail "operation.job.podReplacementPolicy: TerminatingOrFailed, but a podFailurePolicy looks at a pod once it is gone, and only then it is replaced; set Failed, or leave it out" -}}
{{- end -}}
{{- range $index, $rule := get (get . "podFailurePolicy" | default dict) "rules" | default list -}}
{{- template "replica-operation.job.failure" (dict "rule" $rule "each" $each "at" (printf "operation.job.podFailurePolicy.rules.%d" $index)) -}}
{{- end -}}
{{- if hasKey . "successPolicy" -}}
{{- $rules := get .successPolicy "rules" | default list -}}
{{- if not $rules -}}
{{- fail "operation.job.successPolicy.rules: none; say which indexes must succeed, or leave successPolicy out for all" -}}
{{- end -}}
{{- range $index, $rule := $rules -}}
{{- template "replica-operation.job.success" (dict "rule" $rule "at" (printf "operation.job.successPolicy.rules.%d" $index)) -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* Refuse a .rule about failed pods that the API server would not take. .each: whether every index has a limit of its own. */}}
{{- define "replica-operation.job.failure" -}}
{{- $action := get .rule "action" | default "" -}}
{{- if not (has $action (list "Count" "FailIndex" "FailJob" "Ignore")) -}}
{{- fail (printf "%s.action: %s; allowed: Count, FailIndex, FailJob, Ignore" .at ($action | default "missing")) -}}
{{- end -}}
{{- if and (eq $action "FailIndex") (not .each) -}}
{{- fail (printf "%s.action: FailIndex, but only backoffLimitPerIndex lets a single index fail; set that too, or another action" .at) -}}
{{- end -}}
{{- $codes := get .rule "onExitCodes" -}}
{{- if or (and $codes (get .rule "onPodConditions")) (not (or $codes (get .rule "onPodConditions"))) -}}
{{- fail (printf "%s: says %s; give one of onExitCodes and onPodConditions" .at (ternary "onExitCodes and onPodConditions" "no condition" (not (not $codes)))) -}}
{{- end -}}
{{- if $codes -}}
{{- $operator := get $codes "operator" | default "" -}}
{{- if not (has $operator (list "In" "NotIn")) -}}
{{- fail (printf "%s.onExitCodes.operator: %s; allowed: In, NotIn" .at ($operator | default "missing")) -}}
{{- end -}}
{{- $values := list -}}
{{- range $code := get $codes "values" | default list -}}
{{- $values = append $values (int64 $code) -}}
{{- end -}}
{{- if not $values -}}
{{- fail (printf "%s.onExitCodes.values: none; give the exit codes, whole numbers" .at) -}}
{{- end -}}
{{- if and (eq $operator "In") (has (int64 0) $values) -}}
{{- fail (printf "%s.onExitCodes.values: 0 is no failure; leave it out" .at) -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* Refuse a .rule about success that says nothing, or indexes that are none. */}}
{{- define "replica-operation.job.success" -}}
{{- $indexes := get .rule "succeededIndexes" | default "" -}}
{{- if not (or $indexes (get .rule "succeededCount")) -}}
{{- fail (printf "%s: says neither succeededIndexes nor a succeededCount of 1 or more; give one or both" .at) -}}
{{- end -}}
{{- if not (regexMatch "^([0-9]+(-[0-9]+)?(,[0-9]+(-[0-9]+)?)*)?$" $indexes) -}}
{{- fail (printf "%s.succeededIndexes: %q; write numbers and ranges in rising order, such as \"0,2-4\"" .at $indexes) -}}
{{- end -}}
{{- template "replica-operation.job.rising" (dict "rule" .rule "indexes" $indexes "at" .at) -}}
{{- end -}}

{{/* Refuse .indexes of the .rule about success at .at that do not rise, and a count above theirs. */}}
{{- define "replica-operation.job.rising" -}}
{{- $last := -1 -}}
{{- $total := 0 -}}
{{- range $part := compact (splitList "," .indexes) -}}
{{- $ends := splitList "-" $part -}}
{{- $first := first $ends | int64 -}}
{{- if or (le $first (int64 $last)) (and (gt (len $ends) 1) (le (last $ends | int64) $first)) -}}
{{- fail (printf "%s.succeededIndexes: %q; %s does not rise; write numbers and ranges in rising order, such as \"0,2-4\"" $.at $.indexes $part) -}}
{{- end -}}
{{- $last = last $ends | int64 -}}
{{- $total = add1 (sub (add $total $last) $first) -}}
{{- end -}}
{{- if and .indexes (gt (get .rule "succeededCount" | int64) (int64 $total)) -}}
{{- fail (printf "%s.succeededCount: %d, but succeededIndexes (%s) are %d; allowed: up to that" .at (int64 .rule.succeededCount) .indexes $total) -}}
{{- end -}}
{{- end -}}
