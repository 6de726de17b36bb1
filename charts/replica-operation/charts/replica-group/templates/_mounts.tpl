{{/* Refuse two things at one path of .container. .at names it, .connected: path -> the connection that is mounted there. */}}
{{- define "replica-group.mounts" -}}
{{- $seen := dict -}}
{{- range $mount := concat (get .container "volumeMounts" | default list) (get .container "volumeDevices" | default list) -}}
{{- $written := get $mount "mountPath" | default (get $mount "devicePath") -}}
{{- $path := clean $written -}}
{{- $connection := get ($.connected | default dict) $path -}}
{{- if hasKey $seen $path -}}
{{- fail (printf "%s.volumeMounts: %s and %s are one path, and a path holds one volume; choose another" $.at (get $seen $path) $written) -}}
{{- end -}}
{{- if and $connection (ne (get $mount "name") $connection) -}}
{{- fail (printf "%s.volumeMounts.%s: volume %q, but connection %q is mounted there; choose another path" $.at $written (get $mount "name") $connection) -}}
{{- end -}}
{{- $_ := set $seen $path $written -}}
{{- end -}}
{{- end -}}
