{{/* Refuse a metric of .group that could never be measured: of a container that the pods do not have, unless a patch may bring it, or a share of what nothing requests. */}}
{{- define "replica-group.autoscaling.measured" -}}
{{- $source := get .metric "containerResource" | default (get .metric "resource") | default dict -}}
{{- $container := get $source "container" | default "main" -}}
{{- $known := list "main" -}}
{{- range $sidecar := get .group.spec "sidecars" | default list -}}
{{- $known = append $known $sidecar.name -}}
{{- end -}}
{{- if not (or (has $container $known) (hasKey .group.operation.patches .group.name)) -}}
{{- template "replica-group.unknown" (dict "at" (print .at ".containerResource.container") "what" "is no container of the pods" "name" $container "known" $known "otherwise" "name main, the container of the group, or a sidecar") -}}
{{- end -}}
{{- if and (eq $container "main") (eq (get (get $source "target" | default dict) "type" | toString) "Utilization") -}}
{{- $resources := .group.spec.resources -}}
{{- if not (or (get (get $resources "requests" | default dict) $source.name) (get (get $resources "limits" | default dict) $source.name)) -}}
{{- fail (printf "%s: a share of the requested %s, but resources.requests.%s is not set; set it, or a target of type AverageValue" .at $source.name $source.name) -}}
{{- end -}}
{{- end -}}
{{- end -}}
