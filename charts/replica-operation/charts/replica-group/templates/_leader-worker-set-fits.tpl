{{/* Refuse a rollout that the LeaderWorkerSet of .group would not take, which is made with one replica where it is autoscaled, and so many replicas that names of what it makes are too long. */}}
{{- define "replica-group.leader-worker-set.fits" -}}
{{- $group := .group -}}
{{- $steps := $group.strategy.steps -}}
{{- $at := print "groups." $group.name -}}
{{- range $step := list "maxSurge" "maxUnavailable" -}}
{{- $asked := get $steps $step | toString -}}
{{- if and (hasSuffix "%" $asked) (gt (trimSuffix "%" $asked | int64) 100) -}}
{{- fail (printf "%s.rollout.%s: %s; a LeaderWorkerSet takes up to 100%%" $at $step $asked) -}}
{{- end -}}
{{- end -}}
{{- $begins := ternary 1 $group.replicas (not (not $group.autoscaling)) -}}
{{- $surge := include "replica-group.rollout.scaled" (dict "value" $steps.maxSurge "of" $begins "round" 99) | int64 -}}
{{- $unavailable := include "replica-group.rollout.scaled" (dict "value" $steps.maxUnavailable "of" $begins "round" 0) | int64 -}}
{{- if and (eq $surge 0) (eq $unavailable 0) (gt $begins 0) -}}
{{- $of := ternary "1 replica, with which it begins until it is scaled," (printf "%d replicas" $begins) (not (not $group.autoscaling)) -}}
{{- fail (printf "%s.rollout.maxUnavailable: %v of %s is none, and maxSurge is %v, so no replica could be replaced; set 1 or more" $at $steps.maxUnavailable $of $steps.maxSurge) -}}
{{- end -}}
{{- $most := get (get $group "autoscaling" | default dict) "max" | default $group.replicas -}}
{{- $surge = include "replica-group.rollout.scaled" (dict "value" $steps.maxSurge "of" $most "round" 99) | int64 -}}
{{- template "replica-group.leader-worker-set.names" (dict "group" $group "most" $most "surge" (min $surge $most) "at" $at) -}}
{{- end -}}

{{/* Refuse names that are too long. Each replica is a StatefulSet, <object>-<index>, which Kubernetes gives 52 characters: its pods have its name, - and a hash of 10 as a label, which ends at 63. Names of pods have - and up to 10 digits more, and so end there too. The longest object has 47 characters, so that 10000 replicas fit whatever its name: more than one who scales without max will ask for. */}}
{{- define "replica-group.leader-worker-set.names" -}}
{{- $last := printf "%s-%d" .group.object (max 0 (add .most .surge -1)) -}}
{{- if gt (len $last) 52 -}}
{{- $surplus := ternary (printf " and %d more in a rollout" .surge) "" (gt .surge 0) -}}
{{- fail (printf "%s.replicas: up to %d%s, the last of which would be called %q; that has %d characters, and a replica of a LeaderWorkerSet at most 52; set fewer, or shorten the group's name or operation.name" .at .most $surplus $last (len $last)) -}}
{{- end -}}
{{- end -}}

{{/* Print .value, a number or a percentage of .of, as a number; .round, of a hundred, is added before the rest is cut off. */}}
{{- define "replica-group.rollout.scaled" -}}
{{- if hasSuffix "%" (toString .value) -}}
{{- div (add (mul (trimSuffix "%" .value | int64) .of) .round) 100 -}}
{{- else -}}
{{- int64 .value -}}
{{- end -}}
{{- end -}}
