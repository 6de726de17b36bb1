{{/* Settle by what KEDA scales: fills .group.scaled, which its template reads. */}}
{{- define "replica-group.autoscaling.keda" -}}
{{- $triggers := list -}}
{{- range $name, $trigger := get .asked "triggers" | default list -}}
{{- if $trigger -}}
{{- $at := printf "%s.triggers.%v" $.at $name -}}
{{- template "replica-group.autoscaling.trigger" (dict "trigger" $trigger "at" $at) -}}
{{- $named := ternary (dict "name" $name) dict (kindIs "string" $name) -}}
{{- $triggers = append $triggers (mergeOverwrite (dict "metadata" dict) $named $trigger) -}}
{{- end -}}
{{- end -}}
{{- if not $triggers -}}
{{- fail (printf "%s.triggers: none; owner keda scales by one or more" .at) -}}
{{- end -}}
{{- if not (hasKey .bounds "max") -}}
{{- fail (printf "%s.max: missing; owner keda needs a number of replicas that it may reach" .at) -}}
{{- end -}}
{{- template "replica-group.autoscaling.idle" (dict "asked" .asked "min" .bounds.min "gang" .group.gang "triggers" $triggers "at" .at) -}}
{{- $scaled := pick .asked "cooldownPeriod" "pollingInterval" -}}
{{- if hasKey .asked "idleReplicas" -}}
{{- $_ := set $scaled "idleReplicaCount" .asked.idleReplicas -}}
{{- $_ := set .bounds "idle" 0 -}}
{{- end -}}
{{- with get .asked "behavior" -}}
{{- $_ := set $scaled "advanced" (dict "horizontalPodAutoscalerConfig" (dict "behavior" .)) -}}
{{- end -}}
{{- $_ := set .group "scaled" (set $scaled "triggers" $triggers) -}}
{{- end -}}

{{/* Refuse a trigger without its type, and numbers and booleans in its metadata, which KEDA reads as text. */}}
{{- define "replica-group.autoscaling.trigger" -}}
{{- if not (get .trigger "type") -}}
{{- fail (printf "%s.type: missing; name a scaler of KEDA, such as prometheus" .at) -}}
{{- end -}}
{{- range $key, $value := get .trigger "metadata" | default dict -}}
{{- template "replica-group.require.strings" (dict "value" $value "path" (printf "%s.metadata.%s" $.at $key)) -}}
{{- end -}}
{{- end -}}

{{/* Refuse to go to none where KEDA or the gang cannot. */}}
{{- define "replica-group.autoscaling.idle" -}}
{{- $types := list -}}
{{- range $trigger := .triggers -}}
{{- $types = append $types $trigger.type -}}
{{- end -}}
{{- $idle := hasKey .asked "idleReplicas" -}}
{{- if and $idle (or (ne (int64 .asked.idleReplicas) 0) (lt .min 1)) -}}
{{- fail (printf "%s.idleReplicas: %d, with min %d; KEDA allows 0 alone, and that below a min of 1 or more" .at (int64 .asked.idleReplicas) .min) -}}
{{- end -}}
{{- if and $idle .gang -}}
{{- fail (printf "%s.idleReplicas: 0, but gang %q does not run below its minimum; leave it out" .at .gang) -}}
{{- end -}}
{{- if and (or $idle (lt .min 1)) (not (without $types "cpu" "memory")) -}}
{{- fail (printf "%s.triggers: %s alone, which pods must run for, so KEDA goes to none by them never; set min to 1 or more and no idleReplicas, or add another trigger" .at (join " and " ($types | uniq))) -}}
{{- end -}}
{{- end -}}

{{/* The ScaledObject of a group, called as the workload that it scales. */}}
{{- define "replica-group.scaled-object" -}}
apiVersion: keda.sh/v1alpha1
kind: ScaledObject
metadata:
  {{- include "replica-group.metadata" (dict "group" . "object" .object) | nindent 2 }}
spec:
  scaleTargetRef:
    apiVersion: {{ .apiVersion }}
    kind: {{ .kind }}
    name: {{ .object }}
  minReplicaCount: {{ .autoscaling.min }}
  maxReplicaCount: {{ .autoscaling.max }}
  {{- toYaml .scaled | nindent 2 }}
{{- end -}}
