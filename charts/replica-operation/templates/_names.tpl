{{/* The base of all derived names: operation.name, else the release. */}}
{{- define "replica-operation.base" -}}
{{- $name := get .operation "name" | default .release -}}
{{- if not (regexMatch "^[a-z]([-a-z0-9]*[a-z0-9])?$" $name) -}}
{{- fail (printf "operation.name: %q cannot begin the name of a Service: lower-case letters, digits and -, a letter first; set another" $name) -}}
{{- end -}}
{{- if gt (len $name) 53 -}}
{{- fail (printf "operation.name: %q has %d characters; at most 53" $name (len $name)) -}}
{{- end -}}
{{- $name -}}
{{- end -}}

{{/* The name of a group's workload: readable where that is unambiguous and short, else cut and ended by a hash. */}}
{{- define "replica-operation.object" -}}
{{- $plain := printf "%s-%s" .base .group -}}
{{- if or (contains "-" .group) .run (gt (len $plain) 47) -}}
{{- $hash := printf "%s/%s/%s" .base .group .run | sha256sum | trunc 6 -}}
{{- $long := ternary (printf "%s-%s" $plain .run) $plain (ne .run "") -}}
{{- printf "%s-%s" ($long | trunc 40 | trimSuffix "-") $hash -}}
{{- else -}}
{{- $plain -}}
{{- end -}}
{{- end -}}

{{/* Refuse the name of a group, preset or gang that YAML would read as something else. .path: the map, .name: the key. */}}
{{- define "replica-operation.names.readable" -}}
{{- if has .name (list "y" "n" "yes" "no" "on" "off" "true" "false" "null") -}}
{{- fail (printf "%s: %q cannot be a name: YAML reads y, yes, on, true as true, n, no, off, false as false; choose another name" .path .name) -}}
{{- end -}}
{{- if include "replica-group.readable.first" .name -}}
{{- fail (printf "%s: %q cannot be a name: YAML reads it, or what it was written as, as a number; choose another name" .path .name) -}}
{{- end -}}
{{- if gt (len .name) .limit -}}
{{- fail (printf "%s: %q has %d characters; at most %d" .path .name (len .name) .limit) -}}
{{- end -}}
{{- end -}}

{{/* Refuse the name of a group that could not become part of object names. */}}
{{- define "replica-operation.names.group" -}}
{{- template "replica-operation.names.readable" (dict "path" "groups" "name" .name "limit" 40) -}}
{{- if or (eq .name "svc") (hasSuffix "-svc" .name) -}}
{{- fail (printf "groups: %q cannot be a name: the ending svc belongs to the Services of ready pods; choose another name" .name) -}}
{{- end -}}
{{- end -}}
