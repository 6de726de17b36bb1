{{/* Add .volume, which the chart makes for the field .for, to the pods of .group, and .mount of it to their main container. */}}
{{- define "replica-group.volumes.add" -}}
{{- $volumes := get .group.spec "volumes" | default list -}}
{{- range $volume := $volumes -}}
{{- if eq $volume.name $.volume.name -}}
{{- fail (printf "%s: its volume is called %q, and so is another one of the pod; choose another name for that" $.for $volume.name) -}}
{{- end -}}
{{- end -}}
{{- $_ := set .group.spec "volumes" (append $volumes .volume) -}}
{{- $container := .group.spec.container -}}
{{- $mount := set .mount "name" .volume.name -}}
{{- $_ := set $container "volumeMounts" (append (get $container "volumeMounts" | default list) $mount) -}}
{{- end -}}
