{{/* Refuse a separator of .reference that separates nothing, or is nothing. */}}
{{- define "replica-operation.reference.separated" -}}
{{- $separator := get .reference "separator" -}}
{{- if kindIs "invalid" $separator -}}
{{- else if has .reference.as (list "count" "first" "labels" "pods" "port" "selector") -}}
{{- fail (printf "%s.separator: %q, but as: %s is no list that it could separate; leave it out" .at $separator .reference.as) -}}
{{- else if not $separator -}}
{{- fail (printf "%s.separator: empty, so the values would run together; leave it out for a comma" .at) -}}
{{- end -}}
{{- end -}}

{{/* Add the number of the port, on which all groups must agree. */}}
{{- define "replica-operation.reference.port" -}}
{{- $first := first .groups -}}
{{- $number := include "replica-operation.reference.number" (dict "target" $first "reference" .reference "at" .at) -}}
{{- range $target := rest .groups -}}
{{- $other := include "replica-operation.reference.number" (dict "target" $target "reference" $.reference "at" $.at) -}}
{{- if ne $number $other -}}
{{- fail (printf "%s.port: %s of the group %q, but %s of %q, and the program takes one; give both the same number, or name one group by fromGroup" $.at $number $first.name $other $target.name) -}}
{{- end -}}
{{- end -}}
{{- $_ := set . "values" (list $number) -}}
{{- end -}}

{{/* Add the labels, pair by pair, by which the pods that serve of the groups are found, and no others of the release. */}}
{{- define "replica-operation.reference.labels" -}}
{{- $target := first .groups -}}
{{- $pairs := list (print "app.kubernetes.io/instance=" .operation.release) -}}
{{- if eq (len .groups) 1 -}}
{{- $pairs = append $pairs (print "helm-roster.dev/group=" $target.name) -}}
{{- else -}}
{{- range $name, $other := .operation.groups -}}
{{- if and (eq (get $other "role" | default "") $target.role) (ne (get $other "servedBy") (get $target "servedBy")) -}}
{{- fail (printf "%s.fromRole: %q is also the role of the group %q, which another router serves or none, and several groups are found by their role alone; give that another serving.role" $.at $target.role $name) -}}
{{- end -}}
{{- end -}}
{{- $pairs = append $pairs (print "helm-roster.dev/role=" $target.role) -}}
{{- end -}}
{{- $revision := get $target "revision" -}}
{{- range $other := .groups -}}
{{- if ne (get $other "role") (get $target "role") -}}
{{- fail (printf "%s.fromRole: %q and %q, but one selector finds one role; refer to each by itself" $.at $target.role $other.role) -}}
{{- end -}}
{{- if ne (get $other "revision") $revision -}}
{{- fail (printf "%s: of the groups %q and %q, which have one role, only one is rolled out together with others, and one selector finds both; set rollout.coordinated on both or on none" $.at $target.name $other.name) -}}
{{- end -}}
{{- end -}}
{{- if $revision -}}
{{- $pairs = append $pairs (print "helm-roster.dev/revision=" $revision) -}}
{{- else if include "replica-group.serving.labelled" $target -}}
{{- $pairs = append $pairs "helm-roster.dev/leader=true" -}}
{{- end -}}
{{- $_ := set . "values" $pairs -}}
{{- end -}}
