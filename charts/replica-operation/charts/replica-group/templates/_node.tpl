{{/* Refuse pods of a group that no node has the accelerators for, and those that are to fill a node and do not. Entered where a preset says how many one node offers. */}}
{{- define "replica-group.node" -}}
{{- $offered := .spec.accelerator.perNode | int64 -}}
{{- $at := print "groups." .name -}}
{{- if gt .accelerators $offered -}}
{{- $nodes := div (add .accelerators $offered -1) $offered -}}
{{- $set := include "replica-group.node.set" (dict "part" . "count" $offered) -}}
{{- $then := printf "spread the replica over podsPerReplica: %d, and %s" (mul $nodes .podsPerReplica) $set -}}
{{- if eq .accelerators .mainAccelerators -}}
{{- $then = printf "spread the replica over podsPerReplica: %d, with accelerators: %d" (mul $nodes .podsPerReplica) $offered -}}
{{- end -}}
{{- if hasSuffix ".leader" .name -}}
{{- $then = printf "lower them to %d" $offered -}}
{{- else if eq .kind "Job" -}}
{{- $then = printf "%s, and %sreplicas to the number of all pods" $set (ternary "" "set " (eq .accelerators .mainAccelerators)) -}}
{{- end -}}
{{- fail (printf "%s: each pod has %d accelerators, but no node offers more than %d; %s" $at .accelerators $offered $then) -}}
{{- end -}}
{{- if and (get .spec "fillsNode") (ne .accelerators $offered) -}}
{{- fail (printf "%s.fillsNode: each pod takes a whole node, which has %d accelerators, but the pod has %d; %s, or set fillsNode: false" $at $offered .accelerators (include "replica-group.node.set" (dict "part" . "count" $offered))) -}}
{{- end -}}
{{- end -}}

{{/* Print how pods like .part come to .count accelerators: what their main container has is a number of the group, but others may have some too. */}}
{{- define "replica-group.node.set" -}}
{{- if eq .part.accelerators .part.mainAccelerators -}}
set accelerators: {{ .count }}
{{- else -}}
let all containers of a pod have {{ .count }} together
{{- end -}}
{{- end -}}

{{/* Refuse counts of .group that do not come to whole slices of the topology that a preset selects. Entered where it does, and the pods have accelerators. */}}
{{- define "replica-group.slice" -}}
{{- $group := .group -}}
{{- $accelerator := $group.accelerator -}}
{{- $at := print "groups." $group.name -}}
{{- if not (get $accelerator "perNode") -}}
{{- fail (printf "%s: its preset has accelerator.topology %s, but does not say how many accelerators a host has; set accelerator.perNode there" $at $accelerator.topology) -}}
{{- end -}}
{{- $chips := 1 -}}
{{- range $side := splitList "x" $accelerator.topology -}}
{{- $chips = mul $chips (int64 $side) -}}
{{- end -}}
{{- $each := min $chips (int64 $accelerator.perNode) -}}
{{- $hosts := div (add $chips $each -1) $each -}}
{{- $slice := printf "%s is %d chips on %d %s of %d" $accelerator.topology $chips $hosts (ternary "host" "hosts" (eq $hosts 1)) $each -}}
{{- $leader := get $group "leader" | default $group -}}
{{- range $part := list $group $leader -}}
{{- if and (ne $part.accelerators 0) (ne $part.accelerators $each) -}}
{{- fail (printf "groups.%s: %s, and a pod has all of its host, but here it has %d; %s" $part.name $slice $part.accelerators (include "replica-group.node.set" (dict "part" $part "count" $each))) -}}
{{- end -}}
{{- end -}}
{{- $field := ternary "replicas" "podsPerReplica" (eq $group.kind "Job") -}}
{{- $pods := get $group $field -}}
{{- $have := add (mul (sub $pods 1) $group.accelerators) $leader.accelerators -}}
{{- $said := printf "%s %d x accelerators %d" $field $pods $group.accelerators -}}
{{- if ne $leader.accelerators $group.accelerators -}}
{{- $said = printf "accelerators of the leader %d + %d x %d of the others" $leader.accelerators (sub $pods 1) $group.accelerators -}}
{{- end -}}
{{- $fits := eq $have $chips -}}
{{- if ne $group.kind "Job" -}}
{{- $fits = eq (mod $have $chips) 0 -}}
{{- end -}}
{{- if and (gt $pods 0) (not $fits) -}}
{{- fail (printf "%s: %s, but %s is %d; set %s: %d" $at $slice $said $have $field (ternary $hosts (add1 $hosts) (gt $leader.accelerators 0))) -}}
{{- end -}}
{{- end -}}
