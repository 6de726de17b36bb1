{{/* Refuse a fill of what several pods cannot share, or that does not say what runs. */}}
{{- define "replica-operation.fill.check" -}}
{{- $fill := .connection.fill -}}
{{- range $field := list "init" "mounts" -}}
{{- if get $.connection $field -}}
{{- fail (printf "connections.%s.%s: fill is there too, which fills one mountPath once; keep one" $.name $field) -}}
{{- end -}}
{{- end -}}
{{- if not (get .connection "mountPath") -}}
{{- fail (printf "connections.%s.mountPath: missing; fill writes there, and pods wait for what it leaves" .name) -}}
{{- end -}}
{{- if eq (get .connection "readOnly" | toString) "false" -}}
{{- fail (printf "connections.%s.readOnly: false, but pods only read what fill wrote; leave it out" .name) -}}
{{- end -}}
{{- if eq (get .connection "volumeMode") "Block" -}}
{{- fail (printf "connections.%s.volumeMode: Block holds no files that fill could write; leave it out" .name) -}}
{{- end -}}
{{- if gt (len .name) 40 -}}
{{- fail (printf "connections: %q has %d characters; at most 40 with fill" .name (len .name)) -}}
{{- end -}}
{{- if not (get $fill "image") -}}
{{- fail (printf "%s.image: missing; give the image that the Job runs" .at) -}}
{{- end -}}
{{- if not (or (get $fill "cmd") (get $fill "command")) -}}
{{- fail (printf "%s.cmd: missing; say what the Job runs" .at) -}}
{{- end -}}
{{- with get .contribution "claim" -}}
{{- if include "replica-group.connections.single" . -}}
{{- fail (printf "connections.%s.accessModes: %s, but the Job of fill and the pods use the claim; allow ReadWriteMany" $.name (join ", " .spec.accessModes)) -}}
{{- end -}}
{{- end -}}
{{- end -}}
