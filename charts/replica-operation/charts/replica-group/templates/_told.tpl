{{/* Print, as JSON, all that the pods of a group are made of, whatever their number, and with whom they make a replica. */}}
{{- define "replica-group.told" -}}
{{- $told := set (pick . "role" "servingLabels" "portAnnotations" "podsPerReplica") "pod" (include "replica-group.pod" . | fromYaml) -}}
{{- if hasKey . "leader" -}}
{{- $_ := set $told "leader" (include "replica-group.pod" .leader | fromYaml) -}}
{{- end -}}
{{- $patches := dict -}}
{{- range $name, $patch := get .operation.patches .name | default dict -}}
{{- if or (has $patch.target (list "leader" "pod")) (and (eq $patch.target "workload") (toJson $patch | regexMatch "[tT]emplate")) -}}
{{- $_ := set $patches $name $patch -}}
{{- end -}}
{{- end -}}
{{- with $patches -}}
{{- $_ := set $told "patches" . -}}
{{- end -}}
{{- toJson $told -}}
{{- end -}}
