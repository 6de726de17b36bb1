{{/* Put what groups refer to into their environment and arguments, once all groups of .operation are composed. Of those that are rolled out together first what no count and no revision tells, since that makes their revision. Entered where the values refer to anything. */}}
{{- define "replica-operation.wiring" -}}
{{- range $name, $group := .operation.groups -}}
{{- $_ := set $group "reads" dict -}}
{{- end -}}
{{- $sets := dict -}}
{{- template "replica-operation.coordinated" (dict "operation" .operation "into" $sets) -}}
{{- range $name, $group := .operation.groups -}}
{{- template "replica-operation.wiring.pods" (dict "group" $group "operation" $.operation "whole" true) -}}
{{- end -}}
{{- template "replica-operation.coordinated.kept" (dict "operation" .operation "sets" $sets) -}}
{{- end -}}

{{/* The same for the pods of one .group; leader and workers each know the ports of their own. Not .whole: only what no count and no revision tells. */}}
{{- define "replica-operation.wiring.pods" -}}
{{- $group := .group -}}
{{- if get $group "leaders" -}}
{{- $_ := set (set $group.leader "reads" $group.reads) "servedBy" (get $group "servedBy") -}}
{{- template "replica-operation.wiring.group" (dict "group" $group.leader "operation" .operation "whole" .whole) -}}
{{- $workers := omit $group "ports" "agreed" -}}
{{- template "replica-group.ports" $workers -}}
{{- $group = $workers -}}
{{- end -}}
{{- template "replica-operation.wiring.group" (dict "group" $group "operation" .operation "whole" .whole) -}}
{{- end -}}

{{/* The same for the containers of one .group. */}}
{{- define "replica-operation.wiring.group" -}}
{{- $group := .group -}}
{{- $at := print "groups." $group.name -}}
{{- $walk := pick . "group" "operation" "whole" -}}
{{- template "replica-operation.wiring.container" (merge (dict "container" $group.spec.container "at" (print $at ".container")) $walk) -}}
{{- range $container := get $group "initContainers" | default list -}}
{{- $field := ternary "sidecars" "init" (hasKey $container "restartPolicy") -}}
{{- template "replica-operation.wiring.container" (merge (dict "container" $container "at" (printf "%s.%s.%s" $at $field $container.name)) $walk) -}}
{{- end -}}
{{- range $container := get $group "sidecars" | default list -}}
{{- template "replica-operation.wiring.container" (merge (dict "container" $container "at" (printf "%s.sidecars.%s" $at $container.name)) $walk) -}}
{{- end -}}
{{- end -}}

{{/* The same for one .container. .at names it. */}}
{{- define "replica-operation.wiring.container" -}}
{{- $walk := omit . "container" -}}
{{- $later := ternary list (list "count" "hosts" "labels" "pods" "selector" "urls") .whole -}}
{{- range $field, $arguments := pick .container "args" "command" -}}
{{- $read := dict "arguments" list -}}
{{- range $argument := $arguments -}}
{{- if and (kindIs "map" $argument) (not (has (get $argument "as") $later)) -}}
{{- template "replica-operation.wiring.argument" (merge (dict "into" $read "reference" $argument "at" (ternary (printf "%s.cmd" (trimSuffix ".container" $.at)) (printf "%s.args" $.at) (eq $field "command"))) $walk) -}}
{{- else -}}
{{- $_ := set $read "arguments" (append $read.arguments $argument) -}}
{{- end -}}
{{- end -}}
{{- $_ := set $.container $field $read.arguments -}}
{{- end -}}
{{- $env := get .container "env" | default dict -}}
{{- range $name, $entry := omit $env "@order" -}}
{{- if and (kindIs "map" $entry) (not (has (get $entry "as") $later)) (include "replica-group.any.key" (dict "map" $entry "keys" (list "fromGroup" "fromRole" "fromPort"))) -}}
{{- $read := merge (dict "reference" $entry "at" (printf "%s.env.%s" $.at $name)) $walk -}}
{{- if eq (get $entry "as") "labels" -}}
{{- fail (printf "%s.as: labels, which are an argument each, but a variable has one value; write as: selector" $read.at) -}}
{{- end -}}
{{- template "replica-operation.reference" $read -}}
{{- $_ := set $env $name $read.text -}}
{{- if $.group.traced -}}
{{- template "replica-operation.wiring.told" $read -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* Append to .into.arguments what .reference, an entry of a list, stands for: labels one by one, and several values where it says so; all else as one argument, joined to its flag. */}}
{{- define "replica-operation.wiring.argument" -}}
{{- template "replica-operation.reference" . -}}
{{- $flag := get .reference "flag" | default "" -}}
{{- if hasSuffix "=" $flag -}}
{{- fail (printf "%s.flag: %q; leave the = out, which the chart puts there" .at $flag) -}}
{{- end -}}
{{- $found := list (ternary (printf "%s=%s" $flag .text) .text (ne $flag "")) -}}
{{- if eq (get .reference "as") "labels" -}}
{{- $found = concat (ternary (list $flag) list (ne $flag "")) .values -}}
{{- else if eq (get .reference "repeat" | toString) "true" -}}
{{- with get .reference "separator" -}}
{{- fail (printf "%s: repeat with separator %q, but each value is an argument of its own; leave one of them out" $.at .) -}}
{{- end -}}
{{- $found = list -}}
{{- range $value := .values -}}
{{- $found = append $found (ternary (printf "%s=%s" $flag $value) $value (ne $flag "")) -}}
{{- end -}}
{{- end -}}
{{- $_ := set .into "arguments" (concat .into.arguments $found) -}}
{{- end -}}
