{{/* Settle a group's lifecycle and the kind of its workload, which must fit the operation and the gang. What never ends keeps its name over the runs of a job, unless its gang is made anew. */}}
{{- define "replica-group.kind" -}}
{{- $group := .group -}}
{{- $at := printf "groups.%s.workload" $group.name -}}
{{- $lifecycle := get $group.spec "lifecycle" | default "primary" -}}
{{- $finite := and (eq .operation.kind "job") (eq $lifecycle "primary") -}}
{{- $kind := get $group.spec "workload" -}}
{{- if not $kind -}}
{{- $kind = ternary "Job" (ternary "StatefulSet" "Deployment" (ne $group.gang "")) $finite -}}
{{- end -}}
{{- if and (eq $kind "Job") (ne .operation.kind "job") -}}
{{- fail (printf "%s: Job, but the operation is of kind %s, whose groups run until they are ended; allowed: Deployment, StatefulSet" $at .operation.kind) -}}
{{- end -}}
{{- if and $finite (ne $kind "Job") -}}
{{- fail (printf "%s: %s, which never ends, but a job ends when its primary groups do; set lifecycle: auxiliary, or leave workload out" $at $kind) -}}
{{- end -}}
{{- if and $group.gang (eq $kind "Deployment") -}}
{{- fail (printf "%s: Deployment, but gang %q has no room for new pods beside the old; leave it out" $at $group.gang) -}}
{{- end -}}
{{- if and .operation.run (ne $kind "Job") (not $group.gang) -}}
{{- $_ := set $group "object" $group.objectWithoutRun -}}
{{- end -}}
{{- if eq $lifecycle "primary" -}}
{{- $_ := set .operation "primary" true -}}
{{- end -}}
{{- $_ := set $group "lifecycle" $lifecycle -}}
{{- $_ := set $group "kind" $kind -}}
{{- $_ := set $group "apiVersion" (ternary "batch/v1" "apps/v1" (eq $kind "Job")) -}}
{{- end -}}
