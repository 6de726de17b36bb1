{{/* Write the accelerators of .group's pods into the resources of their containers, under the resource that a preset gives, and what comes along with them. .group.accelerators is what the main container has; from here on that is .mainAccelerators, and .accelerators what the pod has. */}}
{{- define "replica-group.accelerators" -}}
{{- $group := .group -}}
{{- $spec := $group.spec -}}
{{- $accelerator := get $spec "accelerator" | default dict -}}
{{- $resource := get $accelerator "resource" -}}
{{- $main := $group.accelerators -}}
{{- $_ := set $group "mainAccelerators" $main -}}
{{- $pod := dict "containers" (list (dict "of" $spec "name" "accelerators" "path" "" "count" $main)) -}}
{{- if or (hasKey $spec "init") (hasKey $spec "sidecars") -}}
{{- template "replica-group.accelerators.beside" (dict "group" $group "pod" $pod) -}}
{{- end -}}
{{- if and (eq $main 0) $spec.resources (concat $group.presets $group.skippedPresets) -}}
{{- template "replica-group.accelerators.raw" (dict "group" $group "resources" $spec.resources "path" "") -}}
{{- end -}}
{{- if get $accelerator "claim" -}}
{{- template "replica-group.accelerator-claim" (dict "group" $group "operation" .operation "containers" $pod.containers) -}}
{{- else if gt $group.accelerators 0 -}}
{{- range $container := $pod.containers -}}
{{- if gt $container.count 0 -}}
{{- $at := printf "groups.%s%s" $group.name (print "." $container.path | trimSuffix ".") -}}
{{- if not $resource -}}
{{- fail (printf "%s: accelerators is %d, but no preset says of which resource; list one under presets whose accelerator.resource or accelerator.claim is set" $at $container.count) -}}
{{- end -}}
{{- if not (include "replica-group.devices.extended" $resource) -}}
{{- fail (printf "groups.%s: accelerator.resource %q of its preset is no extended resource, which is a domain, / and a name, as in nvidia.com/gpu" $group.name $resource) -}}
{{- end -}}
{{- template "replica-group.devices.write" (dict "group" $group "container" $container "resource" $resource "amount" $container.count "why" (printf "accelerators is %d" $container.count)) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- if hasKey $spec "devices" -}}
{{- template "replica-group.devices" (dict "group" $group "containers" $pod.containers "accelerator" $resource) -}}
{{- end -}}
{{- if hasKey $spec "networks" -}}
{{- template "replica-group.networks" $group -}}
{{- end -}}
{{- if $resource -}}
{{- $_ := set $group "accelerator" (dict "resource" $resource "model" (get $accelerator "model" | default "")) -}}
{{- end -}}
{{- if hasKey $group "accelerator" -}}
{{- $_ := set $group "accelerator" (merge $group.accelerator (pick $accelerator "perNode" "topology")) -}}
{{- end -}}
{{- if get $accelerator "perNode" -}}
{{- template "replica-group.node" $group -}}
{{- end -}}
{{- with $spec.resources -}}
{{- template "replica-group.resources" (dict "resources" . "at" (printf "groups.%s.resources" $group.name)) -}}
{{- $_ := set $spec.container "resources" . -}}
{{- end -}}
{{- end -}}

{{/* Add to .pod.containers the init containers and sidecars of .group that have accelerators, and let .group.accelerators be what a node must have for the pod: for all that run together, or for one that starts before, with the sidecars that run by then. */}}
{{- define "replica-group.accelerators.beside" -}}
{{- $group := .group -}}
{{- $most := $group.accelerators -}}
{{- $starting := dict -}}
{{- range $field := list "init" "sidecars" -}}
{{- $entries := get $group.spec $field | default dict -}}
{{- range $index, $name := get $entries "@order" | default list -}}
{{- $entry := get $entries $name | default dict -}}
{{- $count := get $entry "accelerators" | int64 -}}
{{- $path := printf "%s.%s." $field $name -}}
{{- if gt $count 0 -}}
{{- $_ := set $.pod "containers" (append $.pod.containers (dict "of" $entry "name" (print "accelerators-" $name) "path" $path "count" $count)) -}}
{{- $most = ternary (add $most $count) $most (eq $field "sidecars") -}}
{{- if or (eq $field "init") (ne (get $entry "native" | toString) "false") -}}
{{- $_ := set $starting (printf "%04d/%s/%04d" (get $entry "order" | default 0 | int64 | add 1000) $field $index) $count -}}
{{- end -}}
{{- else if and (get $entry "resources") (concat $group.presets $group.skippedPresets) -}}
{{- template "replica-group.accelerators.raw" (dict "group" $group "resources" $entry.resources "path" $path) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- $beside := 0 -}}
{{- range $place, $count := $starting -}}
{{- $most = max $most (add $beside $count) -}}
{{- $beside = ternary (add $beside $count) $beside (contains "/sidecars/" $place) -}}
{{- end -}}
{{- $_ := set $group "accelerators" $most -}}
{{- end -}}
