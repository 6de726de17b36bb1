{{/* Settle the pod's surroundings: reserved labels, and the DNS policy that the host's network needs. */}}
{{- define "replica-group.environment" -}}
{{- $environment := .group.spec.environment -}}
{{- $at := printf "groups.%s.environment" .group.name -}}
{{- range $field := list "labels" "annotations" -}}
{{- template "replica-group.reserved" (dict "map" (get $environment $field) "path" (print $at "." $field)) -}}
{{- end -}}
{{- if and (eq (get $environment "dnsPolicy") "None") (not (get (get $environment "dnsConfig" | default dict) "nameservers")) -}}
{{- fail (printf "%s.dnsPolicy: None, but no dnsConfig.nameservers say whom to ask; give one or more" $at) -}}
{{- end -}}
{{- if and (get $environment "hostNetwork") (not (get $environment "dnsPolicy")) -}}
{{- $_ := set $environment "dnsPolicy" "ClusterFirstWithHostNet" -}}
{{- template "replica-group.explained.chart" (dict "group" .group "path" "environment.dnsPolicy") -}}
{{- end -}}
{{- end -}}

{{/* Refuse tolerations of .group that the API server would. Entered where there are any. */}}
{{- define "replica-group.environment.tolerations" -}}
{{- $at := printf "groups.%s.environment.tolerations" .group.name -}}
{{- range $toleration := .group.spec.environment.tolerations -}}
{{- if and (eq (get $toleration "operator") "Exists") (get $toleration "value") -}}
{{- fail (printf "%s: %s has operator Exists and the value %q, which Exists never reads; leave the value out, or set operator: Equal beside it" $at (get $toleration "key") (toString $toleration.value)) -}}
{{- end -}}
{{- if and (hasKey $toleration "tolerationSeconds") (has (get $toleration "effect") (list "NoSchedule" "PreferNoSchedule")) -}}
{{- fail (printf "%s: %s has tolerationSeconds and effect %s, but only a taint of effect NoExecute ends pods; leave the seconds out" $at (get $toleration "key") $toleration.effect) -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* Let a spread constraint that does not say of which pods mean those of .group: without a selector Kubernetes counts none. Entered where there are any. */}}
{{- define "replica-group.environment.spread" -}}
{{- range $constraint := .group.spec.environment.topologySpreadConstraints -}}
{{- if not (hasKey $constraint "labelSelector") -}}
{{- $_ := set $constraint "labelSelector" (dict "matchLabels" (fromYaml $.group.selector)) -}}
{{- end -}}
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

{{/* Refuse annotations that Helm itself obeys, on objects that the chart makes. .map may be absent. */}}
{{- define "replica-group.reserved.helm" -}}
{{- if .map -}}
{{- range $key := keys .map | sortAlpha -}}
{{- if regexMatch "^([^/]+[.])?helm[.]sh/" $key -}}
{{- fail (printf "%s: %s is an order to Helm about every object that has it; keep a volume by keep of its connection, write a hook whole under extraObjects, and leave this out" $.path $key) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}
