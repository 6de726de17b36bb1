{{/* Let a spread constraint that does not say of which pods mean those of .group, since without a selector Kubernetes counts none, and refuse one that says too little. Entered where there are any. */}}
{{- define "replica-group.environment.spread" -}}
{{- $at := printf "groups.%s.environment.topologySpreadConstraints" .group.name -}}
{{- range $constraint := .group.spec.environment.topologySpreadConstraints -}}
{{- template "replica-group.environment.spread.fits" (dict "constraint" $constraint "at" $at) -}}
{{- if not (hasKey $constraint "labelSelector") -}}
{{- $_ := set $constraint "labelSelector" (dict "matchLabels" (fromYaml $.group.selector)) -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* Refuse a spread .constraint without one of the three fields that Kubernetes always wants. */}}
{{- define "replica-group.environment.spread.fits" -}}
{{- $key := get .constraint "topologyKey" | toString -}}
{{- if not $key -}}
{{- fail (printf "%s: %s has no topologyKey, the label of nodes by which pods are spread; give one, such as kubernetes.io/hostname" .at (toJson .constraint)) -}}
{{- end -}}
{{- template "replica-group.labels.key" (dict "key" $key "path" .at) -}}
{{- $skew := get .constraint "maxSkew" -}}
{{- if not (regexMatch "^[1-9][0-9]*$" (toJson $skew)) -}}
{{- fail (printf "%s: %s: maxSkew is %s; set by how many pods places may differ, 1 or more" .at $key (ternary (toJson $skew) "missing" (hasKey .constraint "maxSkew"))) -}}
{{- end -}}
{{- $otherwise := get .constraint "whenUnsatisfiable" | toString -}}
{{- if not (has $otherwise (list "DoNotSchedule" "ScheduleAnyway")) -}}
{{- fail (printf "%s: %s: whenUnsatisfiable is %s; allowed: DoNotSchedule, ScheduleAnyway" .at $key ($otherwise | default "missing")) -}}
{{- end -}}
{{- end -}}
