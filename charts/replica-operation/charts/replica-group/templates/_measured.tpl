{{/* Refuse a metric of .group, of whose replicas that span pods the leaders are measured, that could never be: of a container that the pods do not have, unless a patch may bring it, or a share of what nothing requests. */}}
{{- define "replica-group.autoscaling.measured" -}}
{{- $group := .group -}}
{{- $source := get .metric "containerResource" | default (get .metric "resource") | default dict -}}
{{- $container := get $source "container" | default "" -}}
{{- $spec := (get $group "leader" | default $group).spec -}}
{{- $asked := dict "main" $spec.resources -}}
{{- range $sidecar := get $spec "sidecars" | default list -}}
{{- $_ := set $asked $sidecar.name (get $sidecar "resources" | default dict) -}}
{{- end -}}
{{- $patched := hasKey $group.operation.patches $group.name -}}
{{- if not (or (eq $container "") (hasKey $asked $container) $patched) -}}
{{- template "replica-group.unknown" (dict "at" (print .at ".containerResource.container") "what" "is no container of the pods" "name" $container "known" (keys $asked) "otherwise" "name main, the container of the group, or a sidecar") -}}
{{- end -}}
{{- $resource := get $source "name" -}}
{{- if eq (get (get $source "target" | default dict) "type" | toString) "Utilization" -}}
{{- if not $resource -}}
{{- fail (printf "%s: a share of a resource without its name; give name, cpu or memory" .at) -}}
{{- end -}}
{{- range $name := prepend (without (keys $asked | sortAlpha) "main") "main" -}}
{{- $resources := get $asked $name -}}
{{- $known := or (get (get $resources "requests" | default dict) $resource) (get (get $resources "limits" | default dict) $resource) -}}
{{- if or $known (not (has $container (list "" $name))) -}}
{{- else if eq $name "main" -}}
{{- fail (printf "%s: a share of the requested %s, but resources.requests.%s is not set; set it, or a target of type AverageValue" $.at $resource $resource) -}}
{{- else if not $patched -}}
{{- fail (printf "%s: a share of the requested %s, but sidecars.%s.resources.requests.%s is not set%s; set it, or measure the main container by type ContainerResource" $.at $resource $name $resource (ternary ", and of a whole pod it is known where all its containers ask" "" (eq $container ""))) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* Refuse a metric whose type and source do not fit. */}}
{{- define "replica-group.autoscaling.metric" -}}
{{- $sources := dict "Resource" "resource" "ContainerResource" "containerResource" "Pods" "pods" "Object" "object" "External" "external" -}}
{{- $type := get .metric "type" | default "" | toString -}}
{{- $found := keys (pick .metric "resource" "containerResource" "pods" "object" "external") | sortAlpha -}}
{{- if not (hasKey $sources $type) -}}
{{- fail (printf "%s.type: %q; allowed: %s" .at $type (keys $sources | sortAlpha | join ", ")) -}}
{{- end -}}
{{- if ne (join "," $found) (get $sources $type) -}}
{{- fail (printf "%s: type %s, with %s; give %s alone, a lower layer's is deleted by null" .at $type (join " and " $found | default "no source") (get $sources $type)) -}}
{{- end -}}
{{- end -}}
