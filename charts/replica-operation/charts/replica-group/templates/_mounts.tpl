{{/* Refuse two things at one path of .container. .at names it, .connected: path -> the connection that is mounted there. */}}
{{- define "replica-group.mounts" -}}
{{- $seen := dict -}}
{{- range $mount := concat (get .container "volumeMounts" | default list) (get .container "volumeDevices" | default list) -}}
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
{{- end -}}
{{- end -}}
