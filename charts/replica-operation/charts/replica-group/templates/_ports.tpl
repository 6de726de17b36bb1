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

{{/* Let the ready-pods Service of a group that has a leader offer the ports of that, which alone it reaches, and the headless one those of all pods: fills .allPorts. */}}
{{- define "replica-group.ports.leader" -}}
{{- $workers := get . "ports" | default list -}}
{{- template "replica-group.ports" .leader -}}
{{- $_ := set . "ports" (get .leader "ports") -}}
{{- $_ := set . "ready" (.leader.ready | default "") -}}
{{- $taken := dict -}}
{{- $all := list -}}
{{- range $port := concat (.ports | default list) $workers -}}
{{- $number := printf "%d/%s" (int64 $port.containerPort) (get $port "protocol" | default "TCP") -}}
{{- if not (or (hasKey $taken $port.name) (hasKey $taken $number)) -}}
{{- $all = append $all $port -}}
{{- $_ := set (set $taken $port.name true) $number true -}}
{{- end -}}
{{- end -}}
{{- $_ := set . "allPorts" $all -}}
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
