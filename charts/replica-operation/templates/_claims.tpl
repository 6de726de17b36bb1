{{/* Refuse a new claim that one node may mount, where several pods would mount it. .operation.claimed: connection -> groups. */}}
{{- define "replica-operation.claims" -}}
{{- $operation := .operation -}}
{{- range $name, $groups := get $operation "claimed" | default dict -}}
{{- $claim := (get $operation.connections $name).claim -}}
{{- if include "replica-group.connections.single" $claim -}}
{{- $pods := 0 -}}
{{- range $group := $groups -}}
{{- $found := get $operation.groups (trimSuffix ".leader" $group) -}}
{{- $bounds := get $found "autoscaling" | default dict -}}
{{- $most := ternary (get $bounds "max") $found.replicas (hasKey $bounds "max") -}}
{{- $most = ternary (max 2 $most) $most (and (hasKey $bounds "owner") (not (hasKey $bounds "max"))) -}}
{{- if not (hasSuffix ".leader" $group) -}}
{{- $pods = add $pods (mul $most $found.podsPerReplica) -}}
{{- else if not (has $found.name $groups) -}}
{{- $pods = add $pods $most -}}
{{- end -}}
{{- end -}}
{{- if gt $pods 1 -}}
{{- $modes := join ", " $claim.spec.accessModes -}}
{{- fail (printf "connections.%s.accessModes: %s, but several pods use the claim (groups: %s); allow ReadWriteMany, or give each pod its own by kind claimPerPod" $name $modes (join ", " $groups)) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}
