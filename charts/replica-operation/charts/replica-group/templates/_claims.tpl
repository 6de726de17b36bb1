{{/* Note a claim of .group: a new one of the operation in .operation.claimed, one of each pod, which a StatefulSet keeps, in .group.claims. A volume of the group's own under its name wins. */}}
{{- define "replica-group.connections.claim" -}}
{{- $group := .group -}}
{{- if hasKey .claim "name" -}}
{{- if eq .claim.name (dig "persistentVolumeClaim" "claimName" "" .volume) -}}
{{- $all := get .operation "claimed" | default dict -}}
{{- $_ := set .operation "claimed" (set $all .name (append (get $all .name | default list) $group.name)) -}}
{{- if include "replica-group.connections.single" .claim -}}
{{- $_ := set $group "alone" .name -}}
{{- end -}}
{{- end -}}
{{- else if not .volume -}}
{{- if ne $group.kind "StatefulSet" -}}
{{- fail (printf "connections.%s.keep: true, but group %q is a %s, and only a StatefulSet keeps a claim for each pod; set keep: false, or the group's workload: StatefulSet" .name $group.name $group.kind) -}}
{{- end -}}
{{- $metadata := dict "name" .name "annotations" (dict "helm.sh/resource-policy" "keep") -}}
{{- $_ := set $metadata "labels" (dict "helm-roster.dev/operation" .operation.base) -}}
{{- $_ := set $group "claims" (append (get $group "claims" | default list) (dict "metadata" $metadata "spec" .claim.spec)) -}}
{{- end -}}
{{- end -}}

{{/* Print "true" for a claim that one node alone may mount. */}}
{{- define "replica-group.connections.single" -}}
{{- if not (or (has "ReadWriteMany" .spec.accessModes) (has "ReadOnlyMany" .spec.accessModes)) -}}true{{- end -}}
{{- end -}}
