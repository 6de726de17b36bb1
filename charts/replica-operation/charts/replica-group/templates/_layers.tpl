{{/* Lay all layers over .group.spec, lowest first: chart, defaults, isnull and pre_merge presets, the group, post_merge and replace presets, and .group.over, those of a leader. */}}
{{- define "replica-group.layers" -}}
{{- $group := .group -}}
{{- $above := list -}}
{{- $isnull := false -}}
{{- range $name := $group.presets -}}
{{- $preset := get $.operation.presets $name -}}
{{- $strategy := get $preset "patchStrategy" -}}
{{- if has $strategy (list "post_merge" "replace") -}}
{{- $above = append $above (dict "layer" (print "presets." $name) "from" $preset "strategy" $strategy) -}}
{{- else if eq $strategy "isnull" -}}
{{- $isnull = true -}}
{{- end -}}
{{- end -}}
{{- $key := include "replica-group.layers.key" $group -}}
{{- $base := dict "spec" dict "trace" dict -}}
{{- if $isnull -}}
{{- template "replica-group.layers.base" (dict "base" $base "group" $group "operation" .operation "taken" dict "values" .values) -}}
{{- else if hasKey .operation.bases $key -}}
{{- $base = get .operation.bases $key -}}
{{- else -}}
{{- template "replica-group.layers.base" (dict "base" $base "group" $group "operation" .operation) -}}
{{- $_ := set .operation.bases $key $base -}}
{{- end -}}
{{- $_ := set $group "spec" (deepCopy $base.spec) -}}
{{- $_ := set $group "trace" (deepCopy $base.trace) -}}
{{- with get $base "leaders" -}}
{{- $_ := set $group "leaders" . -}}
{{- end -}}
{{- template "replica-group.layers.apply" (dict "layer" (print "groups." (trimSuffix ".leader" $group.name)) "from" .values "strategy" "" "on" $group "operation" .operation) -}}
{{- range $layer := concat $above (get $group "over" | default list) -}}
{{- template "replica-group.layers.apply" (set (set (omit $layer "") "on" $group) "operation" $.operation) -}}
{{- end -}}
{{- if hasKey $group.spec "init" -}}
{{- template "replica-group.wait.asked" . -}}
{{- end -}}
{{- end -}}

{{/* Print what a group's base depends on: its presets, and its connections. What lies under groups of one key is composed once, and kept in .operation.bases. */}}
{{- define "replica-group.layers.key" -}}
{{- join "," .presets -}}
{{- with get . "connected" -}}|{{ .key }}{{- end -}}
{{- end -}}

{{/* Lay what is under the group itself over .base. .taken and .values are there where a preset fills only what nobody else sets. */}}
{{- define "replica-group.layers.base" -}}
{{- $operation := .operation -}}
{{- template "replica-group.presets.agree" . -}}
{{- $layers := list (dict "layer" "defaults" "from" $operation.defaults "strategy" "") -}}
{{- with get .group "connected" -}}
{{- $layers = concat .layers $layers -}}
{{- $_ := set (set $.base "spec" (deepCopy .seeds)) "connected" . -}}
{{- end -}}
{{- with $operation.builtin -}}
{{- $layers = prepend $layers (dict "layer" "chart" "from" . "strategy" "") -}}
{{- end -}}
{{- if hasKey . "taken" -}}
{{- template "replica-group.layers.take" (dict "into" .taken "from" $operation.defaults) -}}
{{- template "replica-group.layers.take" (dict "into" .taken "from" .values) -}}
{{- end -}}
{{- range $name := .group.presets -}}
{{- $from := get $operation.presets $name -}}
{{- $strategy := get $from "patchStrategy" -}}
{{- if not (has $strategy (list "post_merge" "replace")) -}}
{{- $layers = append $layers (dict "layer" (print "presets." $name) "from" $from "strategy" $strategy) -}}
{{- end -}}
{{- if and (hasKey $ "taken") (ne $strategy "isnull") -}}
{{- template "replica-group.layers.take" (dict "into" $.taken "from" $from) -}}
{{- end -}}
{{- end -}}
{{- range $layer := $layers -}}
{{- $_ := set (set $layer "on" $.base) "taken" (get $ "taken") -}}
{{- template "replica-group.layers.apply" (set $layer "operation" $operation) -}}
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
