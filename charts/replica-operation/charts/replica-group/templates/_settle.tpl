{{/* Settle the composed spec of .group into what its pods hold, the same for every kind, and for leaders. */}}
{{- define "replica-group.settle" -}}
{{- $group := .group -}}
{{- $spec := $group.spec -}}
{{- $at := print "groups." $group.name -}}
{{- if hasKey $spec "claims" -}}
{{- template "replica-group.device-claims" . -}}
{{- end -}}
{{- template "replica-group.accelerators" . -}}
{{- template "replica-group.environment" . -}}
{{- if $group.traced -}}
{{- template "replica-group.explained" . -}}
{{- end -}}
{{- template "replica-group.keyed.lists" (dict "node" $spec "shape" .operation.shape "path" (print $at ".")) -}}
{{- template "replica-group.ports.written" (dict "spec" $spec "at" $at) -}}
{{- if hasKey $spec.environment "tolerations" -}}
{{- template "replica-group.environment.tolerations" . -}}
{{- end -}}
{{- if hasKey $spec.environment "topologySpreadConstraints" -}}
{{- template "replica-group.environment.spread" . -}}
{{- end -}}
{{- template "replica-group.env.order" (dict "container" $spec.container "path" (print $at ".container.env")) -}}
{{- template "replica-group.command" . -}}
{{- if or (hasKey $group "connected") (pick $spec "connections" "init" "sidecars" "files" "shm") -}}
{{- template "replica-group.pod-parts" . -}}
{{- else if pick $spec.container "volumeMounts" "volumeDevices" -}}
{{- template "replica-group.mounts" (dict "group" $group "container" $spec.container "at" (print $at ".container")) -}}
{{- end -}}
{{- if pick $spec.container "livenessProbe" "readinessProbe" "startupProbe" "lifecycle" -}}
{{- template "replica-group.probes" (dict "group" $group "container" $spec.container "at" (print $at ".container")) -}}
{{- end -}}
{{- if hasKey $spec "startup" -}}
{{- template "replica-group.startup" . -}}
{{- end -}}
{{- if hasKey $spec.environment "requireNodes" -}}
{{- template "replica-group.require-nodes" . -}}
{{- end -}}
{{- if or (hasKey $spec "spread") (get $spec.environment "hostNetwork") -}}
{{- template "replica-group.hosts" . -}}
{{- end -}}
{{- end -}}
