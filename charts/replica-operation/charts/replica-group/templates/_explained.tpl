{{/* Note for people which layer each value is from where only the chart knows, and all values as JSON, in which lists by key are still maps. */}}
{{- define "replica-group.explained" -}}
{{- template "replica-group.explained.chart" (dict "group" .group "path" "replicas") -}}
{{- template "replica-group.explained.chart" (dict "group" .group "path" "accelerators") -}}
{{- $_ := set .group "composed" (toJson .group.spec) -}}
{{- end -}}

{{/* Note that the chart set .path of .group, if no other layer did. */}}
{{- define "replica-group.explained.chart" -}}
{{- if and .group.traced (not (hasKey .group.trace .path)) -}}
{{- $_ := set .group.trace .path "chart" -}}
{{- end -}}
{{- end -}}
