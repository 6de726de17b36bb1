{{/* Settle how the ready pods of a group are reached: refuses ports that it does not have, and what belongs to the chart. Entered where the field is given. */}}
{{- define "replica-group.expose" -}}
{{- $asked := .group.spec.expose -}}
{{- $at := printf "groups.%s.expose" .group.name -}}
{{- if not .group.ready -}}
{{- fail (printf "%s: given, but the group has no ports; name one under container.ports" $at) -}}
{{- end -}}
{{- with get $asked "port" -}}
{{- $known := list -}}
{{- range $port := $.group.ports -}}
{{- $known = append $known $port.name -}}
{{- end -}}
{{- if not (has . $known) -}}
{{- template "replica-group.unknown" (dict "at" (print $at ".port") "what" "is no port" "name" . "known" $known) -}}
{{- end -}}
{{- end -}}
{{- template "replica-group.reserved" (dict "map" (get $asked "annotations") "path" (print $at ".annotations")) -}}
{{- template "replica-group.reserved.helm" (dict "map" (get $asked "annotations") "path" (print $at ".annotations")) -}}
{{- end -}}

{{/* Print where a group is reached from outside: the Service of its ready pods, and the port where there is but one. */}}
{{- define "replica-group.address" -}}
{{- $only := get (.spec.expose | default dict) "port" -}}
{{- $numbers := list -}}
{{- range $port := .ports -}}
{{- if or (not $only) (eq $only $port.name) -}}
{{- $numbers = append $numbers (int64 $port.containerPort) -}}
{{- end -}}
{{- end -}}
{{- .ready -}}
{{- if eq (len $numbers) 1 }}:{{ first $numbers }}{{ end -}}
{{- end -}}
