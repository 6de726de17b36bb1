{{/* Refuse numbers and booleans in .value, one value or a list, where Kubernetes wants strings, or, with .references, what is worked out later. */}}
{{- define "replica-group.require.strings" -}}
{{- $values := .value -}}
{{- if not (kindIs "slice" $values) -}}
{{- $values = list $values -}}
{{- end -}}
{{- range $value := $values -}}
{{- if and (kindIs "map" $value) (get $ "references") -}}
{{- template "replica-group.require.reference" (dict "entry" $value "path" $.path) -}}
{{- else if not (kindIs "string" $value) -}}
{{- fail (printf "%s: %s is %s where Kubernetes wants text; quote it, or set it with --set-string" $.path (toJson $value) (include "replica-group.require.kind" $value)) -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* Say what a value is that is no string. */}}
{{- define "replica-group.require.kind" -}}
{{- if kindIs "bool" . -}}a boolean{{- else if kindIs "invalid" . -}}nothing{{- else -}}a number{{- end -}}
{{- end -}}

{{/* The same for one entry of env, a bare value or a map with `value` or `valueFrom`. */}}
{{- define "replica-group.require.env" -}}
{{- if not (kindIs "string" .entry) -}}
{{- if kindIs "map" .entry -}}
{{- $value := get .entry "value" -}}
{{- if not (kindIs "invalid" $value) -}}
{{- template "replica-group.require.strings" (dict "value" $value "path" .path) -}}
{{- end -}}
{{- $from := get .entry "valueFrom" -}}
{{- if pick .entry "as" "fromGroup" "fromPort" "fromRole" "port" "separator" -}}
{{- template "replica-group.require.reference" . -}}
{{- end -}}
{{- if and $value $from -}}
{{- fail (printf "%s: value and valueFrom both say its value; keep one" .path) -}}
{{- end -}}
{{- if kindIs "map" $from -}}
{{- template "replica-group.require.source" (dict "from" $from "path" (print .path ".valueFrom")) -}}
{{- end -}}
{{- else -}}
{{- template "replica-group.require.strings" (dict "value" .entry "path" .path) -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* Refuse in .from, the valueFrom of a variable, what is no source, and several. */}}
{{- define "replica-group.require.source" -}}
{{- $known := list "configMapKeyRef" "fieldRef" "fileKeyRef" "resourceFieldRef" "secretKeyRef" -}}
{{- $found := list -}}
{{- range $source, $value := .from -}}
{{- if not (has $source $known) -}}
{{- template "replica-group.unknown" (dict "at" $.path "what" "is no source" "name" $source "known" $known) -}}
{{- end -}}
{{- if not (kindIs "invalid" $value) -}}
{{- $found = append $found $source -}}
{{- end -}}
{{- end -}}
{{- if ne (len $found) 1 -}}
{{- fail (printf "%s: %s; give one of %s" .path (join " and " $found | default "no source") (join ", " $known)) -}}
{{- end -}}
{{- end -}}

{{/* Refuse in the environments that .container takes whole what is no source. .at names the container. */}}
{{- define "replica-group.require.env-from" -}}
{{- range $source := get .container "envFrom" | default list -}}
{{- $found := list -}}
{{- range $kind := list "configMapRef" "secretRef" -}}
{{- with get $source $kind -}}
{{- if and (kindIs "map" .) (get . "name") -}}
{{- $found = append $found $kind -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- if ne (len $found) 1 -}}
{{- fail (printf "%s.envFrom: %s is no source; write {configMapRef: {name: NAME}} or {secretRef: {name: NAME}}" $.at (toJson $source)) -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* Print "true" when .map has one of .keys with a value. */}}
{{- define "replica-group.any.key" -}}
{{- range $key := .keys -}}
{{- if and (hasKey $.map $key) (not (kindIs "invalid" (get $.map $key))) -}}true{{- end -}}
{{- end -}}
{{- end -}}
