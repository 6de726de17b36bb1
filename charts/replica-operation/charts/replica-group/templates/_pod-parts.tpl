{{/* Settle what the pods of .group hold besides the main container itself. Entered where there is any of it. */}}
{{- define "replica-group.pod-parts" -}}
{{- $group := .group -}}
{{- $spec := $group.spec -}}
{{- if hasKey $group "connected" -}}
{{- template "replica-group.connections.settle" . -}}
{{- end -}}
{{- if hasKey $spec "files" -}}
{{- template "replica-group.files" . -}}
{{- end -}}
{{- if hasKey $spec "shm" -}}
{{- template "replica-group.shm" . -}}
{{- end -}}
{{- $paths := get (get $group "connected" | default dict) "paths" | default dict -}}
{{- template "replica-group.mounts" (dict "group" $group "container" $spec.container "at" (printf "groups.%s.container" $group.name) "connected" (get $paths "container")) -}}
{{- if or (hasKey $spec "init") (hasKey $spec "sidecars") -}}
{{- template "replica-group.containers" (dict "group" $group "operation" .operation "paths" $paths) -}}
{{- end -}}
{{- end -}}
