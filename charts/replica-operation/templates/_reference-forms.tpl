{{/* Refuse what needs names of pods that .target does not have: as: hosts, urls and first. */}}
{{- define "replica-operation.reference.named" -}}
{{- if eq .target.kind "Deployment" -}}
{{- fail (printf "%s.as: %s, but the group %q is a Deployment, whose pods have no lasting names; set groups.%s.workload: StatefulSet, or use service, labels or selector" .at .reference.as .target.name .target.name) -}}
{{- end -}}
{{- end -}}

{{/* Refuse numbers of .target that an autoscaler sets. */}}
{{- define "replica-operation.reference.counted" -}}
{{- if get .target "autoscaling" -}}
{{- fail (printf "%s.as: %s, but how many replicas the group %q has is its autoscaler's to say; use service, labels or selector, or leave its autoscaling out" .at .reference.as .target.name) -}}
{{- end -}}
{{- end -}}

{{/* Add the DNS name of each replica of .target, of one that spans pods that of its leader, or, where all its pods serve, of each. */}}
{{- define "replica-operation.reference.host" -}}
{{- template "replica-operation.reference.named" . -}}
{{- template "replica-operation.reference.counted" . -}}
{{- range $index := int .target.replicas | until -}}
{{- $_ := set $.into "values" (append $.into.values (printf "%s-%d.%s" $.target.object $index $.target.object)) -}}
{{- if hasKey $.target "allServe" -}}
{{- range $rank := untilStep 1 (get $.target "podsPerReplica" | default 1 | int) 1 -}}
{{- $_ := set $.into "values" (append $.into.values (printf "%s-%d-%d.%s" $.target.object $index $rank $.target.object)) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* Add the URL of each replica of .target, or that of the Service of its ready pods. */}}
{{- define "replica-operation.reference.url" -}}
{{- $number := include "replica-operation.reference.number" . -}}
{{- $hosts := dict "values" list -}}
{{- if eq .reference.as "urls" -}}
{{- template "replica-operation.reference.host" (set (omit . "into") "into" $hosts) -}}
{{- else -}}
{{- template "replica-operation.reference.offered" (dict "target" .target "number" $number "at" .at) -}}
{{- $_ := set $hosts "values" (list .target.ready) -}}
{{- end -}}
{{- range $host := $hosts.values -}}
{{- $_ := set $.into "values" (append $.into.values (printf "http://%s:%s" $host $number)) -}}
{{- end -}}
{{- end -}}

{{/* Add the DNS name of replica 0 of .target, with the port that .reference names. */}}
{{- define "replica-operation.reference.first" -}}
{{- template "replica-operation.reference.named" . -}}
{{- if gt (len .into.groups) 1 -}}
{{- fail (printf "%s.as: first, but several groups have this role, and each has a first replica; name one by fromGroup" .at) -}}
{{- end -}}
{{- $host := printf "%s-0.%s" .target.object .target.object -}}
{{- if get .reference "port" -}}
{{- $host = printf "%s:%s" $host (include "replica-operation.reference.number" .) -}}
{{- end -}}
{{- $_ := set .into "values" (append .into.values $host) -}}
{{- end -}}

{{/* Add the name of the Service of the ready pods of .target, with the port that .reference names. */}}
{{- define "replica-operation.reference.service" -}}
{{- $port := "" -}}
{{- if get .reference "port" -}}
{{- $port = include "replica-operation.reference.number" . -}}
{{- end -}}
{{- template "replica-operation.reference.offered" (dict "target" .target "number" $port "at" .at) -}}
{{- $_ := set .into "values" (append .into.values (print .target.ready (ternary (print ":" $port) "" (ne $port "")))) -}}
{{- end -}}

{{/* Refuse the port .number, which may be empty, where the Service of the ready pods of .target does not offer it, or is not there. */}}
{{- define "replica-operation.reference.offered" -}}
{{- if not .target.ready -}}
{{- fail (printf "%s: the group %q has no ports, so it has no Service; name one under groups.%s.container.ports" .at .target.name .target.name) -}}
{{- end -}}
{{- $only := get (get .target.spec "expose" | default dict) "port" -}}
{{- if and $only .number (ne .number (include "replica-group.port" (dict "group" .target "name" $only "at" .at))) -}}
{{- fail (printf "%s: port %s of the group %q, but its Service offers only %q; leave groups.%s.expose.port out" .at .number .target.name $only .target.name) -}}
{{- end -}}
{{- end -}}

{{/* Add how many replicas, or pods, the groups have together. */}}
{{- define "replica-operation.reference.sum" -}}
{{- $sum := 0 -}}
{{- range $target := .groups -}}
{{- template "replica-operation.reference.counted" (dict "target" $target "reference" $.reference "at" $.at) -}}
{{- $each := ternary 1 (get $target "podsPerReplica" | default 1 | int) (eq $.reference.as "count") -}}
{{- $sum = add $sum (mul $target.replicas $each) -}}
{{- end -}}
{{- $_ := set . "values" (list (toString $sum)) -}}
{{- end -}}
