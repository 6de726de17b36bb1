{{/* Refuse more .users of a claim than it may have. */}}
{{- define "replica-operation.device-claims.shared" -}}
{{- $pods := 0 -}}
{{- range $user := .users -}}
{{- $group := get $.operation.groups $user.group -}}
{{- $most := get ($group.autoscaling | default dict) "max" | default $group.replicas -}}
{{- $leaders := ternary 1 0 (not (not (get $group "leaders"))) -}}
{{- $pods = add $pods (mul $most (ternary 1 (sub $group.podsPerReplica $leaders) $user.leads)) -}}
{{- end -}}
{{- if gt $pods 256 -}}
{{- fail (printf "%s: %d pods share it, and Kubernetes lets at most 256 pods use one claim; give each pod its own, or make several" .at $pods) -}}
{{- end -}}
{{- end -}}

{{/* Print how many pods .users of a claim are together. */}}
{{- define "replica-operation.compute-domains.pods" -}}
{{- $pods := 0 -}}
{{- range $user := .users -}}
{{- $group := get $.operation.groups $user.group -}}
{{- if $group.autoscaling -}}
{{- fail (printf "%s: true, but the pods of %q, which uses the claim, are counted by its autoscaler; leave it out, numNodes is then 0" $.at $user.group) -}}
{{- end -}}
{{- $leaders := ternary $group.replicas 0 (not (not (get $group "leaders"))) -}}
{{- $pods = add $pods (ternary $group.replicas (sub (mul $group.replicas $group.podsPerReplica) $leaders) $user.leads) -}}
{{- end -}}
{{- $pods -}}
{{- end -}}

{{/* Note that groups of which one ComputeDomain counts the pods depend on each other's count, and each on its own. */}}
{{- define "replica-operation.compute-domains.dependents" -}}
{{- range $name, $object := get .operation "claimObjects" | default dict -}}
{{- if get (get (get $.operation.deviceClaims $name) "computeDomain" | default dict) "countNodes" -}}
{{- $users := list -}}
{{- range $user := get $.operation.claimUsers $name -}}
{{- $users = append $users $user.group | uniq -}}
{{- end -}}
{{- range $user := $users -}}
{{- $group := get $.operation.groups $user -}}
{{- $reads := get $group "reads" | default dict -}}
{{- range $other := $users -}}
{{- $_ := set $reads $other (append (get $reads $other | default list) "computeDomain" | uniq) -}}
{{- end -}}
{{- $_ := set $group "reads" $reads -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}
