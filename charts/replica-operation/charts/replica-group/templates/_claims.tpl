{{/* Note a claim of .group: a new one of the operation in .operation.claimed, by the leader as <group>.leader, one of each pod of a StatefulSet, where it takes the volume's place, in .group.claims. A volume of the group's own under its name wins. */}}
{{- define "replica-group.connections.claim" -}}
{{- $group := .group -}}
{{- if hasKey .claim "name" -}}
{{- if eq .claim.name (dig "persistentVolumeClaim" "claimName" "" .volume) -}}
{{- $all := get .operation "claimed" | default dict -}}
{{- $_ := set .operation "claimed" (set $all .name (append (get $all .name | default list) $group.name)) -}}
{{- if include "replica-group.connections.single" .claim -}}
{{- $_ := set $group "singleNodeClaim" .name -}}
{{- end -}}
{{- end -}}
{{- else if deepEqual .claim.spec (dig "ephemeral" "volumeClaimTemplate" "spec" dict .volume) -}}
{{- template "replica-group.connections.claim.pod" . -}}
{{- end -}}
{{- end -}}

{{/* Let a StatefulSet make the claim of each pod, so that it outlives the pod; that of another kind ends with it. */}}
{{- define "replica-group.connections.claim.pod" -}}
{{- $group := .group -}}
{{- if eq $group.kind "StatefulSet" -}}
{{- $metadata := dict "name" .name "labels" (dict "helm-roster.dev/operation" .operation.base) -}}
{{- if .claim.keep -}}
{{- $_ := set $metadata "annotations" (dict "helm.sh/resource-policy" "keep") -}}
{{- end -}}
{{- $other := get $group "keeps" | default (dict "name" .name "keep" .claim.keep) -}}
{{- if ne $other.keep .claim.keep -}}
{{- fail (printf "groups.%s.connections: %q keeps its claims and %q does not, and a StatefulSet keeps those of its pods or none; give both one `keep`" $group.name (ternary $other.name .name $other.keep) (ternary .name $other.name $other.keep)) -}}
{{- end -}}
{{- $_ := set $group "keeps" $other -}}
{{- $_ := set $group "claims" (append (get $group "claims" | default list) (dict "metadata" $metadata "spec" .claim.spec)) -}}
{{- $_ := set $group.spec "volumes" (without $group.spec.volumes .volume) -}}
{{- else if eq (.claim.asked | toString) "true" -}}
{{- fail (printf "connections.%s.keep: true, but group %q is a %s, and only a StatefulSet keeps a claim for each pod; leave it out%s" .name $group.name $group.kind (ternary ", or set the group's workload: StatefulSet" "" (eq $group.podsPerReplica 1))) -}}
{{- end -}}
{{- end -}}

{{/* Print "true" for a claim that one node alone may mount. */}}
{{- define "replica-group.connections.single" -}}
{{- if not (or (has "ReadWriteMany" .spec.accessModes) (has "ReadOnlyMany" .spec.accessModes)) -}}true{{- end -}}
{{- end -}}
