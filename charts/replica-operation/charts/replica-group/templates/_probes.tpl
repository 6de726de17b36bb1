{{/* Refuse in .container of .group probes and hooks that could not be asked. .at names the container. */}}
{{- define "replica-group.probes" -}}
{{- range $field, $handler := pick .container "livenessProbe" "readinessProbe" "startupProbe" -}}
{{- template "replica-group.probes.port" (dict "group" $.group "container" $.container "handler" $handler "at" (printf "%s.%s" $.at $field)) -}}
{{- end -}}
{{- range $field, $handler := pick (get .container "lifecycle" | default dict) "postStart" "preStop" -}}
{{- template "replica-group.probes.port" (dict "group" $.group "container" $.container "handler" $handler "at" (printf "%s.lifecycle.%s" $.at $field)) -}}
{{- end -}}
{{- end -}}

{{/* Refuse .handler, a probe or a hook, that asks a port by a name that .container does not have, unless a patch may bring it. */}}
{{- define "replica-group.probes.port" -}}
{{- with regexFind `[{,]"from(Group|Port|Role)":` (toJson .handler) -}}
{{- fail (printf "%s: %s, but probes and hooks hold no references; name a port by its name, or read in the command a variable of env" $.at (regexFind `from\w+` .)) -}}
{{- end -}}
{{- range $way, $asked := pick .handler "httpGet" "tcpSocket" -}}
{{- $port := get $asked "port" -}}
{{- if and (kindIs "string" $port) (not (hasKey $.group.operation.patches (trimSuffix ".leader" $.group.name))) -}}
{{- $known := list -}}
{{- range $declared := get $.container "ports" | default list -}}
{{- $known = append $known $declared.name -}}
{{- end -}}
{{- if not (has $port $known) -}}
{{- template "replica-group.unknown" (dict "at" (printf "%s.%s.port" $.at $way) "what" "is no port of this container" "name" $port "known" $known "otherwise" "name one under its ports, or give the number, without quotes") -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}
