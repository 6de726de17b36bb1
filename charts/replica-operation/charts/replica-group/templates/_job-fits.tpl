{{/* Refuse fields of operation.job that count more indexes than .group has, or name a container that its pods do not have. Entered where there are any. */}}
{{- define "replica-group.job.fits" -}}
{{- $group := .group -}}
{{- $job := .operation.job -}}
{{- if gt (get $job "maxFailedIndexes" | int64) $group.replicas -}}
{{- template "replica-group.job.beyond" (dict "at" "maxFailedIndexes" "value" $job.maxFailedIndexes "group" $group) -}}
{{- end -}}
{{- range $index, $rule := get (get $job "successPolicy" | default dict) "rules" | default list -}}
{{- $at := printf "successPolicy.rules.%d" $index -}}
{{- if gt (get $rule "succeededCount" | int64) $group.replicas -}}
{{- template "replica-group.job.beyond" (dict "at" (print $at ".succeededCount") "value" $rule.succeededCount "group" $group) -}}
{{- end -}}
{{- range $number := regexFindAll "[0-9]+" (get $rule "succeededIndexes" | default "") -1 -}}
{{- if ge (int64 $number) $group.replicas -}}
{{- template "replica-group.job.beyond" (dict "at" (print $at ".succeededIndexes") "value" $number "group" $group) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- range $index, $rule := get (get $job "podFailurePolicy" | default dict) "rules" | default list -}}
{{- $name := get (get $rule "onExitCodes" | default dict) "containerName" | default "main" -}}
{{- $known := list "main" -}}
{{- range $container := concat (get $group.spec "init" | default list) (get $group.spec "sidecars" | default list) -}}
{{- $known = append $known $container.name -}}
{{- end -}}
{{- if not (or (has $name $known) (hasKey $.operation.patches $group.name)) -}}
{{- template "replica-group.unknown" (dict "at" (printf "operation.job.podFailurePolicy.rules.%d.onExitCodes.containerName" $index) "what" (printf "is, in group %q, no container" $group.name) "name" $name "known" $known) -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* Refuse the .value at .at of operation.job, which .group has not got as many indexes for. */}}
{{- define "replica-group.job.beyond" -}}
{{- $count := .group.replicas -}}
{{- fail (printf "operation.job.%s: %v, but group %q has %d %s, counted from 0; the fields of operation.job hold for the Job of every group" .at .value .group.name $count (ternary "index" "indexes" (eq $count 1))) -}}
{{- end -}}
