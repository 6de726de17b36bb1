{{/* Put the pods of .group on hosts of their own, by an affinity between pods beside those of the values. Entered where the field is given, or they share the network of the host, and so its ports: then they are apart unless the field says otherwise. */}}
{{- define "replica-group.hosts" -}}
{{- $asked := get .group.spec "spread" -}}
{{- if and (get .group.spec.environment "hostNetwork") (not (hasKey .group.spec "spread")) -}}
{{- $asked = dict "among" "group" -}}
{{- end -}}
{{- if and $asked (not (get $asked "among")) -}}
{{- fail (printf "groups.%s.spread.among: missing beside %s; allowed: group, operation, none" .group.name (keys $asked | sortAlpha | join ", ")) -}}
{{- end -}}
{{- if and $asked (ne $asked.among "none") -}}
{{- with $asked -}}
{{- $scope := ternary "helm-roster.dev/group" "helm-roster.dev/operation" (eq .among "group") -}}
{{- $labels := pick (fromYaml $.group.labels) "app.kubernetes.io/instance" $scope -}}
{{- $term := dict "labelSelector" (dict "matchLabels" $labels) "topologyKey" "kubernetes.io/hostname" -}}
{{- $field := "requiredDuringSchedulingIgnoredDuringExecution" -}}
{{- if eq (get . "required" | toString) "false" -}}
{{- $field = "preferredDuringSchedulingIgnoredDuringExecution" -}}
{{- $term = dict "weight" 100 "podAffinityTerm" $term -}}
{{- end -}}
{{- $affinity := get $.group.spec.environment "affinity" | default dict -}}
{{- $apart := get $affinity "podAntiAffinity" | default dict -}}
{{- $_ := set $.group "apart" (not (hasKey $term "weight")) -}}
{{- $_ := set $apart $field (append (get $apart $field | default list) $term) -}}
{{- $_ := set $.group.spec.environment "affinity" (set $affinity "podAntiAffinity" $apart) -}}
{{- end -}}
{{- end -}}
{{- end -}}
