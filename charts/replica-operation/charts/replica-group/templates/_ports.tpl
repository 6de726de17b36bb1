{{/* Collect into .ports what a group's Services offer, the ports of its main container and its sidecars, and name the ready-pods Service. */}}
{{- define "replica-group.ports" -}}
{{- $seen := dict "ports" list "names" dict "numbers" dict -}}
{{- $at := print "groups." .name -}}
{{- template "replica-group.ports.add" (dict "seen" $seen "container" .spec.container "at" (print $at ".container")) -}}
{{- range $sidecar := get .spec "sidecars" | default list -}}
{{- template "replica-group.ports.add" (dict "seen" $seen "container" $sidecar "at" (printf "%s.sidecars.%s" $at $sidecar.name)) -}}
{{- end -}}
{{- if $seen.ports -}}
{{- $_ := set . "ports" $seen.ports -}}
{{- $_ := set . "ready" (print .object "-svc") -}}
{{- end -}}
{{- end -}}

{{/* Add the ports of one container to .seen; refuse those that a Service cannot offer: without a number, or two of one name, or of one number and protocol. */}}
{{- define "replica-group.ports.add" -}}
{{- range $port := get .container "ports" | default list -}}
{{- $at := printf "%s.ports.%s" $.at $port.name -}}
{{- if not (get $port "containerPort") -}}
{{- fail (printf "%s: no containerPort; give its number" $at) -}}
{{- end -}}
{{- $number := printf "%d/%s" (int64 $port.containerPort) (get $port "protocol" | default "TCP") -}}
{{- if hasKey $.seen.names $port.name -}}
{{- fail (printf "%s: %s is the same name; ports have names of their own over all containers of a pod" $at (get $.seen.names $port.name)) -}}
{{- end -}}
{{- if hasKey $.seen.numbers $number -}}
{{- fail (printf "%s: %s is also %s; a Service offers a number once, and containers of a pod share its numbers" $at $number (get $.seen.numbers $number)) -}}
{{- end -}}
{{- $_ := set $.seen.names $port.name $at -}}
{{- $_ := set $.seen.numbers $number $at -}}
{{- $_ := set $.seen "ports" (append $.seen.ports $port) -}}
{{- end -}}
{{- end -}}
