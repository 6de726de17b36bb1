{{/* Compose one group out of its layers into .group, once for all templates. .values: the group as written, .operation: see replica-operation.resolve. */}}
{{- define "replica-group.compose" -}}
{{- $group := .group -}}
{{- $_ := set $group "accelerators" (include "replica-group.count" (dict "values" .values "defaults" .operation.defaults "field" "accelerators" "otherwise" 0) | int64) -}}
{{- $_ := set $group "replicas" (include "replica-group.count" (dict "values" .values "defaults" .operation.defaults "field" "replicas" "otherwise" 1) | int64) -}}
{{- $_ := set $group "labels" (include "replica-group.labels" $group) -}}
{{- $_ := set $group "selector" (include "replica-group.selector" $group) -}}
{{- template "replica-group.presets.choose" . -}}
{{- if include "replica-group.connections.some" . -}}
{{- template "replica-group.connections" . -}}
{{- end -}}
{{- template "replica-group.layers" . -}}
{{- $spec := $group.spec -}}
{{- range $part := list "container" "environment" "resources" "readiness" "rollout" -}}
{{- if not (hasKey $spec $part) -}}
{{- $_ := set $spec $part dict -}}
{{- end -}}
{{- end -}}
{{- template "replica-group.kind" . -}}
{{- if eq .operation.kind "job" -}}
{{- if eq $group.kind "Job" -}}
{{- template "replica-group.rendezvous.fill" . -}}
{{- else -}}
{{- template "replica-group.rendezvous.drop" . -}}
{{- end -}}
{{- end -}}
{{- template "replica-group.accelerators" . -}}
{{- template "replica-group.environment" . -}}
{{- if $group.traced -}}
{{- template "replica-group.explained" . -}}
{{- end -}}
{{- template "replica-group.keyed.lists" (dict "node" $spec "shape" .operation.shape "path" (printf "groups.%s." $group.name)) -}}
{{- if hasKey $spec.environment "tolerations" -}}
{{- template "replica-group.environment.tolerations" . -}}
{{- end -}}
{{- if hasKey $spec.environment "topologySpreadConstraints" -}}
{{- template "replica-group.environment.spread" . -}}
{{- end -}}
{{- template "replica-group.env.order" (dict "container" $spec.container "path" (printf "groups.%s.container.env" $group.name)) -}}
{{- template "replica-group.command" . -}}
{{- if or (hasKey $group "connected") (pick $spec "connections" "init" "sidecars" "files" "shm") -}}
{{- template "replica-group.pod-parts" . -}}
{{- else if pick $spec.container "volumeMounts" "volumeDevices" -}}
{{- template "replica-group.mounts" (dict "group" $group "container" $spec.container "at" (printf "groups.%s.container" $group.name)) -}}
{{- end -}}
{{- if pick $spec.container "livenessProbe" "readinessProbe" "startupProbe" "lifecycle" -}}
{{- template "replica-group.probes" (dict "group" $group "container" $spec.container "at" (printf "groups.%s.container" $group.name)) -}}
{{- end -}}
{{- if hasKey $spec "startup" -}}
{{- template "replica-group.startup" . -}}
{{- end -}}
{{- if hasKey $spec.environment "requireNodes" -}}
{{- template "replica-group.require-nodes" . -}}
{{- end -}}
{{- if hasKey $spec "spread" -}}
{{- template "replica-group.hosts" . -}}
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
{{- if hasKey $spec.environment "serviceAccount" -}}
{{- template "replica-group.account" . -}}
{{- end -}}
{{- if hasKey $spec "autoscaling" -}}
{{- template "replica-group.autoscaling" . -}}
{{- end -}}
{{- if hasKey $spec "disruptionBudget" -}}
{{- template "replica-group.disruption-budget" . -}}
{{- end -}}
{{- if $group.traced -}}
{{- template "replica-group.explained.made" . -}}
{{- end -}}
{{- end -}}
