{{/* Settle a group's rollout, with the seconds after which it counts as stuck (what Kubernetes allows, and what the pods may take), and its ready-pods Service. */}}
{{- define "replica-group.workload" -}}
{{- $group := .group -}}
{{- if or (get $group.spec.container "ports") (hasKey $group.spec "sidecars") -}}
{{- template "replica-group.ports" $group -}}
{{- end -}}
{{- if hasKey $group "leader" -}}
{{- template "replica-group.ports.leader" $group -}}
{{- end -}}
{{- $ready := get $group.spec "minReadySeconds" | int64 -}}
{{- if and $ready (eq $group.kind "Job") -}}
{{- fail (printf "groups.%s.minReadySeconds: %d, but the group is a Job, whose pods end; leave it out, a lower layer's goes with `unset: [minReadySeconds]`" $group.name $ready) -}}
{{- end -}}
{{- if and $ready (eq $group.kind "LeaderWorkerSet") -}}
{{- fail (printf "groups.%s.minReadySeconds: %d, but a LeaderWorkerSet counts a pod as soon as it is ready; leave it out, a lower layer's goes with `unset: [minReadySeconds]`" $group.name $ready) -}}
{{- end -}}
{{- if and (hasKey $group.spec.container "startupProbe") (not (hasKey $group "starting")) -}}
{{- template "replica-group.starting" $group -}}
{{- end -}}
{{- if or $ready (hasKey $group "starting") -}}
{{- $_ := set $group "deadline" (add 600 (get $group "starting" | int64) $ready) -}}
{{- end -}}
{{- template "replica-group.rollout" (dict "group" $group "rollout" $group.spec.rollout "at" (printf "groups.%s.rollout" $group.name)) -}}
{{- end -}}

{{/* Fill .starting with the seconds that the startupProbe of a group, written whole, lets the main container take; entered where there is one. */}}
{{- define "replica-group.starting" -}}
{{- $probe := .spec.container.startupProbe -}}
{{- if $probe -}}
{{- $tries := mul (get $probe "periodSeconds" | default 10 | int64) (get $probe "failureThreshold" | default 3 | int64) -}}
{{- $_ := set . "starting" (add (get $probe "initialDelaySeconds" | int64) $tries) -}}
{{- end -}}
{{- end -}}
