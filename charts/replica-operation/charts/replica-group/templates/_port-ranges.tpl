{{/* Write the ports of all containers of .spec, which stands at .at, as Kubernetes has them. */}}
{{- define "replica-group.ports.written" -}}
{{- template "replica-group.ports.expand" (dict "container" .spec.container "at" (print .at ".container")) -}}
{{- range $field := list "init" "sidecars" -}}
{{- range $container := get $.spec $field | default list -}}
{{- template "replica-group.ports.expand" (dict "container" $container "at" (printf "%s.%s.%s" $.at $field $container.name)) -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* The same for one container: `port` is short for containerPort, and `count` makes ports of numbers that follow each other, whose names end in theirs. */}}
{{- define "replica-group.ports.expand" -}}
{{- $ports := list -}}
{{- range $port := get .container "ports" | default list -}}
{{- $at := printf "%s.ports.%s" $.at $port.name -}}
{{- if and (hasKey $port "port") (hasKey $port "containerPort") -}}
{{- fail (printf "%s: port and containerPort both give its number; keep one" $at) -}}
{{- end -}}
{{- $one := omit $port "port" "count" -}}
{{- if hasKey $port "port" -}}
{{- $_ := set $one "containerPort" $port.port -}}
{{- end -}}
{{- if hasKey $port "count" -}}
{{- template "replica-group.ports.fit" (dict "port" $one "count" (int $port.count) "at" $at) -}}
{{- range $index := until (int $port.count) -}}
{{- $next := set (omit $one "name") "name" (printf "%s-%d" $one.name $index) -}}
{{- range $field, $number := pick $one "containerPort" "hostPort" -}}
{{- $_ := set $next $field (add $number $index) -}}
{{- end -}}
{{- $ports = append $ports $next -}}
{{- end -}}
{{- else -}}
{{- $ports = append $ports $one -}}
{{- end -}}
{{- end -}}
{{- if $ports -}}
{{- $_ := set .container "ports" $ports -}}
{{- end -}}
{{- end -}}

{{/* Refuse .count ports that begin with .port, at .at, where the last has a number or a name that no port may have. */}}
{{- define "replica-group.ports.fit" -}}
{{- $first := get .port "containerPort" | int64 -}}
{{- $last := add $first .count -1 -}}
{{- if gt $last 65535 -}}
{{- fail (printf "%s: %d ports from %d on end at %d, and 65535 is the last; begin lower" .at .count $first $last) -}}
{{- end -}}
{{- $name := printf "%s-%d" .port.name (add .count -1) -}}
{{- if gt (len $name) 15 -}}
{{- fail (printf "%s: the last of %d ports would be called %q, which has %d characters, at most 15; choose a shorter name" .at .count $name (len $name)) -}}
{{- end -}}
{{- end -}}
