{{/* Give the main container of .group shared memory of the size asked for, unless something is mounted there. Entered where the field is given. */}}
{{- define "replica-group.shm" -}}
{{- $spec := .group.spec -}}
{{- $taken := false -}}
{{- range $mount := get $spec.container "volumeMounts" | default list -}}
{{- if eq (clean $mount.mountPath) "/dev/shm" -}}
{{- $taken = true -}}
{{- end -}}
{{- end -}}
{{- if and (get $spec.shm "size") (not $taken) -}}
{{- $volume := dict "name" "shm" "emptyDir" (dict "medium" "Memory" "sizeLimit" $spec.shm.size) -}}
{{- template "replica-group.volumes.add" (dict "group" .group "volume" $volume "mount" (dict "mountPath" "/dev/shm") "for" (printf "groups.%s.shm" .group.name)) -}}
{{- end -}}
{{- end -}}
