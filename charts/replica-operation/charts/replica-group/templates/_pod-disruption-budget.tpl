{{/* Settle how many pods of a group may be evicted at once: fills .group.budget. Entered where the field is given. */}}
{{- define "replica-group.disruption-budget" -}}
{{- $asked := .group.spec.disruptionBudget -}}
{{- $at := printf "groups.%s.disruptionBudget" .group.name -}}
{{- if $asked -}}
{{- $forms := keys (pick $asked "minAvailable" "maxUnavailable") | sortAlpha -}}
{{- if ne (len $forms) 1 -}}
{{- fail (printf "%s: %s; give one of minAvailable and maxUnavailable" $at (ternary "both" "neither" (gt (len $forms) 1))) -}}
{{- end -}}
{{- if and (eq .group.kind "Job") (or (hasKey $asked "maxUnavailable") (kindIs "string" $asked.minAvailable)) -}}
{{- fail (printf "%s.%s: %v, but Kubernetes counts pods of a Job by a plain number; give minAvailable as a number of pods" $at (first $forms) (get $asked (first $forms))) -}}
{{- end -}}
{{- $most := .group.replicas -}}
{{- with .group.autoscaling -}}
{{- $most = get . "max" -}}
{{- end -}}
{{- $most = ternary (mul $most .group.podsPerReplica) $most (ne (toString $most) "") -}}
{{- $least := get $asked "minAvailable" -}}
{{- if and $most $least (not (kindIs "string" $least)) (gt (int64 $least) (int64 $most)) -}}
{{- fail (printf "%s.minAvailable: %d, but the group has %d at most, so no node with one could ever be drained; allowed: less than that, or maxUnavailable: 1" $at (int64 $least) $most) -}}
{{- end -}}
{{- $_ := set .group "budget" $asked -}}
{{- end -}}
{{- end -}}

{{/* The PodDisruptionBudget of a group. */}}
{{- define "replica-group.pod-disruption-budget" -}}
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata:
  {{- include "replica-group.metadata" (dict "group" . "object" .object) | nindent 2 }}
spec:
  {{- toYaml .budget | nindent 2 }}
  selector:
    matchLabels:
      {{- nindent 6 .selector }}
{{- end -}}
