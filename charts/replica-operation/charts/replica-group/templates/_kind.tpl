{{/* Settle a group's lifecycle and the kind of its workload, which must fit the operation and the gang. What never ends keeps its name over the runs of a job, unless its gang is made anew. */}}
{{- define "replica-group.kind" -}}
{{- $group := .group -}}
{{- $at := printf "groups.%s.workload" $group.name -}}
{{- $lifecycle := get $group.spec "lifecycle" | default "primary" -}}
{{- $finite := and (eq .operation.kind "job") (eq $lifecycle "primary") -}}
{{- $kind := get $group.spec "workload" -}}
{{- if and (not $kind) (gt $group.podsPerReplica 1) -}}
{{- $kind = "LeaderWorkerSet" -}}
{{- else if not $kind -}}
{{- $kind = ternary "Job" (ternary "StatefulSet" "Deployment" (ne $group.gang "")) $finite -}}
{{- end -}}
{{- template "replica-group.kind.pods" (dict "group" $group "kind" $kind "operation" .operation) -}}
{{- if and (eq $kind "Job") (ne .operation.kind "job") -}}
{{- fail (printf "%s: Job, but the operation is of kind %s, whose groups run until they are ended; allowed: Deployment, StatefulSet, LeaderWorkerSet" $at .operation.kind) -}}
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
{{- $versions := dict "Job" "batch/v1" "LeaderWorkerSet" "leaderworkerset.x-k8s.io/v1" -}}
{{- $_ := set $group "apiVersion" (get $versions $kind | default "apps/v1") -}}
{{- end -}}

{{/* Refuse pods of a replica that .kind has not got, and a leader that is alone or of another kind. */}}
{{- define "replica-group.kind.pods" -}}
{{- $group := .group -}}
{{- $pods := $group.podsPerReplica -}}
{{- $at := print "groups." $group.name -}}
{{- if and (eq .operation.kind "job") (or (gt $pods 1) (eq .kind "LeaderWorkerSet")) -}}
{{- $asked := ternary (printf "podsPerReplica: %d" $pods) "workload: LeaderWorkerSet" (gt $pods 1) -}}
{{- fail (printf "%s.%s, but the operation is of kind job, whose replicas are one pod each; leave it out, and set replicas to the number of all pods" $at $asked) -}}
{{- end -}}
{{- if lt $pods 1 -}}
{{- fail (printf "%s.podsPerReplica: %d; allowed: 1 or more, for no pods set replicas: 0" $at $pods) -}}
{{- end -}}
{{- if and (gt $pods 1) (ne .kind "LeaderWorkerSet") -}}
{{- fail (printf "%s.workload: %s, whose replicas are one pod each, but podsPerReplica is %d (`size` of a LeaderWorkerSet, `nodeCount` in Dynamo, `numOfHosts` in Ray); leave workload out" $at .kind $pods) -}}
{{- end -}}
{{- $router := get $group.spec "router" -}}
{{- if and (gt $pods 1) (or (kindIs "map" $router) (eq (toString $router) "true")) -}}
{{- fail (printf "%s.podsPerReplica: %d, but a router is one pod; leave it out" $at $pods) -}}
{{- end -}}
{{- if and (get $group "leaders") (eq $pods 1) -}}
{{- fail (printf "%s.leader: given, but podsPerReplica is 1, so its pods are all alike; write its fields into the group, or set podsPerReplica; a lower layer's goes with `unset: [leader]`" $at) -}}
{{- end -}}
{{- if and (hasKey $group.spec "recovery") (ne .kind "LeaderWorkerSet") -}}
{{- template "replica-group.kind.recovery" (dict "recovery" $group.spec.recovery "at" $at "kind" .kind) -}}
{{- end -}}
{{- end -}}

{{/* Refuse a scope of recovery where a replica is one pod. */}}
{{- define "replica-group.kind.recovery" -}}
{{- with .recovery -}}
{{- fail (printf "%s.recovery: given, but the group is a %s, whose pods are replaced one by one; leave it out, a lower layer's goes with `unset: [recovery]`, or set podsPerReplica" $.at $.kind) -}}
{{- end -}}
{{- end -}}
