{{/* Find which connections .group, its init containers and its sidecars use, and what these give: fills .group.connected. */}}
{{- define "replica-group.connections.use" -}}
{{- $group := .group -}}
{{- $operation := .operation -}}
{{- $at := print "groups." $group.name -}}
{{- $found := dict -}}
{{- template "replica-group.connections.find" (dict "into" $found "group" $group "values" .values "operation" $operation "connected" list) -}}
{{- template "replica-group.connections.named" (dict "values" .values "at" (trimSuffix ".leader" $at) "operation" $operation) -}}
{{- range $layer := get $group "over" | default list -}}
{{- template "replica-group.connections.named" (dict "values" $layer.from "at" $layer.layer "operation" $operation) -}}
{{- end -}}
{{- $first := list -}}
{{- $brought := dict -}}
{{- range $name := $found.connections -}}
{{- template "replica-group.connections.known" (dict "name" $name "at" (print $at ".connections") "operation" $operation) -}}
{{- with get (get $operation.connections $name) "init" -}}
{{- range $container := keys . | sortAlpha -}}
{{- if hasKey $brought $container -}}
{{- fail (printf "%s.connections: %q and %q both bring an init container %q; give one another name" $at (get $brought $container) $name $container) -}}
{{- end -}}
{{- $_ := set $brought $container $name -}}
{{- end -}}
{{- $first = append $first (dict "layer" (print "connections." $name) "from" (dict "init" .) "strategy" "") -}}
{{- end -}}
{{- end -}}
{{- if $first -}}
{{- template "replica-group.connections.find" (dict "into" $found "group" $group "values" .values "operation" $operation "connected" $first) -}}
{{- end -}}
{{- $used := dict "layers" list "names" list "accounts" dict "paths" dict "seeds" dict "listed" $found.connections "key" (list $found.connections) -}}
{{- range $name := $found.connections -}}
{{- template "replica-group.connections.add" (dict "used" $used "name" $name "field" "" "at" $at "operation" $operation) -}}
{{- end -}}
{{- range $field := list "init" "sidecars" -}}
{{- template "replica-group.connections.containers" (dict "used" $used "field" $field "containers" (get $found $field) "at" $at "operation" $operation) -}}
{{- end -}}
{{- if $used.names -}}
{{- template "replica-group.connections.account" $used -}}
{{- $_ := set $used "key" (toJson $used.key) -}}
{{- $_ := set $group "connected" $used -}}
{{- end -}}
{{- end -}}

{{/* Add to .used the connections of the containers of one field, and, where there are any, the order of all its containers, which the layers of connections would change. */}}
{{- define "replica-group.connections.containers" -}}
{{- $seed := dict -}}
{{- $order := list -}}
{{- $some := false -}}
{{- range $container := .containers -}}
{{- $order = append $order $container.name -}}
{{- $_ := set $seed $container.name nil -}}
{{- $at := printf "%s.%s.%s" $.at $.field $container.name -}}
{{- range $name := get $container "connections" | default list -}}
{{- $some = true -}}
{{- template "replica-group.connections.known" (dict "name" $name "at" (print $at ".connections") "operation" $.operation) -}}
{{- template "replica-group.connections.add" (dict "used" $.used "name" $name "field" $.field "container" $container.name "at" $at "operation" $.operation) -}}
{{- $_ := set $.used "key" (append $.used.key (list $.field $container.name $name)) -}}
{{- end -}}
{{- end -}}
{{- if $some -}}
{{- $_ := set .used.seeds .field (set $seed "@order" $order) -}}
{{- $_ := set .used "key" (append .used.key $order) -}}
{{- end -}}
{{- end -}}

{{/* Refuse names that nobody defined also where .values, a group, takes them away. */}}
{{- define "replica-group.connections.named" -}}
{{- $maps := dict (print .at ".connections") (get .values "connections") -}}
{{- range $field := list "init" "sidecars" -}}
{{- range $name, $container := get $.values $field | default dict -}}
{{- if and (kindIs "map" $container) (kindIs "string" $name) -}}
{{- $_ := set $maps (printf "%s.%s.%s.connections" $.at $field $name) (get $container "connections") -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- range $at, $names := $maps -}}
{{- if kindIs "map" $names -}}
{{- range $name := keys $names | sortAlpha -}}
{{- template "replica-group.connections.known" (dict "name" $name "at" $at "operation" $.operation) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}
