{{/* Print "true" where the pods that serve of a group carry the label of leaders: in replicas that span pods, and where the group says how it serves. Others are known by their group alone, so their pods stay as they are. */}}
{{- define "replica-group.serving.labelled" -}}
{{- if or (eq .kind "LeaderWorkerSet") (hasKey .spec "serving") -}}true{{- end -}}
{{- end -}}

{{/* Labels of the pods that serve, of each replica one or all, by which Services and discovery know it. Never part of a workload's selector. */}}
{{- define "replica-group.serving.labels" }}
    {{- if include "replica-group.serving.labelled" . }}
    helm-roster.dev/leader: "true"
    {{- end }}
    {{- with get . "revision" }}
    helm-roster.dev/revision: {{ quote . }}
    {{- end }}
    {{- with get . "role" }}
    helm-roster.dev/role: {{ quote . }}
    {{- end }}
    {{- with get . "servingLabels" }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
{{- end -}}

{{/* Refuse keys of .map, labels or annotations of pods that serve, at .path, that the operation writes, or that the pods of .group have in the .field of their environment too. */}}
{{- define "replica-group.serving.free" -}}
{{- template "replica-group.reserved" (dict "map" .map "path" .path) -}}
{{- range $key := keys .map | sortAlpha -}}
{{- range $whose, $one := dict "" $.group "leader." (get $.group "leader" | default dict) -}}
{{- if hasKey (dig "spec" "environment" $.field nil $one | default dict) $key -}}
{{- fail (printf "%s.%s: %senvironment.%s has this key too; keep one" $.path $key $whose $.field) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}
