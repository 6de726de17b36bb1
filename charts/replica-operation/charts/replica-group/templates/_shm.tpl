{{/* Give the main container of .group shared memory of the size asked for, or for each of its accelerators, unless something is mounted there. Entered where the field is given. */}}
{{- define "replica-group.shm" -}}
{{- $spec := .group.spec -}}
{{- $taken := false -}}
{{- range $mount := get $spec.container "volumeMounts" | default list -}}
{{- if eq (clean $mount.mountPath) "/dev/shm" -}}
{{- $taken = true -}}
{{- end -}}
{{- end -}}
{{- $size := get $spec.shm "size" -}}
{{- if and (not $size) (get $spec.shm "perAccelerator") (gt .group.mainAccelerators 0) -}}
{{- $size = include "replica-group.devices.times" (dict "amount" $spec.shm.perAccelerator "count" .group.mainAccelerators) -}}
{{- end -}}
{{- if and $size (not $taken) -}}
{{- $volume := dict "name" "shm" "emptyDir" (dict "medium" "Memory" "sizeLimit" $size) -}}
{{- template "replica-group.volumes.add" (dict "group" .group "volume" $volume "mount" (dict "mountPath" "/dev/shm") "for" (printf "groups.%s.shm" .group.name)) -}}
{{- end -}}
{{- end -}}
