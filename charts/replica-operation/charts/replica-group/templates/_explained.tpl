{{/* Note for people which layer each value is from where only the chart knows, and all values as JSON, in which lists by key are still maps. */}}
{{- define "replica-group.explained" -}}
{{- template "replica-group.explained.chart" (dict "group" .group "path" "replicas") -}}
{{- template "replica-group.explained.chart" (dict "group" .group "path" "accelerators") -}}
{{- $_ := set .group "composed" (toJson .group.spec) -}}
{{- end -}}

{{/* Note that the chart set .path of .group, if no other layer did. */}}
{{- define "replica-group.explained.chart" -}}
{{- if and .group.traced (not (hasKey .group.trace .path)) -}}
{{- $_ := set .group.trace .path "chart" -}}
{{- end -}}
{{- end -}}

{{/* Add to what is told about .group what the chart makes of other fields: a startupProbe, an account and its token, volumes and their mounts. */}}
{{- define "replica-group.explained.made" -}}
{{- $spec := .group.spec -}}
{{- $told := fromJson .group.composed -}}
{{- $_ := set $told "volumes" (get $told "volumes" | default dict) -}}
{{- range $field := list "startupProbe" "volumeMounts" -}}
{{- $_ := set $told.container $field (get $told.container $field | default dict) -}}
{{- end -}}
{{- $volumes := dict -}}
{{- range $volume := get $spec "volumes" | default list -}}
{{- $_ := set $volumes $volume.name (ternary (get $told.volumes $volume.name) $volume (hasKey $told.volumes $volume.name)) -}}
{{- end -}}
{{- $mounts := dict -}}
{{- range $mount := get $spec.container "volumeMounts" | default list -}}
{{- $path := $mount.mountPath -}}
{{- $_ := set $mounts $path (ternary (get $told.container.volumeMounts $path) $mount (hasKey $told.container.volumeMounts $path)) -}}
{{- end -}}
{{- template "replica-group.explained.add" (dict "group" .group "into" $told.volumes "from" $volumes "at" "volumes.") -}}
{{- template "replica-group.explained.add" (dict "group" .group "into" $told.container.volumeMounts "from" $mounts "at" "container.volumeMounts.") -}}
{{- template "replica-group.explained.add" (dict "group" .group "into" $told.container.startupProbe "from" (get $spec.container "startupProbe" | default dict) "at" "container.startupProbe.") -}}
{{- template "replica-group.explained.add" (dict "group" .group "into" $told.environment "from" (pick $spec.environment "automountServiceAccountToken" "serviceAccountName") "at" "environment.") -}}
{{- if get .group "leaders" -}}
{{- $_ := set $told.leader "environment" (get $told.leader "environment" | default dict) -}}
{{- template "replica-group.explained.add" (dict "group" .group "into" $told.leader.environment "from" (pick .group.leader.spec.environment "automountServiceAccountToken") "at" "leader.environment.") -}}
{{- end -}}
{{- $_ := set .group "composed" (toJson $told) -}}
{{- end -}}

{{/* Note in .into, which stands at .at, what of .from is not there yet, as set by the chart. */}}
{{- define "replica-group.explained.add" -}}
{{- range $key, $value := .from -}}
{{- if ne (toJson $value) (toJson (get $.into $key)) -}}
{{- $_ := set $.into $key $value -}}
{{- template "replica-group.trace.forget" (dict "walk" $.group "path" (print $.at $key)) -}}
{{- $_ := set $.group.trace (print $.at $key) "chart" -}}
{{- end -}}
{{- end -}}
{{- end -}}
