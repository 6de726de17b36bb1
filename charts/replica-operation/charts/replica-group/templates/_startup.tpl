{{/* Give the main container of .group the time that it may take to start: a startupProbe, by its own handler or that of another probe, which fails often enough. Entered where the field is given. */}}
{{- define "replica-group.startup" -}}
{{- $container := .group.spec.container -}}
{{- $timeout := get .group.spec.startup "timeout" -}}
{{- if hasKey .group.spec.startup "timeout" -}}
{{- $at := printf "groups.%s.startup.timeout" .group.name -}}
{{- $seconds := include "replica-group.seconds" (dict "value" $timeout "at" $at) | int64 -}}
{{- $handlers := list "exec" "grpc" "httpGet" "tcpSocket" -}}
{{- $own := get $container "startupProbe" | default dict -}}
{{- $probe := dict -}}
{{- range $name := list "startupProbe" "livenessProbe" "readinessProbe" -}}
{{- $other := get $container $name | default dict -}}
{{- $waits := and (eq $name "readinessProbe") (include "replica-group.startup.waits" $.group.spec) -}}
{{- if and (not $probe) (not $waits) (include "replica-group.any.key" (dict "map" $other "keys" $handlers)) -}}
{{- $probe = pick $other "exec" "grpc" "httpGet" "tcpSocket" "timeoutSeconds" "periodSeconds" -}}
{{- end -}}
{{- end -}}
{{- $unstarted := "" -}}
{{- if not $probe -}}
{{- $unstarted = printf "%s: %s, but nothing tells when the container has started; give it a startupProbe, livenessProbe or readinessProbe that depends on no other group" $at $timeout -}}
{{- end -}}
{{- if and $unstarted (or (get .group "leaders") (hasKey .group "over")) -}}
{{- $_ := set .group "unstarted" $unstarted -}}
{{- else if $unstarted -}}
{{- fail $unstarted -}}
{{- else -}}
{{- $probe = mergeOverwrite $probe $own -}}
{{- $delay := get $probe "initialDelaySeconds" | default 0 | int64 -}}
{{- $period := get $probe "periodSeconds" | default 10 | int64 -}}
{{- if le $seconds $delay -}}
{{- fail (printf "%s: %s, but startupProbe.initialDelaySeconds is %d; allowed: a longer time" $at $timeout $delay) -}}
{{- end -}}
{{- $_ := set $probe "failureThreshold" (div (add (sub $seconds $delay) $period -1) $period) -}}
{{- $_ := set $container "startupProbe" $probe -}}
{{- $_ := set .group "starting" $seconds -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* Print "true" where the readinessProbe of a group, written as its container's, may wait for others: it requires some, or is a router, which by default requires what it serves. */}}
{{- define "replica-group.startup.waits" -}}
{{- $router := get . "router" -}}
{{- $serves := and (or (kindIs "map" $router) (eq (toString $router) "true")) (not (hasKey .readiness "requires")) -}}
{{- if and (or $serves (get .readiness "requires")) (not (get .readiness "probe")) }}true{{ end -}}
{{- end -}}

{{/* Let a layer's own failureThreshold take the place of a lower layer's timeout, which would set it and give a handler, where the startupProbe has one. */}}
{{- define "replica-group.startup.overruled" -}}
{{- $probe := get (get .from "container" | default dict) "startupProbe" | default dict -}}
{{- $whole := merge dict $probe (get (get .spec "container" | default dict) "startupProbe" | default dict) -}}
{{- $handled := include "replica-group.any.key" (dict "map" $whole "keys" (list "exec" "grpc" "httpGet" "tcpSocket")) -}}
{{- if and $handled (not (kindIs "invalid" (get $probe "failureThreshold"))) -}}
{{- $_ := unset .spec.startup "timeout" -}}
{{- template "replica-group.trace.forget" (dict "walk" .walk "path" "startup.timeout") -}}
{{- end -}}
{{- end -}}

{{/* Print a duration such as 1h30m in seconds. .or: what else may stand there, for the refusals. */}}
{{- define "replica-group.seconds" -}}
{{- $text := toString .value -}}
{{- if not (and (kindIs "string" .value) (regexMatch "^([0-9]{1,5}h)?([0-9]{1,6}m)?([0-9]{1,8}s)?$" $text)) -}}
{{- fail (printf "%s: %s is no duration; write hours, minutes and seconds, such as 45m or 1h30m%s" .at (toJson .value) (get . "or" | default "")) -}}
{{- end -}}
{{- $total := 0 -}}
{{- range $unit, $seconds := dict "h" 3600 "m" 60 "s" 1 -}}
{{- $number := regexFind (print "[0-9]+" $unit) $text | trimSuffix $unit | int64 -}}
{{- $total = add $total (mul $number $seconds) -}}
{{- end -}}
{{- if lt $total 1 -}}
{{- fail (printf "%s: %q is no time; write a second or more, such as 45m%s" .at $text (get . "or" | default "")) -}}
{{- end -}}
{{- $total -}}
{{- end -}}
