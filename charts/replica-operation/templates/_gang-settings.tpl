{{/* Put into .into what .definition says of the gang .name as a whole. .levels and .bounds: see replica-operation.locality. */}}
{{- define "replica-operation.gangs.settings" -}}
{{- $at := printf "scheduling.gangs.%s" .name -}}
{{- with get .definition "locality" -}}
{{- template "replica-operation.locality" (dict "into" $.into "asked" . "at" (print $at ".locality") "levels" $.levels "bounds" $.bounds) -}}
{{- end -}}
{{- if get .definition "minResources" -}}
{{- $_ := set .into "minResources" true -}}
{{- end -}}
{{- if hasKey .definition "stalenessGracePeriod" -}}
{{- $period := .definition.stalenessGracePeriod -}}
{{- $seconds := -1 -}}
{{- if ne (toString $period) "never" -}}
{{- $seconds = include "replica-group.seconds" (dict "value" $period "at" (print $at ".stalenessGracePeriod") "or" ", or never") | int64 -}}
{{- end -}}
{{- $_ := set .into "stalenessGracePeriod" $seconds -}}
{{- end -}}
{{- with get .definition "preemption" -}}
{{- $_ := set $.into "preemption" . -}}
{{- end -}}
{{- end -}}
