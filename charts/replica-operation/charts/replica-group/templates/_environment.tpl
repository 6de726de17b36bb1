{{/* Settle the pod's surroundings: reserved labels, and the DNS policy that the host's network needs. */}}
{{- define "replica-group.environment" -}}
{{- $environment := .group.spec.environment -}}
{{- $at := printf "groups.%s.environment" .group.name -}}
{{- range $field := list "labels" "annotations" -}}
{{- template "replica-group.reserved" (dict "map" (get $environment $field) "path" (print $at "." $field)) -}}
{{- end -}}
{{- template "replica-group.labels.fit" (dict "map" (get $environment "nodeSelector") "path" (print $at ".nodeSelector") "labels" true) -}}
{{- if hasKey $environment "affinity" -}}
{{- template "replica-group.labels.affinity" (dict "environment" $environment "at" $at) -}}
{{- end -}}
{{- if and (eq (get $environment "dnsPolicy") "None") (not (get (get $environment "dnsConfig" | default dict) "nameservers")) -}}
{{- fail (printf "%s.dnsPolicy: None, but no dnsConfig.nameservers say whom to ask; give one or more" $at) -}}
{{- end -}}
{{- if and (get $environment "hostNetwork") (not (get $environment "dnsPolicy")) -}}
{{- $_ := set $environment "dnsPolicy" "ClusterFirstWithHostNet" -}}
{{- template "replica-group.explained.chart" (dict "group" .group "path" "environment.dnsPolicy") -}}
{{- end -}}
{{- end -}}

{{/* Refuse keys of labels or annotations that belong to the operation, and what Kubernetes would not take there. .map may be absent. */}}
{{- define "replica-group.reserved" -}}
{{- template "replica-group.labels.fit" (dict "map" .map "path" .path "labels" (hasSuffix "labels" .path)) -}}
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
