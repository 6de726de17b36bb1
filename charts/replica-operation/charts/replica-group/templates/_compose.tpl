{{/* Compose one group out of its layers into .group, once for all templates. .values: the group as written, .operation: see replica-operation.resolve. */}}
{{- define "replica-group.compose" -}}
{{- $group := .group -}}
{{- range $field, $otherwise := dict "accelerators" 0 "replicas" 1 "podsPerReplica" 1 -}}
{{- $_ := set $group $field (include "replica-group.count" (dict "values" $.values "defaults" $.operation.defaults "field" $field "otherwise" $otherwise) | int64) -}}
{{- end -}}
{{- $_ := set $group "labels" (include "replica-group.labels" $group) -}}
{{- $_ := set $group "selector" (include "replica-group.selector" $group) -}}
{{- template "replica-group.presets.choose" . -}}
{{- if include "replica-group.connections.some" . -}}
{{- template "replica-group.connections" . -}}
{{- end -}}
{{- template "replica-group.layers" . -}}
{{- template "replica-group.compose.parts" $group.spec -}}
{{- template "replica-group.kind" . -}}
{{- $spec := $group.spec -}}
{{- if eq .operation.kind "job" -}}
{{- if eq $group.kind "Job" -}}
{{- template "replica-group.rendezvous.fill" . -}}
{{- else -}}
{{- template "replica-group.rendezvous.drop" . -}}
{{- end -}}
{{- end -}}
{{- template "replica-group.settle" . -}}
{{- if eq $group.kind "LeaderWorkerSet" -}}
{{- template "replica-group.leader" . -}}
{{- end -}}
{{- if and (get (get $group "accelerator" | default dict) "topology") (gt $group.accelerators 0) -}}
{{- template "replica-group.slice" . -}}
{{- end -}}
{{- if .operation.ranked -}}
{{- template "replica-group.ranks" . -}}
{{- end -}}
{{- if hasKey $spec "locality" -}}
{{- template "replica-group.locality" . -}}
{{- end -}}
{{- if hasKey $spec "admission" -}}
{{- template "replica-group.admission" . -}}
{{- end -}}
{{- template "replica-group.readiness" . -}}
{{- if and .operation.job (eq $group.kind "Job") -}}
{{- template "replica-group.job.fits" . -}}
{{- end -}}
{{- template "replica-group.workload" . -}}
{{- if hasKey $spec "serving" -}}
{{- template "replica-group.serving" . -}}
{{- end -}}
{{- if hasKey $spec "expose" -}}
{{- template "replica-group.expose" . -}}
{{- end -}}
{{- if .operation.wired -}}
{{- template "replica-group.discovery" . -}}
{{- end -}}
{{- if hasKey $spec.environment "serviceAccount" -}}
{{- template "replica-group.account" . -}}
{{- end -}}
{{- if hasKey (get $group "leader" | default dict) "over" -}}
{{- template "replica-group.leader.account" . -}}
{{- end -}}
{{- if hasKey $spec "autoscaling" -}}
{{- template "replica-group.autoscaling" . -}}
{{- end -}}
{{- if eq $group.kind "LeaderWorkerSet" -}}
{{- template "replica-group.leader-worker-set.fits" . -}}
{{- end -}}
{{- if hasKey $spec "disruptionBudget" -}}
{{- template "replica-group.disruption-budget" . -}}
{{- end -}}
{{- if $group.traced -}}
{{- template "replica-group.explained.made" . -}}
{{- end -}}
{{- end -}}

{{/* Give a composed spec the maps that the defines after it read without asking. */}}
{{- define "replica-group.compose.parts" -}}
{{- range $part := list "container" "environment" "resources" "readiness" "rollout" -}}
{{- if not (hasKey $ $part) -}}
{{- $_ := set $ $part dict -}}
{{- end -}}
{{- end -}}
{{- end -}}
