{{/* Write the accelerators of a pod into the main container's resources, under the resource that a preset gives. */}}
{{- define "replica-group.accelerators" -}}
{{- $group := .group -}}
{{- $accelerator := get $group.spec "accelerator" | default dict -}}
{{- $resource := get $accelerator "resource" -}}
{{- $count := $group.accelerators -}}
{{- if get $accelerator "claim" -}}
{{- template "replica-group.accelerator-claim" . -}}
{{- else if gt $count 0 -}}
{{- if not $resource -}}
{{- fail (printf "groups.%s: accelerators is %d, but no preset says of which resource; list one under presets whose accelerator.resource or accelerator.claim is set" $group.name $count) -}}
{{- end -}}
{{- if not (regexMatch "^[a-z0-9]([-.a-z0-9]*[a-z0-9])?/[A-Za-z0-9]([-._A-Za-z0-9]*[A-Za-z0-9])?$" $resource) -}}
{{- fail (printf "groups.%s: accelerator.resource %q of its preset is no extended resource, which is a domain, / and a name, as in nvidia.com/gpu" $group.name $resource) -}}
{{- end -}}
{{- range $side := list "limits" "requests" -}}
{{- if not (kindIs "map" (get $group.spec.resources $side)) -}}
{{- $_ := set $group.spec.resources $side dict -}}
{{- end -}}
{{- $written := get $group.spec.resources $side -}}
{{- if and (hasKey $written $resource) (ne (get $written $resource | toString) (toString $count)) -}}
{{- fail (printf "groups.%s.resources.%s: %s is %v, but accelerators is %d; leave the resource out" $group.name $side $resource (get $written $resource) $count) -}}
{{- end -}}
{{- $_ := set $written $resource $count -}}
{{- template "replica-group.explained.chart" (dict "group" $group "path" (printf "resources.%s.%s" $side $resource)) -}}
{{- end -}}
{{- else if and $group.spec.resources (concat $group.presets $group.skippedPresets) -}}
{{- template "replica-group.accelerators.raw" $group -}}
{{- end -}}
{{- if $resource -}}
{{- $_ := set $group "accelerator" (dict "resource" $resource "model" (get $accelerator "model" | default "")) -}}
{{- end -}}
{{- with $group.spec.resources -}}
{{- template "replica-group.resources" (dict "resources" . "at" (printf "groups.%s.resources" $group.name)) -}}
{{- $_ := set $group.spec.container "resources" . -}}
{{- end -}}
{{- end -}}

{{/* Refuse accelerators of one of the group's presets that are written as a resource: nothing else would know of them. Entered where accelerators is 0. */}}
{{- define "replica-group.accelerators.raw" -}}
{{- $group := . -}}
{{- range $name := concat .presets .skippedPresets -}}
{{- $resource := get (get (get $group.operation.presets $name) "accelerator" | default dict) "resource" | default "" -}}
{{- range $side := ternary (list "limits" "requests") list (ne $resource "") -}}
{{- $amount := get (get $group.spec.resources $side | default dict) $resource | toString -}}
{{- if not (has $amount (list "" "0")) -}}
{{- fail (printf "groups.%s.resources.%s: %s is %s, which preset %q has as its accelerator, but accelerators is 0; set `accelerators: %s` instead" $group.name $side $resource $amount $name $amount) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}
