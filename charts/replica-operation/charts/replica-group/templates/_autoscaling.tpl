{{/* Settle who else than the values sets the replicas of .group: fills .group.autoscaling with owner and bounds. Entered where the field is given. */}}
{{- define "replica-group.autoscaling" -}}
{{- $group := .group -}}
{{- $asked := $group.spec.autoscaling -}}
{{- $at := printf "groups.%s.autoscaling" $group.name -}}
{{- $owner := get $asked "owner" -}}
{{- if and $asked (not $owner) -}}
{{- fail (printf "%s.owner: missing beside %s; allowed: hpa, keda, external, none" $at (keys $asked | sortAlpha | join ", ")) -}}
{{- end -}}
{{- if has $owner (list "hpa" "keda" "external") -}}
{{- $bounds := dict "owner" $owner "min" (ternary (get $asked "min" | int64) 1 (hasKey $asked "min")) -}}
{{- if hasKey $asked "max" -}}
{{- $_ := set $bounds "max" (int64 $asked.max) -}}
{{- end -}}
{{- template "replica-group.autoscaling.possible" (dict "group" $group "bounds" $bounds "at" $at) -}}
{{- template "replica-group.autoscaling.reads" (dict "owner" $owner "asked" $asked "at" $at) -}}
{{- if ne $owner "external" -}}
{{- include (print "replica-group.autoscaling." $owner) (dict "group" $group "bounds" $bounds "asked" $asked "at" $at) -}}
{{- end -}}
{{- $_ := set $group "replicas" $bounds.min -}}
{{- if and $group.traced (not (hasKey $group.spec "replicas")) -}}
{{- $_ := set $group.trace "replicas" (get $group.trace "autoscaling.min" | default "chart") -}}
{{- end -}}
{{- $_ := set $group "autoscaling" $bounds -}}
{{- end -}}
{{- end -}}

{{/* Refuse what nobody can scale, and bounds that contradict each other. */}}
{{- define "replica-group.autoscaling.possible" -}}
{{- $max := get .bounds "max" -}}
{{- if eq .group.kind "Job" -}}
{{- fail (printf "%s.owner: %s, but the group is a Job, whose number of pods is fixed; leave autoscaling out" .at .bounds.owner) -}}
{{- end -}}
{{- if and .group.router (not .group.stateless) -}}
{{- fail (printf "%s.owner: %s, but a router has one replica; set none, or `router: {stateless: true}` if its replicas share nothing" .at .bounds.owner) -}}
{{- end -}}
{{- if and $max (lt $max .bounds.min) -}}
{{- fail (printf "%s.max: %d, but min is %d; allowed: min or more" .at $max .bounds.min) -}}
{{- end -}}
{{- if hasKey .group.spec "replicas" -}}
{{- if or (lt .group.replicas .bounds.min) (and $max (gt .group.replicas $max)) -}}
{{- fail (printf "groups.%s.replicas: %d, but autoscaling keeps %d to %s, whatever replicas says; leave replicas out" .group.name .group.replicas .bounds.min ($max | default "any number" | toString)) -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* Refuse in .asked what its .owner does not read. */}}
{{- define "replica-group.autoscaling.reads" -}}
{{- $read := dict "hpa" (list "behavior" "cpu" "metrics") "external" list -}}
{{- $_ := set $read "keda" (list "behavior" "cooldownPeriod" "idleReplicas" "pollingInterval" "triggers") -}}
{{- $known := get $read .owner -}}
{{- range $field := keys (omit .asked "owner" "min" "max") | sortAlpha -}}
{{- if has $field $known -}}
{{- else if $known -}}
{{- fail (printf "%s.%s: given, but owner is %s, which reads %s; leave it out, a lower layer's goes with `unset: [autoscaling.%s]`" $.at $field $.owner (join ", " $known) $field) -}}
{{- else -}}
{{- fail (printf "%s.%s: given, but owner is external, which decides by itself; leave it out, or set owner: %s" $.at $field (ternary "hpa" "keda" (has $field (get $read "hpa")))) -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* Settle by what a HorizontalPodAutoscaler scales: fills .bounds.metrics and .behavior, which its template reads. */}}
{{- define "replica-group.autoscaling.hpa" -}}
{{- $metrics := list -}}
{{- if not (hasKey .bounds "max") -}}
{{- fail (printf "%s.max: missing; owner hpa needs a number of replicas that it may reach" .at) -}}
{{- end -}}
{{- if lt .bounds.min 1 -}}
{{- fail (printf "%s.min: %d, but a HorizontalPodAutoscaler keeps one; set 1 or more, or owner: external" .at .bounds.min) -}}
{{- end -}}
{{- with get .asked "cpu" -}}
{{- $resources := (get $.group "leader" | default $.group).spec.resources -}}
{{- if not (or (get (get $resources "requests" | default dict) "cpu") (get (get $resources "limits" | default dict) "cpu")) -}}
{{- fail (printf "%s.cpu: %d percent of the requested CPU, but resources.requests.cpu is not set; set it, or scale by metrics" $.at (int64 .)) -}}
{{- end -}}
{{- $target := dict "type" "Utilization" "averageUtilization" (int64 .) -}}
{{- $metrics = append $metrics (dict "type" "ContainerResource" "containerResource" (dict "name" "cpu" "container" "main" "target" $target)) -}}
{{- end -}}
{{- range $name, $metric := get .asked "metrics" | default list -}}
{{- template "replica-group.autoscaling.metric" (dict "metric" $metric "at" (printf "%s.metrics.%v" $.at $name)) -}}
{{- template "replica-group.autoscaling.measured" (dict "metric" $metric "group" $.group "at" (printf "%s.metrics.%v" $.at $name)) -}}
{{- $metrics = append $metrics $metric -}}
{{- end -}}
{{- if not $metrics -}}
{{- fail (printf "%s: owner hpa, but nothing to scale by; set cpu, a percentage of the requested CPU, or metrics" .at) -}}
{{- end -}}
{{- $_ := set .group "hpa" (dict "metrics" $metrics) -}}
{{- with get .asked "behavior" -}}
{{- $_ := set $.group.hpa "behavior" . -}}
{{- end -}}
{{- end -}}
