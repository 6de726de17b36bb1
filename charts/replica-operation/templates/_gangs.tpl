{{/* Refuse members without a value, before nulls are taken for "not given": who writes one means to have it in. */}}
{{- define "replica-operation.gangs.written" -}}
{{- range $gang, $definition := .gangs -}}
{{- range $name, $member := get ($definition | default dict) "members" | default dict -}}
{{- if kindIs "invalid" $member -}}
{{- fail (printf "scheduling.gangs.%s.members.%s: null; write {} for a member with its defaults, or leave the line out" $gang $name) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* Fill .operation.gangOf (group -> gang) and refuse gangs that the values cannot mean. */}}
{{- define "replica-operation.gangs.members" -}}
{{- $operation := .operation -}}
{{- range $gang, $definition := $operation.gangs -}}
{{- template "replica-operation.names.readable" (dict "path" "scheduling.gangs" "name" $gang "limit" 40) -}}
{{- $at := printf "scheduling.gangs.%s.members" $gang -}}
{{- if not (get $definition "members") -}}
{{- fail (printf "%s: none; name the groups that start together" $at) -}}
{{- end -}}
{{- range $name := keys $definition.members | sortAlpha -}}
{{- template "replica-operation.names.readable" (dict "path" $at "name" $name "limit" 40) -}}
{{- if not (has $name $operation.names) -}}
{{- template "replica-group.unknown" (dict "at" $at "what" "is no group" "name" $name "known" $operation.names) -}}
{{- end -}}
{{- if hasKey $operation.gangOf $name -}}
{{- fail (printf "%s: group %q is already in gang %q; a group is in one gang at most" $at $name (get $operation.gangOf $name)) -}}
{{- end -}}
{{- $_ := set $operation.gangOf $name $gang -}}
{{- end -}}
{{- end -}}
{{- if and $operation.gangs (has $operation.placement.backend (list "default" "none")) (eq $operation.admission.backend "none") -}}
{{- fail (printf "scheduling.gangs: a gang needs a placement backend, and scheduling.placement.backend is %q; set it to one that your cluster runs" $operation.placement.backend) -}}
{{- end -}}
{{- end -}}

{{/* Fill .into with the gangs, their settings, and their members' minimum, elasticity, order and locality worked out from the composed groups. */}}
{{- define "replica-operation.gangs.resolve" -}}
{{- $operation := .operation -}}
{{- range $gang, $definition := $operation.gangs -}}
{{- $members := dict -}}
{{- $bounds := dict -}}
{{- range $name, $member := $definition.members -}}
{{- $group := get $operation.groups $name -}}
{{- $sure := $group.replicas -}}
{{- $has := printf "has %d replicas; allowed: 1 to its replicas" $sure -}}
{{- $pods := $group.podsPerReplica -}}
{{- if $group.autoscaling -}}
{{- $sure = $group.autoscaling.min -}}
{{- $has = printf "may have no more than %d, its autoscaling.min; allowed: 1 to that" $sure -}}
{{- end -}}
{{- $min := $sure -}}
{{- if hasKey $member "min" -}}
{{- $min = int64 $member.min -}}
{{- end -}}
{{- if or (lt $min 1) (gt $min $sure) -}}
{{- fail (printf "scheduling.gangs.%s.members.%s.min: %d, but the group %s" $gang $name $min $has) -}}
{{- end -}}
{{- $elastic := or (hasKey $group "autoscaling") (lt $min $sure) (eq (get $member "elastic" | toString) "true") -}}
{{- if and $elastic (eq (get $member "elastic" | toString) "false") -}}
{{- fail (printf "scheduling.gangs.%s.members.%s.elastic: false, but the group %s, and min is %d, so it is elastic; leave it out, or let the group have min replicas without autoscaling" $gang $name (splitList ";" $has | first) $min) -}}
{{- end -}}
{{- $_ := set $members $name (dict "min" (mul $min $pods) "elastic" $elastic "order" (get $member "order" | default 0 | int64)) -}}
{{- $_ := set $bounds $name (dict "pods" (mul $sure $pods) "has" (ternary $has (printf "has %d pods" (mul $sure $pods)) (eq $pods 1))) -}}
{{- with get $group.spec "locality" -}}
{{- template "replica-operation.locality" (dict "into" (get $members $name) "asked" . "at" (printf "groups.%s.locality" $name) "levels" $operation.levels "bounds" (pick $bounds $name)) -}}
{{- end -}}
{{- end -}}
{{- $_ := set $.into $gang (dict "members" $members) -}}
{{- template "replica-operation.gangs.settings" (dict "into" (get $.into $gang) "name" $gang "definition" $definition "levels" $operation.levels "bounds" $bounds) -}}
{{- end -}}
{{- end -}}
