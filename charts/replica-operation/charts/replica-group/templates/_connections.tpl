{{/* Put what the connections of .group give into .group.connected, layers between the chart and `defaults`. Groups that say nothing about it themselves, and have the same presets, share it. */}}
{{- define "replica-group.connections" -}}
{{- $found := .operation.connectionsOnly.found -}}
{{- $key := join "," .group.presets -}}
{{- $own := pick .values "connections" "init" "sidecars" "unset" -}}
{{- range $layer := get .group "over" | default list -}}
{{- if pick $layer.from "connections" "init" "sidecars" "unset" -}}
{{- $_ := set $own "over" true -}}
{{- end -}}
{{- end -}}
{{- if or $own (not (hasKey $found $key)) -}}
{{- template "replica-group.connections.use" . -}}
{{- if not $own -}}
{{- $_ := set $found $key (get .group "connected") -}}
{{- end -}}
{{- else if get $found $key -}}
{{- $_ := set .group "connected" (get $found $key) -}}
{{- end -}}
{{- end -}}

{{/* Print "true" where a layer of .group lists connections or has containers that may. */}}
{{- define "replica-group.connections.some" -}}
{{- $layers := list .values .operation.connectionsOnly.defaults -}}
{{- range $layer := get .group "over" | default list -}}
{{- $layers = append $layers $layer.from -}}
{{- end -}}
{{- range $name := .group.presets -}}
{{- $layers = append $layers (get $.operation.connectionsOnly.presets $name) -}}
{{- end -}}
{{- range $layer := $layers -}}
{{- if pick $layer "connections" "init" "sidecars" }}true{{ end -}}
{{- end -}}
{{- end -}}

{{/* Fill .into with the lists `connections`, `init` and `sidecars` as the layers compose them, over the layers .connected. */}}
{{- define "replica-group.connections.find" -}}
{{- $shadow := dict "name" .group.name "presets" .group.presets "traced" false -}}
{{- if .connected -}}
{{- $_ := set $shadow "connected" (dict "layers" .connected "seeds" dict "key" (toJson .into.connections)) -}}
{{- end -}}
{{- $values := pick .values "connections" "init" "sidecars" "unset" -}}
{{- $over := list -}}
{{- range $layer := get .group "over" | default list -}}
{{- $over = append $over (set (omit $layer "from") "from" (pick $layer.from "connections" "init" "sidecars" "unset")) -}}
{{- end -}}
{{- $_ := set $shadow "over" $over -}}
{{- template "replica-group.layers" (dict "group" $shadow "values" $values "operation" .operation.connectionsOnly) -}}
{{- template "replica-group.keyed.lists" (dict "node" $shadow.spec "shape" .operation.shape "path" (printf "groups.%s." .group.name)) -}}
{{- range $field := list "connections" "init" "sidecars" -}}
{{- $_ := set $.into $field (get $shadow.spec $field | default list) -}}
{{- end -}}
{{- end -}}

{{/* Refuse the name of a connection that nobody defined. */}}
{{- define "replica-group.connections.known" -}}
{{- if not (hasKey .operation.connections .name) -}}
{{- template "replica-group.unknown" (dict "at" .at "what" "is no connection" "name" .name "known" (keys .operation.connections) "otherwise" "define it under connections") -}}
{{- end -}}
{{- end -}}
