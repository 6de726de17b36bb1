{{/* Refuse in .container of .group two things at one path, and volumes that its pods do not have or that are used in the wrong way. .at names the container, .connected: path -> the connection that is mounted there. */}}
{{- define "replica-group.mounts" -}}
{{- $seen := dict -}}
{{- range $field := list "volumeMounts" "volumeDevices" -}}
{{- range $mount := get $.container $field | default list -}}
{{- $written := get $mount "mountPath" | default (get $mount "devicePath") -}}
{{- $path := clean $written -}}
{{- $connection := get (get $ "connected" | default dict) $path -}}
{{- $name := get $mount "name" -}}
{{- if and (hasKey $seen $path) (eq $name (get $seen $path)) -}}
{{- fail (printf "%s: volume %q is mounted twice at %s; keep one" $.at $name $path) -}}
{{- else if hasKey $seen $path -}}
{{- fail (printf "%s: volumes %q and %q are both mounted at %s; choose another path for one" $.at (get $seen $path) $name $path) -}}
{{- end -}}
{{- if and $connection (ne $name $connection) -}}
{{- fail (printf "%s.volumeMounts.%s: volume %q, but connection %q is mounted there; choose another path" $.at $written $name $connection) -}}
{{- end -}}
{{- $_ := set $seen $path $name -}}
{{- template "replica-group.mounts.found" (dict "group" $.group "name" $name "field" $field "at" (printf "%s.%s.%s" $.at $field $written)) -}}
{{- template "replica-group.mounts.read-only" (dict "mount" $mount "from" (get $.group.operation.connections $name) "container" $.container "own" $connection "at" (printf "%s.%s.%s" $.at $field $written)) -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* Make a further .mount of a connection's volume read-only where the connection, which gives .from, is; but not in its own init containers, which fill it. */}}
{{- define "replica-group.mounts.read-only" -}}
{{- $reads := get (.from | default dict) "readOnly" -}}
{{- if and $reads (not .own) (not (hasKey .mount "readOnly")) (not (hasKey (get .from "init" | default dict) .container.name)) -}}
{{- $_ := set .mount "readOnly" true -}}
{{- end -}}
{{- if and (eq (toString $reads) "always") (ne (get .mount "readOnly" | toString) "true") -}}
{{- fail (printf "%s.readOnly: false, but connection %q is a bucket that is read-only as a whole; leave it out, or give another connection that writes" .at .mount.name) -}}
{{- end -}}
{{- end -}}

{{/* Refuse the volume .name, used by .field, that the pods of .group do not have, unless a patch may bring it, and one that .field cannot use. */}}
{{- define "replica-group.mounts.found" -}}
{{- $group := .group -}}
{{- if not (hasKey $group "volumes") -}}
{{- template "replica-group.volumes.modes" $group -}}
{{- end -}}
{{- $mode := get $group.volumes .name -}}
{{- if not (or (hasKey $group.volumes .name) (hasKey $group.operation.patches (trimSuffix ".leader" $group.name))) -}}
{{- template "replica-group.unknown" (dict "at" .at "what" "is no volume" "name" .name "known" (keys $group.volumes) "otherwise" "give it under volumes") -}}
{{- end -}}
{{- if and (eq $mode "Block") (eq .field "volumeMounts") -}}
{{- fail (printf "%s: volume %q is a device (volumeMode Block), which holds no files; give its path under volumeDevices" .at .name) -}}
{{- end -}}
{{- if and (eq $mode "Filesystem") (eq .field "volumeDevices") -}}
{{- fail (printf "%s: volume %q holds files, and a device is a claim of volumeMode Block; give its path under volumeMounts" .at .name) -}}
{{- end -}}
{{- end -}}

{{/* Fill .volumes with the volumes of a group's pods by name, each with its volumeMode, "" where only its claim knows. */}}
{{- define "replica-group.volumes.modes" -}}
{{- $modes := dict -}}
{{- range $claim := get . "claims" | default list -}}
{{- $_ := set $modes $claim.metadata.name (get $claim.spec "volumeMode" | default "Filesystem") -}}
{{- end -}}
{{- range $volume := get .spec "volumes" | default list -}}
{{- $mode := ternary "" (dig "ephemeral" "volumeClaimTemplate" "spec" "volumeMode" "Filesystem" $volume) (hasKey $volume "persistentVolumeClaim") -}}
{{- $contribution := get $.operation.connections $volume.name | default dict -}}
{{- if and (not $mode) (eq (dig "claim" "name" "" $contribution) (dig "persistentVolumeClaim" "claimName" "" $volume)) -}}
{{- $mode = dig "claim" "spec" "volumeMode" "Filesystem" $contribution -}}
{{- end -}}
{{- $_ := set $modes $volume.name $mode -}}
{{- end -}}
{{- $_ := set . "volumes" $modes -}}
{{- end -}}
