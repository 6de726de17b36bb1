{{/* Give the main container of .group shared memory of the size asked for, unless something is mounted there. Entered where the field is given. */}}
{{- define "replica-group.shm" -}}
{{- $spec := .group.spec -}}
{{- $mounts := get $spec.container "volumeMounts" | default list -}}
{{- $taken := false -}}
{{- range $mount := $mounts -}}
{{- if eq (clean $mount.mountPath) "/dev/shm" -}}
{{- $taken = true -}}
{{- end -}}
{{- end -}}
{{- if and (get $spec.shm "size") (not $taken) -}}
{{- $volume := dict "name" "shm" "emptyDir" (dict "medium" "Memory" "sizeLimit" $spec.shm.size) -}}
{{- template "replica-group.volumes.add" (dict "group" .group "volume" $volume "for" (printf "groups.%s.shm" .group.name)) -}}
{{- $_ := set $spec.container "volumeMounts" (append $mounts (dict "mountPath" "/dev/shm" "name" "shm")) -}}
{{- end -}}
{{- end -}}
