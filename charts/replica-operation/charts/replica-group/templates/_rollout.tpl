{{/* Fill .group.strategy; one pod at a time, without a surplus one, where a Deployment holds accelerators or other devices, or hosts of its own, or its pods fill nodes. */}}
{{- define "replica-group.rollout" -}}
{{- $kind := .group.kind -}}
{{- $type := get .rollout "type" | default "RollingUpdate" -}}
{{- $steps := dict -}}
{{- if .rollout -}}
{{- $steps = pick .rollout "maxSurge" "maxUnavailable" "partition" -}}
{{- template "replica-group.rollout.fits" (dict "type" $type "kind" $kind "steps" $steps "at" .at) -}}
{{- end -}}
{{- if and (eq $kind "Deployment") (eq $type "RollingUpdate") (or (get .group "apart") (get .group.spec "fillsNode") (hasKey .group "singleNodeClaim") (include "replica-group.rollout.scarce" .group)) -}}
{{- $steps = mergeOverwrite (dict "maxSurge" 0 "maxUnavailable" 1) $steps -}}
{{- end -}}
{{- if eq $kind "LeaderWorkerSet" -}}
{{- $steps = mergeOverwrite (dict "partition" 0 "maxSurge" 0 "maxUnavailable" 1) $steps -}}
{{- end -}}
{{- if and (hasKey .group "singleNodeClaim") (ne (get $steps "maxSurge" | default 0 | toString | trimSuffix "%") "0") -}}
{{- fail (printf "%s.maxSurge: %v, but connection %q is a claim that one node alone may mount, so a surplus pod might never start; leave it out, a lower layer's goes with `unset: [rollout.maxSurge]`" .at $steps.maxSurge .group.singleNodeClaim) -}}
{{- end -}}
{{- template "replica-group.rollout.moves" (dict "steps" $steps "at" .at "singleNode" (hasKey .group "singleNodeClaim")) -}}
{{- $_ := set .group "strategy" (dict "type" $type "steps" $steps) -}}
{{- end -}}

{{/* Print "true" where the pods of a group hold extended resources or claims, of which nodes have few. */}}
{{- define "replica-group.rollout.scarce" -}}
{{- if get . "resourceClaims" }}true{{ end -}}
{{- range $container := concat (list .spec.container) (get . "initContainers" | default list) (get . "sidecars" | default list) -}}
{{- range $resource, $amount := get (get $container "resources" | default dict) "limits" | default dict -}}
{{- if and (contains "/" $resource) (not (contains "kubernetes.io/" $resource)) (ne (toString $amount) "0") }}true{{ end -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* Print how pods of a Deployment or StatefulSet are replaced; .field: where another kind has the steps. */}}
{{- define "replica-group.strategy" -}}
{{- if .steps -}}
{{ get . "field" | default "rollingUpdate" }}:
{{- range $step, $pods := .steps }}
  {{ $step }}: {{ toJson $pods }}
{{- end }}
{{ end -}}
type: {{ .type }}
{{- end -}}

{{/* Refuse a rollout that the kind cannot do. */}}
{{- define "replica-group.rollout.fits" -}}
{{- $allowed := dict "Job" list "Deployment" (list "RollingUpdate" "Recreate") "StatefulSet" (list "RollingUpdate" "OnDelete") "LeaderWorkerSet" (list "RollingUpdate") -}}
{{- if eq .kind "Job" -}}
{{- fail (printf "%s: a Job cannot be rolled out, its pods are immutable; leave it out, a lower layer's goes with `unset: [rollout]`, and start a new run with operation.run" .at) -}}
{{- end -}}
{{- if not (has .type (get $allowed .kind)) -}}
{{- fail (printf "%s.type: %s, but the group is a %s; allowed: %s" .at .type .kind (get $allowed .kind | join ", ")) -}}
{{- end -}}
{{- if and .steps (ne .type "RollingUpdate") -}}
{{- fail (printf "%s: %s belong to type RollingUpdate, not to %s; leave them out" .at (keys .steps | sortAlpha | join " and ") .type) -}}
{{- end -}}
{{- if and (eq .kind "StatefulSet") (hasKey .steps "maxSurge") -}}
{{- fail (printf "%s.maxSurge: the group is a StatefulSet, which never has more pods than replicas; leave it out, a lower layer's goes with `unset: [rollout.maxSurge]`" .at) -}}
{{- end -}}
{{- if and (eq .kind "StatefulSet") (eq (get .steps "maxUnavailable" | toString | trimSuffix "%") "0") -}}
{{- fail (printf "%s.maxUnavailable: 0, but a StatefulSet replaces a pod by taking it away first; set 1 or more" .at) -}}
{{- end -}}
{{- if and (eq .kind "Deployment") (hasKey .steps "partition") -}}
{{- fail (printf "%s.partition: the group is a %s, and only a StatefulSet or a LeaderWorkerSet is rolled out in part; leave it out, or set workload: StatefulSet" .at .kind) -}}
{{- end -}}
{{- end -}}

{{/* Refuse a rolling update that may neither add nor remove a pod. */}}
{{- define "replica-group.rollout.moves" -}}
{{- if and (hasKey .steps "maxSurge") (hasKey .steps "maxUnavailable") -}}
{{- $surge := .steps.maxSurge | toString | trimSuffix "%" -}}
{{- $unavailable := .steps.maxUnavailable | toString | trimSuffix "%" -}}
{{- if and (eq $surge "0") (eq $unavailable "0") -}}
{{- fail (printf "%s: maxSurge and maxUnavailable are both 0, so no pod could be replaced; %s" .at (ternary "set maxUnavailable to 1 or more" "raise one" .singleNode)) -}}
{{- end -}}
{{- end -}}
{{- end -}}
