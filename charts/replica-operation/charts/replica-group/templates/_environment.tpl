{{/* Settle the pod's surroundings: reserved labels, and the DNS policy that the host's network needs. */}}
{{- define "replica-group.environment" -}}
{{- $environment := .group.spec.environment -}}
{{- $at := printf "groups.%s.environment" .group.name -}}
{{- range $field := list "labels" "annotations" -}}
{{- template "replica-group.reserved" (dict "map" (get $environment $field) "path" (print $at "." $field)) -}}
{{- end -}}
{{- if and (get $environment "hostNetwork") (not (get $environment "dnsPolicy")) -}}
{{- $_ := set $environment "dnsPolicy" "ClusterFirstWithHostNet" -}}
{{- template "replica-group.explained.chart" (dict "group" .group "path" "environment.dnsPolicy") -}}
{{- end -}}
{{- end -}}

{{/* Refuse keys that belong to the operation. .map may be absent. */}}
{{- define "replica-group.reserved" -}}
{{- if .map -}}
{{- range $key := keys .map | sortAlpha -}}
{{- if or (hasPrefix "helm-roster.dev/" $key) (eq $key "app.kubernetes.io/instance") (eq $key "app.kubernetes.io/managed-by") -}}
{{- fail (printf "%s: %s is written by the chart; choose another key" $.path $key) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}
