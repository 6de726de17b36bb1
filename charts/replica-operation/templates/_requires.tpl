{{/* Refuse groups of .operation that require or wait for each other in a circle, directly or over others: none would ever be ready. Noted by what must come before a group is ready, and, as NAME@start, before its pods start. */}}
{{- define "replica-operation.requires" -}}
{{- $before := dict -}}
{{- range $name, $group := .operation.groups -}}
{{- with get $group "waiting" -}}
{{- $_ := set $group "deadline" (add (get $group "deadline" | default 600) .) -}}
{{- end -}}
{{- if $group.requires -}}
{{- template "replica-group.readiness.checked" $group -}}
{{- $_ := set $before $name $group.requires -}}
{{- template "replica-operation.requires.deadline" (dict "group" $group "groups" $.operation.groups) -}}
{{- end -}}
{{- with get $group "waitsFor" -}}
{{- $_ := set $before (print $name "@start") (keys . | sortAlpha) -}}
{{- $_ := set $before $name (append $group.requires (print $name "@start")) -}}
{{- end -}}
{{- end -}}
{{- $cleared := dict -}}
{{- range $name := keys $before | sortAlpha -}}
{{- template "replica-operation.requires.follow" (dict "path" (list $name) "cleared" $cleared "before" $before "groups" $.operation.groups) -}}
{{- end -}}
{{- end -}}

{{/* Let a .group that is ready only with others take the longest time that these may wait and take to start, else it would count as stuck meanwhile. */}}
{{- define "replica-operation.requires.deadline" -}}
{{- $longest := 0 -}}
{{- range $name := .group.requires -}}
{{- $other := get $.groups $name -}}
{{- range $part := list $other (get $other "leader" | default dict) -}}
{{- $longest = max $longest (add (get $part "waiting" | int64) (get $part "starting" | int64)) -}}
{{- end -}}
{{- end -}}
{{- if $longest -}}
{{- $_ := set .group "deadline" (add (get .group "deadline" | default 600) $longest) -}}
{{- end -}}
{{- end -}}

{{/* Follow what comes .before the last of .path; .cleared are those known to lead into no circle. */}}
{{- define "replica-operation.requires.follow" -}}
{{- $name := last .path -}}
{{- if has $name (initial .path) -}}
{{- $circle := list -}}
{{- range $step := .path -}}
{{- if or $circle (eq $step $name) -}}
{{- $circle = append $circle $step -}}
{{- end -}}
{{- end -}}
{{- template "replica-operation.requires.circle" (dict "circle" $circle "groups" .groups) -}}
{{- end -}}
{{- if not (hasKey .cleared $name) -}}
{{- range $needed := get .before $name | default list -}}
{{- template "replica-operation.requires.follow" (set (omit $ "path") "path" (append $.path $needed)) -}}
{{- end -}}
{{- $_ := set .cleared $name true -}}
{{- end -}}
{{- end -}}

{{/* Refuse the .circle, a path that ends where it begins, by the place of its first step. */}}
{{- define "replica-operation.requires.circle" -}}
{{- $names := list -}}
{{- $at := "" -}}
{{- range $i, $step := initial .circle -}}
{{- $name := trimSuffix "@start" $step -}}
{{- $next := index $.circle (add1 $i) -}}
{{- if ne (trimSuffix "@start" $next) $name -}}
{{- $names = append $names $name -}}
{{- $waits := get (get $.groups $name) "waitsFor" | default dict -}}
{{- $at = $at | default (ternary (get $waits $next) (printf "groups.%s.readiness.requires" $name) (hasSuffix "@start" $step)) -}}
{{- end -}}
{{- end -}}
{{- fail (printf "%s: %s is a circle, in which no group would ever be ready; take one out" $at (append $names (first $names) | join " -> ")) -}}
{{- end -}}
