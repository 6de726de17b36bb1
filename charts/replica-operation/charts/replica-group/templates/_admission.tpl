{{/* Fill .group.admission with what is other for its pods than for the operation; a gang is admitted as a whole. Entered where the field is given. */}}
{{- define "replica-group.admission" -}}
{{- $asked := .group.spec.admission -}}
{{- $at := printf "groups.%s.admission" .group.name -}}
{{- if and $asked .group.gang -}}
{{- fail (printf "%s: %s, but the group is in gang %q, which is admitted as a whole; say it under scheduling.admission, or leave this out, a lower layer's goes with `unset: [admission]`" $at (include "replica-group.admission.words" $asked) .group.gang) -}}
{{- end -}}
{{- if and $asked (ne (toString $asked) "none") (eq .operation.admission.backend "none") -}}
{{- fail (printf "%s: %s, but nobody admits the operation; set scheduling.admission.backend to one that your cluster runs, or leave this out, a lower layer's goes with `unset: [admission]`" $at (include "replica-group.admission.words" $asked)) -}}
{{- end -}}
{{- if kindIs "string" $asked -}}
{{- $asked = dict "backend" "none" -}}
{{- else if hasKey $asked "maxRunTime" -}}
{{- $_ := set $asked "maxRunTime" (include "replica-group.seconds" (dict "value" $asked.maxRunTime "at" (print $at ".maxRunTime")) | int64) -}}
{{- end -}}
{{- if and $asked (ne .operation.admission.backend "none") -}}
{{- $_ := set .group "admission" $asked -}}
{{- end -}}
{{- end -}}

{{/* Print what a group asks for, in a few words. */}}
{{- define "replica-group.admission.words" -}}
{{- if kindIs "string" . }}{{ . }}{{ else }}{{ keys . | sortAlpha | join " and " }}{{ end -}}
{{- end -}}
