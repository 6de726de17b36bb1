{{/* Read who admits and who places into .operation; .given: the values of `scheduling`, without nulls. A queue that nobody would read is refused. */}}
{{- define "replica-operation.scheduling" -}}
{{- $operation := .operation -}}
{{- $without := dict "placement" (list "default" "none") "admission" (list "none") -}}
{{- range $part, $idle := $without -}}
{{- $chosen := mergeOverwrite (dict "backend" (first $idle)) (get $.given $part | default dict) -}}
{{- if and (get $chosen "queue") (has $chosen.backend $idle) -}}
{{- fail (printf "scheduling.%s.queue: %q, but scheduling.%s.backend is %q, which reads no queue; set the backend to one that your cluster runs, or leave the queue out" $part $chosen.queue $part $chosen.backend) -}}
{{- end -}}
{{- $_ := set $operation $part $chosen -}}
{{- end -}}
{{- $_ := set $operation "gangs" (get .given "gangs" | default dict) -}}
{{- template "replica-operation.topology" . -}}
{{- end -}}
