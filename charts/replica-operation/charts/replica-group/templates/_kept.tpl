{{/* Give .on.spec back what connections give to a container, where the `unset` of .from, a layer, deletes it with all that stands beside it; only null or `unset` at a mount or a variable itself takes that away. */}}
{{- define "replica-group.connections.unset" -}}
{{- range $path := get .from "unset" | default list -}}
{{- if regexMatch `^(container|(init|sidecars)(\.[^.]+)?)(\.(env|envFrom|volumeMounts|volumeDevices))?$` $path -}}
{{- template "replica-group.connections.back" (dict "keys" (splitList "." $path) "on" $.on "operation" $.operation "traced" $.traced) -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* The same, where a null of .from does. */}}
{{- define "replica-group.connections.nulls" -}}
{{- range $field, $value := pick .from "container" "init" "sidecars" -}}
{{- if or (kindIs "invalid" $value) (eq $field "container") -}}
{{- template "replica-group.connections.null" (dict "keys" (list $field) "value" $value "on" $.on "operation" $.operation "traced" $.traced) -}}
{{- else -}}
{{- range $name, $entry := $value -}}
{{- if kindIs "slice" $value -}}
{{- $name = get $entry "name" -}}
{{- end -}}
{{- template "replica-group.connections.null" (dict "keys" (list $field $name) "value" $entry "on" $.on "operation" $.operation "traced" $.traced) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* The same for one container, which stands under .keys: .value is null, or has lists that are. */}}
{{- define "replica-group.connections.null" -}}
{{- $walk := pick . "on" "operation" "traced" -}}
{{- if kindIs "invalid" .value -}}
{{- template "replica-group.connections.back" (set $walk "keys" .keys) -}}
{{- else -}}
{{- range $list, $value := pick .value "env" "envFrom" "volumeMounts" "volumeDevices" -}}
{{- if kindIs "invalid" $value -}}
{{- template "replica-group.connections.back" (set $walk "keys" (append $.keys $list)) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* Lay what connections give under the path .keys over .on.spec, which lost it: what they give to containers, or, with .whole, all. */}}
{{- define "replica-group.connections.back" -}}
{{- $field := first .keys -}}
{{- if and (eq (len .keys) 1) (hasKey .on.connected.seeds $field) -}}
{{- $_ := set .on.spec $field (deepCopy (get .on.connected.seeds $field)) -}}
{{- end -}}
{{- range $layer := .on.connected.layers -}}
{{- if or (hasKey $ "whole") (eq $field (get $layer "field" | default "")) -}}
{{- $back := $layer.from -}}
{{- range $key := $.keys -}}
{{- $back = get ($back | default dict) $key -}}
{{- end -}}
{{- if $back -}}
{{- range $key := reverse $.keys -}}
{{- $back = dict $key $back -}}
{{- end -}}
{{- $walk := dict "layer" $layer.layer "trace" $.on.trace "traced" $.traced -}}
{{- template "replica-group.merge" (dict "into" $.on.spec "from" $back "at" "" "shape" $.operation.shape "walk" $walk) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}
