{{/* Lay all layers over .group.spec, lowest first: chart, defaults, isnull and pre_merge presets, the group, post_merge and replace presets. */}}
{{- define "replica-group.layers" -}}
{{- $layers := list -}}
{{- $after := list -}}
{{- $taken := dict -}}
{{- template "replica-group.layers.take" (dict "into" $taken "from" .operation.defaults) -}}
{{- template "replica-group.layers.take" (dict "into" $taken "from" .values) -}}
{{- range $name := .group.presets -}}
{{- $from := get $.operation.presets $name -}}
{{- $strategy := get $from "patchStrategy" | default "pre_merge" -}}
{{- $layer := dict "layer" (print "presets." $name) "from" $from "strategy" $strategy -}}
{{- if ne $strategy "isnull" -}}
{{- template "replica-group.layers.take" (dict "into" $taken "from" $from) -}}
{{- end -}}
{{- if or (eq $strategy "post_merge") (eq $strategy "replace") -}}
{{- $after = append $after $layer -}}
{{- else -}}
{{- $layers = append $layers $layer -}}
{{- end -}}
{{- end -}}
{{- $layers = prepend $layers (dict "layer" "defaults" "from" .operation.defaults "strategy" "") -}}
{{- $layers = append $layers (dict "layer" (print "groups." .group.name) "from" .values "strategy" "") -}}
{{- if eq .operation.kind "job" -}}
{{- $env := dict -}}
{{- template "replica-group.rendezvous.names" (dict "into" $env) -}}
{{- $_ := set .group "builtin" (dict "container" (dict "env" $env)) -}}
{{- $layers = prepend $layers (dict "layer" "chart" "from" .group.builtin "strategy" "") -}}
{{- end -}}
{{- range $layer := concat $layers $after -}}
{{- template "replica-group.layers.apply" (dict "layer" $layer "group" $.group "shape" $.operation.shape "taken" $taken) -}}
{{- end -}}
{{- end -}}

{{/* Note in .into the fields that .from sets; a command counts as `cmd`. */}}
{{- define "replica-group.layers.take" -}}
{{- $container := get .from "container" | default dict -}}
{{- if and (hasKey $container "command") (not (kindIs "invalid" $container.command)) -}}
{{- $_ := set .into "cmd" true -}}
{{- end -}}
{{- range $field, $value := .from -}}
{{- if not (kindIs "invalid" $value) -}}
{{- $_ := set $.into $field true -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* Apply one layer to .group.spec: first its `unset`, then what its strategy clears, then its fields. */}}
{{- define "replica-group.layers.apply" -}}
{{- $from := omit .layer.from "presets" "unset" "patchStrategy" -}}
{{- $spec := .group.spec -}}
{{- $walk := dict "layer" .layer.layer "trace" .group.trace "traced" .group.traced -}}
{{- range $path := get .layer.from "unset" | default list -}}
{{- template "replica-group.layers.unset" (dict "path" $path "spec" $spec "walk" $walk) -}}
{{- end -}}
{{- if eq .layer.strategy "isnull" -}}
{{- if and (hasKey .taken "cmd") (get $from "container") -}}
{{- $_ := set $from "container" (omit $from.container "command") -}}
{{- end -}}
{{- range $field := keys $from -}}
{{- if hasKey $.taken $field -}}
{{- $_ := unset $from $field -}}
{{- end -}}
{{- end -}}
{{- template "replica-group.layers.take" (dict "into" .taken "from" $from) -}}
{{- end -}}
{{- template "replica-group.layers.command" (dict "from" $from "spec" $spec "walk" $walk) -}}
{{- if eq .layer.strategy "replace" -}}
{{- range $field := keys $from -}}
{{- $_ := unset $spec $field -}}
{{- template "replica-group.trace.forget" (dict "walk" $walk "path" $field) -}}
{{- end -}}
{{- if hasKey $from "container" -}}
{{- template "replica-group.merge" (dict "into" $spec "from" .group.builtin "at" "" "shape" .shape "walk" (set (omit $walk "layer") "layer" "chart")) -}}
{{- end -}}
{{- end -}}
{{- template "replica-group.merge" (dict "into" $spec "from" $from "at" "" "shape" .shape "walk" $walk) -}}
{{- end -}}

{{/* Delete what the path of an `unset` names; a path that begins with no field of a group is refused. */}}
{{- define "replica-group.layers.unset" -}}
{{- $fields := include "replica-group.fields" . | splitList " " -}}
{{- if not (has (splitList "." .path | first) $fields) -}}
{{- fail (printf "%s.unset: %q begins with no field of a group; a path begins with one of %s" .walk.layer .path (join ", " $fields)) -}}
{{- end -}}
{{- template "replica-group.unset" (dict "into" .spec "path" .path) -}}
{{- template "replica-group.trace.forget" (dict "walk" .walk "path" .path) -}}
{{- end -}}
