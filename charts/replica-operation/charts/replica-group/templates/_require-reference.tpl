{{/* Refuse .entry, a variable or an argument that refers to something, where it does not say one thing to which it does. .path names it. */}}
{{- define "replica-group.require.reference" -}}
{{- $found := list -}}
{{- range $source := list "fromGroup" "fromPort" "fromRole" "value" "valueFrom" -}}
{{- if and (hasKey $.entry $source) (not (kindIs "invalid" (get $.entry $source))) -}}
{{- $found = append $found $source -}}
{{- end -}}
{{- end -}}
{{- if ne (len $found) 1 -}}
{{- fail (printf "%s: %s; a reference says one of fromGroup, fromRole and fromPort" .path (join " and " $found | default (toJson .entry))) -}}
{{- end -}}
{{- if eq (first $found) "fromPort" -}}
{{- with keys (pick .entry "as" "port" "separator") | sortAlpha -}}
{{- fail (printf "%s: fromPort with %s, but it stands for the number of a port of the pod itself; leave %s out, or name a group by fromGroup" $.path (join " and " .) (join " and " .)) -}}
{{- end -}}
{{- end -}}
{{- end -}}
