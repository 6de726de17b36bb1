{{/* Settle how others find and reach the pods of .group: its role, the port at which it serves, labels, and annotations of port numbers. Entered where the field is given. */}}
{{- define "replica-group.serving" -}}
{{- $group := .group -}}
{{- $asked := $group.spec.serving -}}
{{- $at := printf "groups.%s.serving" $group.name -}}
{{- $_ := set $group "servedHow" (pick $asked "role" "port") -}}
{{- with get $asked "role" -}}
{{- template "replica-group.require.strings" (dict "value" . "path" (print $at ".role")) -}}
{{- template "replica-group.labels.value" (dict "value" . "path" (print $at ".role")) -}}
{{- $_ := set $group "role" . -}}
{{- end -}}
{{- if eq (get $asked "pods" | default "leader") "all" -}}
{{- $_ := set $group "allServe" true -}}
{{- if get $group "leaders" -}}
{{- template "replica-group.serving.agree" $group -}}
{{- end -}}
{{- end -}}
{{- with get $asked "port" -}}
{{- $_ := include "replica-group.port" (dict "group" $group "name" . "at" (print $at ".port")) -}}
{{- $_ := set $group "servingPort" . -}}
{{- end -}}
{{- with get $asked "labels" -}}
{{- template "replica-group.serving.free" (dict "map" . "path" (print $at ".labels") "field" "labels" "group" $group) -}}
{{- $_ := set $group "servingLabels" . -}}
{{- end -}}
{{- with get $asked "portAnnotations" -}}
{{- $numbers := dict -}}
{{- $path := print $at ".portAnnotations" -}}
{{- template "replica-group.serving.free" (dict "map" . "path" $path "field" "annotations" "group" $group) -}}
{{- range $key, $port := . -}}
{{- $_ := set $numbers $key (include "replica-group.port" (dict "group" $group "name" $port "at" (print $path "." $key))) -}}
{{- end -}}
{{- $_ := set $group "portAnnotations" $numbers -}}
{{- end -}}
{{- end -}}

{{/* Refuse ports of which leaders and workers of a group say other numbers, where all serve; .agreed has those that both say. */}}
{{- define "replica-group.serving.agree" -}}
{{- $workers := omit . "ports" -}}
{{- template "replica-group.ports" $workers -}}
{{- $agreed := dict -}}
{{- range $port := get . "ports" | default list -}}
{{- range $other := get $workers "ports" | default list -}}
{{- if eq $port.name $other.name -}}
{{- if ne (int64 $port.containerPort) (int64 $other.containerPort) -}}
{{- fail (printf "groups.%s.serving.pods: all, but the port %q is %d of leaders and %d of workers, and others are told one number; give both the same, or leave pods out" $.name $port.name (int64 $port.containerPort) (int64 $other.containerPort)) -}}
{{- end -}}
{{- $_ := set $agreed $port.name true -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- $_ := set . "agreed" $agreed -}}
{{- end -}}

{{/* Print the number of the port called .name that the pods of .group have; .at is where it is asked for. */}}
{{- define "replica-group.port" -}}
{{- $found := "" -}}
{{- $known := list -}}
{{- range $port := get .group "ports" | default list -}}
{{- $known = append $known $port.name -}}
{{- if eq $port.name $.name -}}
{{- $found = int64 $port.containerPort | toString -}}
{{- end -}}
{{- end -}}
{{- if and $found (hasKey .group "agreed") -}}
{{- if not (hasKey .group.agreed .name) -}}
{{- fail (printf "%s: %q is a port of the leaders of the group %q alone, but all its pods serve; name it under groups.%s.container.ports too, or leave serving.pods out" .at .name .group.name .group.name) -}}
{{- end -}}
{{- end -}}
{{- if not $found -}}
{{- template "replica-group.unknown" (dict "at" .at "what" (printf "is no port of the group %q called" .group.name) "name" .name "known" $known "otherwise" "name one under its container.ports") -}}
{{- end -}}
{{- $found -}}
{{- end -}}
