{{/* Let `cmd` take the place of the command and args of lower layers, and a command that of a lower `cmd`, also where they are empty. A layer that only .fills takes nothing away. */}}
{{- define "replica-group.layers.command" -}}
{{- $container := get .from "container" | default dict -}}
{{- $spec := get .spec "container" | default dict -}}
{{- if and (get .from "cmd") (get $container "command") -}}
{{- fail (printf "%s: cmd and container.command both say what runs; keep one" .walk.layer) -}}
{{- end -}}
{{- if and (hasKey .from "cmd") (not (kindIs "invalid" .from.cmd)) (not .fills) -}}
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

{{/* Settle what the main container runs. */}}
{{- define "replica-group.command" -}}
{{- $container := .group.spec.container -}}
{{- $at := print "groups." .group.name -}}
{{- $from := merge (pick .group.spec "cmd") (pick $container "command" "args" "extraArgs") -}}
{{- range $field := list "command" "args" "extraArgs" -}}
{{- $_ := unset $container $field -}}
{{- end -}}
{{- template "replica-group.command.settle" (dict "into" $container "from" $from "at" $at "args" "container.args") -}}
{{- template "replica-group.require.env-from" (dict "container" $container "at" (print $at ".container")) -}}
{{- if not (get $container "image") -}}
{{- template "replica-group.command.replaced" . -}}
{{- $meant := "" -}}
{{- if not (hasKey .values "container") -}}
{{- $meant = include "replica-group.nearest" (dict "name" .group.name "known" (without .operation.names .group.name)) -}}
{{- end -}}
{{- fail (printf "%s.container.image: no layer gives an image%s; set it here or under defaults.container" $at (ternary "" (printf " to this group%s" $meant) (eq $meant ""))) -}}
{{- end -}}
{{- $_ := set $container "name" "main" -}}
{{- end -}}

{{/* Refuse a preset that puts a container without image in place of the one of .group, whoever gave it one. */}}
{{- define "replica-group.command.replaced" -}}
{{- range $name := .group.presets -}}
{{- $preset := get $.operation.presets $name -}}
{{- if and (eq (get $preset "patchStrategy" | toString) "replace") (get $preset "container") -}}
{{- fail (printf "presets.%s.container: patchStrategy replace puts it in place of the whole container of groups.%s, image and all, and it has none; make the preset post_merge" $name $.group.name) -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* Put what a container runs into .into: cmd of .from becomes its command, extraArgs follow its args, which .args names. */}}
{{- define "replica-group.command.settle" -}}
{{- $cmd := get .from "cmd" -}}
{{- $args := concat (get .from "args" | default list) (get .from "extraArgs" | default list) -}}
{{- if and $cmd (get .from "command") -}}
{{- fail (printf "%s: cmd and command both say what runs; keep one" .at) -}}
{{- end -}}
{{- if and $cmd (kindIs "string" $cmd) -}}
{{- if $args -}}
{{- fail (printf "%s.cmd: a shell line takes no args, and %s or extraArgs give %s; write them into the line, or cmd as a list" .at .args (toJson $args)) -}}
{{- end -}}
{{- $cmd = list "sh" "-c" $cmd -}}
{{- end -}}
{{- with $cmd | default (get .from "command") -}}
{{- $_ := set $.into "command" . -}}
{{- end -}}
{{- if $args -}}
{{- $_ := set .into "args" $args -}}
{{- end -}}
{{- end -}}
