{{/* Print, as JSON, all that the pods of a group are made of, whatever their number. */}}
{{- define "replica-group.told" -}}
{{- $told := set (pick . "role" "portAnnotations") "pod" (include "replica-group.pod" . | fromYaml) -}}
{{- if hasKey . "leader" -}}
{{- $_ := set $told "leader" (include "replica-group.pod" .leader | fromYaml) -}}
{{- end -}}
{{- with get .operation.patches .name -}}
{{- $_ := set $told "patches" . -}}
{{- end -}}
{{- toJson $told -}}
{{- end -}}
