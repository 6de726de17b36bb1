{{/* Give the init containers of .operation that wait for a group what they run, and note for whom: .waitsFor of each group, by where it is said; NAME@start where only its start is waited for. The seconds that they may take, one after the other, are added to .waiting of the group or its leader. */}}
{{- define "replica-operation.waits" -}}
{{- range $name, $group := .operation.groups -}}
{{- $found := dict -}}
{{- $parts := list $group -}}
{{- if get $group "leaders" -}}
{{- $parts = append $parts $group.leader -}}
{{- end -}}
{{- range $part := $parts -}}
{{- range $wait := get $part "waits" | default list -}}
{{- template "replica-operation.wait" (dict "wait" $wait "name" $name "operation" $.operation "found" $found) -}}
{{- $_ := set $part "waiting" (add (get $part "waiting" | int64) $wait.seconds) -}}
{{- end -}}
{{- end -}}
{{- $_ := set $group "waitsFor" $found -}}
{{- end -}}
{{- end -}}

{{/* The same for one .wait of the group .name; noted in .found. */}}
{{- define "replica-operation.wait" -}}
{{- $asked := .wait.asked -}}
{{- $at := .wait.at -}}
{{- $groups := .operation.groups -}}
{{- $whom := get $asked "group" -}}
{{- if not $whom -}}
{{- fail (printf "%s.group: missing; say for which group it waits" $at) -}}
{{- end -}}
{{- if not (hasKey $groups $whom) -}}
{{- template "replica-group.unknown" (dict "at" (print $at ".group") "what" "is no group" "name" $whom "known" (without (keys $groups) .name)) -}}
{{- end -}}
{{- if eq $whom .name -}}
{{- fail (printf "%s.group: %q is the group itself, which would wait for ever; name another" $at $whom) -}}
{{- end -}}
{{- $as := get $asked "as" | default "service" -}}
{{- if not (has $as (list "first" "service")) -}}
{{- fail (printf "%s.as: %q; allowed: first, service" $at $as) -}}
{{- end -}}
{{- $target := get $groups $whom -}}
{{- $reference := dict "as" $as "port" (get $asked "port") -}}
{{- $number := include "replica-operation.reference.number" (dict "target" $target "reference" $reference "at" $at) -}}
{{- range $port := get $target "ports" | default list -}}
{{- if and (eq $number (int64 $port.containerPort | toString)) (ne (get $port "protocol" | default "TCP") "TCP") -}}
{{- fail (printf "%s.port: %q of the group %q is %s, and only a port of TCP says that somebody answers; name another" $at $port.name $whom $port.protocol) -}}
{{- end -}}
{{- end -}}
{{- $hosts := dict "values" list "groups" (list $target) -}}
{{- $walk := dict "target" $target "reference" (pick $reference "as") "at" $at "into" $hosts "number" $number -}}
{{- if eq $as "service" -}}
{{- template "replica-operation.reference.offered" $walk -}}
{{- end -}}
{{- include (print "replica-operation.reference." $as) $walk -}}
{{- $seconds := 600 -}}
{{- if hasKey $asked "timeout" -}}
{{- $seconds = include "replica-group.seconds" (dict "value" $asked.timeout "at" (print $at ".timeout")) | int64 -}}
{{- end -}}
{{- $_ := set .wait "seconds" $seconds -}}
{{- $script := include "replica-group.wait.script" . -}}
{{- $_ := set .wait.container "command" (list "sh" "-c" $script "wait" (first $hosts.values) $number (toString $seconds)) -}}
{{- $_ := set .wait.container "terminationMessagePolicy" "FallbackToLogsOnError" -}}
{{- $_ := set .found (ternary (print $whom "@start") $whom (eq $as "first")) $at -}}
{{- end -}}
