{{/* Refuse what the pods of .group are told of ranks and nobody knows: $(LWS_…) that the controller of LeaderWorkerSets does not set, and such variables of the user's, which it would leave as they are. Entered where any value speaks of them. */}}
{{- define "replica-group.ranks" -}}
{{- $group := .group -}}
{{- template "replica-group.ranks.pod" (dict "pod" $group "group" $group) -}}
{{- if hasKey (get $group "leader" | default dict) "over" -}}
{{- template "replica-group.ranks.pod" (dict "pod" $group.leader "group" $group) -}}
{{- end -}}
{{- end -}}

{{/* The same for one .pod, that of the group or of its leaders. */}}
{{- define "replica-group.ranks.pod" -}}
{{- $containers := concat (list .pod.spec.container) (get .pod "initContainers" | default list) (get .pod "sidecars" | default list) -}}
{{- range $container := $containers -}}
{{- $field := ternary "container" (print "container " $container.name) (eq $container.name "main") -}}
{{- template "replica-group.ranks.container" (dict "container" $container "group" $.group "at" (printf "groups.%s.%s" $.pod.name $field)) -}}
{{- end -}}
{{- end -}}

{{/* The same for one .container. */}}
{{- define "replica-group.ranks.container" -}}
{{- $known := list "LWS_GROUP_SIZE" "LWS_LEADER_ADDRESS" "LWS_WORKER_INDEX" -}}
{{- $ranked := eq .group.kind "LeaderWorkerSet" -}}
{{- $env := get .container "env" | default dict -}}
{{- range $name, $value := omit $env "@order" -}}
{{- if and $ranked (has $name $known) (not (kindIs "invalid" $value)) -}}
{{- fail (printf "%s.env.%s: each pod of a LeaderWorkerSet is told its own, and this would stand in its place; leave it out, or take another name" $.at $name) -}}
{{- end -}}
{{- end -}}
{{- range $found := regexFindAll `\$\(LWS_\w*\)` (pick .container "args" "command" "env" | toJson | replace "$$" "") -1 | uniq -}}
{{- $name := trimSuffix ")" (trimPrefix "$(" $found) -}}
{{- if kindIs "invalid" (get $env $name) | or (hasKey $env $name | not) -}}
{{- if not $ranked -}}
{{- fail (printf "%s: %s, which only the pods of a LeaderWorkerSet are told, and the group is a %s; set groups.%s.podsPerReplica, or leave out what refers to it" $.at $found $.group.kind $.group.name) -}}
{{- else if not (has $name $known) -}}
{{- template "replica-group.unknown" (dict "at" $.at "what" "is no variable of LeaderWorkerSets" "name" $name "known" $known) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}
