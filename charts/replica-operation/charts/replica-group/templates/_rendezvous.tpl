{{/* Fill .into with what torchrun needs to find its first pod; the values follow when the group is composed. */}}
{{- define "replica-group.rendezvous.names" -}}
{{- range $name := list "MASTER_ADDR" "MASTER_PORT" "PET_MASTER_ADDR" "PET_MASTER_PORT" "PET_NNODES" "PET_NODE_RANK" "PET_NPROC_PER_NODE" -}}
{{- $_ := set $.into $name (dict "rendezvous" true) -}}
{{- end -}}
{{- end -}}

{{/* Leave the rendezvous out again, in a group of a job that never ends and has no first pod. .group: the group being composed. */}}
{{- define "replica-group.rendezvous.drop" -}}
{{- $env := get .group.spec.container "env" | default dict -}}
{{- range $name := keys $env -}}
{{- $entry := get $env $name -}}
{{- if and (kindIs "map" $entry) (hasKey $entry "rendezvous") -}}
{{- $_ := set $env $name nil -}}
{{- template "replica-group.trace.forget" (dict "walk" $.group "path" (print "container.env." $name)) -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* Give each rendezvous variable that nobody replaced or deleted its value. .group: the composed group. */}}
{{- define "replica-group.rendezvous.fill" -}}
{{- $container := .group.spec.container -}}
{{- $env := get $container "env" | default dict -}}
{{- $port := 29500 -}}
{{- with get (get $container "ports" | default dict) "rendezvous" -}}
{{- $port = get . "containerPort" | default (get . "port") | default $port -}}
{{- end -}}
{{- $address := printf "%s-0.%s" .group.object .group.object -}}
{{- $values := dict "MASTER_ADDR" $address "PET_MASTER_ADDR" $address -}}
{{- $_ := set $values "MASTER_PORT" ($port | int64 | toString) -}}
{{- $_ := set $values "PET_MASTER_PORT" ($port | int64 | toString) -}}
{{- $_ := set $values "PET_NNODES" (toString .group.replicas) -}}
{{- $_ := set $values "PET_NPROC_PER_NODE" (max 1 .group.accelerators | toString) -}}
{{- $_ := set $values "PET_NODE_RANK" (dict "valueFrom" (dict "fieldRef" (dict "fieldPath" "metadata.annotations['batch.kubernetes.io/job-completion-index']"))) -}}
{{- range $name, $value := $values -}}
{{- $current := get $env $name -}}
{{- if and (kindIs "map" $current) (hasKey $current "rendezvous") -}}
{{- $_ := set $env $name $value -}}
{{- end -}}
{{- end -}}
{{- end -}}
