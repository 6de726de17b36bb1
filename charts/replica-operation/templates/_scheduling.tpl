{{/* Read who admits and who places into .operation; .given: the values of `scheduling`, without nulls. What nobody would read is refused. */}}
{{- define "replica-operation.scheduling" -}}
{{- $operation := .operation -}}
{{- $without := dict "placement" (list "default" "none") "admission" (list "none") -}}
{{- $words := dict "queue" "queue" "priorityClass" "priority class" "maxRunTime" "time" -}}
{{- range $part, $idle := $without -}}
{{- $chosen := mergeOverwrite (dict "backend" (first $idle)) (get $.given $part | default dict) -}}
{{- range $key, $word := $words -}}
{{- if and (get $chosen $key) (has $chosen.backend $idle) -}}
{{- fail (printf "scheduling.%s.%s: %q, but scheduling.%s.backend is %q, which reads no %s; set the backend to one that your cluster runs, or leave the %s out" $part $key (get $chosen $key | toString) $part $chosen.backend $word $word) -}}
{{- end -}}
{{- end -}}
{{- if hasKey $chosen "maxRunTime" -}}
{{- $_ := set $chosen "maxRunTime" (include "replica-group.seconds" (dict "value" $chosen.maxRunTime "at" "scheduling.admission.maxRunTime") | int64) -}}
{{- end -}}
{{- $_ := set $operation $part $chosen -}}
{{- end -}}
{{- $_ := set $operation "gangs" (get .given "gangs" | default dict) -}}
{{- template "replica-operation.topology" . -}}
{{- end -}}
