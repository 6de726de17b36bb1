{{/* Let `cmd` take the place of the command and args of lower layers, and a command that of a lower `cmd`, also where they are empty. */}}
{{- define "replica-group.layers.command" -}}
{{- $container := get .from "container" | default dict -}}
{{- $spec := get .spec "container" | default dict -}}
{{- if and (get .from "cmd") (get $container "command") -}}
{{- fail (printf "%s: cmd and container.command both say what runs; keep one" .walk.layer) -}}
{{- end -}}
{{- if and (hasKey .from "cmd") (not (kindIs "invalid" .from.cmd)) -}}
{{- range $field := list "command" "args" -}}
{{- $_ := unset $spec $field -}}
{{- template "replica-group.trace.forget" (dict "walk" $.walk "path" (print "container." $field)) -}}
{{- end -}}
{{- end -}}
{{- if and (hasKey $container "command") (not (kindIs "invalid" $container.command)) -}}
{{- $_ := unset .spec "cmd" -}}
{{- template "replica-group.trace.forget" (dict "walk" .walk "path" "cmd") -}}
{{- end -}}
{{- end -}}

{{/* Settle what the container runs: cmd becomes its command, extraArgs follow its args. */}}
{{- define "replica-group.command" -}}
{{- $container := .group.spec.container -}}
{{- $cmd := get .group.spec "cmd" -}}
{{- $args := concat (get $container "args" | default list) (get $container "extraArgs" | default list) -}}
{{- if and $cmd (kindIs "string" $cmd) -}}
{{- if $args -}}
{{- fail (printf "groups.%s.cmd: a shell line takes no args, and container.args or extraArgs give %s; write them into the line, or cmd as a list" .group.name (toJson $args)) -}}
{{- end -}}
{{- $cmd = list "sh" "-c" $cmd -}}
{{- end -}}
{{- $command := $cmd | default (get $container "command") -}}
{{- range $field := list "command" "args" "extraArgs" -}}
{{- $_ := unset $container $field -}}
{{- end -}}
{{- if $command -}}
{{- $_ := set $container "command" $command -}}
{{- end -}}
{{- if $args -}}
{{- $_ := set $container "args" $args -}}
{{- end -}}
{{- if not (get $container "image") -}}
{{- fail (printf "groups.%s.container.image: no layer gives an image; set it here or under defaults.container" .group.name) -}}
{{- end -}}
{{- $_ := set $container "name" "main" -}}
{{- end -}}
