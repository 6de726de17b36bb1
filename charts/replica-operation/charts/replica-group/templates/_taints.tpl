{{/* Refuse tolerations of .group that the API server would. Entered where there are any. */}}
{{- define "replica-group.environment.tolerations" -}}
{{- $at := printf "groups.%s.environment.tolerations" .group.name -}}
{{- range $toleration := .group.spec.environment.tolerations -}}
{{- $key := get $toleration "key" | toString -}}
{{- $effect := get $toleration "effect" | toString -}}
{{- if and (not $key) (ne (get $toleration "operator" | toString) "Exists") -}}
{{- fail (printf "%s: %s has no key, and only operator Exists does without one, for all taints; name the key" $at (toJson $toleration)) -}}
{{- end -}}
{{- if $key -}}
{{- template "replica-group.labels.key" (dict "key" $key "path" $at) -}}
{{- end -}}
{{- $key = $key | default "the one without key" -}}
{{- $operator := get $toleration "operator" | default "Equal" | toString -}}
{{- if not (has $operator (list "Equal" "Exists" "Gt" "Lt")) -}}
{{- fail (printf "%s: %s has operator %q; allowed: Equal, Exists, or where the cluster has them Gt and Lt" $at $key $operator) -}}
{{- end -}}
{{- if and (eq (get $toleration "operator") "Exists") (get $toleration "value") -}}
{{- fail (printf "%s: %s has operator Exists and the value %q, which Exists never reads; leave the value out, or set operator: Equal beside it" $at $key (toString $toleration.value)) -}}
{{- end -}}
{{- if not (has $effect (list "" "NoSchedule" "PreferNoSchedule" "NoExecute")) -}}
{{- fail (printf "%s: %s has effect %q; allowed: NoExecute, NoSchedule, PreferNoSchedule, or none for all" $at $key $effect) -}}
{{- end -}}
{{- if and (hasKey $toleration "tolerationSeconds") (ne $effect "NoExecute") -}}
{{- fail (printf "%s: %s has tolerationSeconds and %s, but only a taint of effect NoExecute ends pods; %s" $at $key (ternary (print "effect " $effect) "no effect" (ne $effect "")) (ternary "leave the seconds out" "set that effect, or leave the seconds out" (ne $effect ""))) -}}
{{- end -}}
{{- end -}}
{{- end -}}
