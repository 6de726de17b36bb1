{{/* Settle the fill of .connection in .contribution: the Job, named by all of its pod, which nobody may change, and the init container that waits for its marker, named by what is done, however the Job does it. */}}
{{- define "replica-operation.fill" -}}
{{- $fill := .connection.fill -}}
{{- $at := printf "connections.%s.fill" .name -}}
{{- template "replica-operation.fill.check" (dict "connection" .connection "at" $at "contribution" .contribution "name" .name) -}}
{{- $container := pick $fill "image" "envFrom" "resources" -}}
{{- $around := get $fill "environment" | default dict | deepCopy -}}
{{- template "replica-operation.fill.listed" (dict "node" $container "shape" .operation.shape.container "at" $at "fields" (list "envFrom")) -}}
{{- template "replica-operation.fill.listed" (dict "node" $around "shape" .operation.shape.environment "at" (print $at ".environment") "fields" (list "tolerations" "imagePullSecrets")) -}}
{{- range $field := list "cmd" "command" "args" -}}
{{- with get $fill $field -}}
{{- template "replica-group.require.strings" (dict "value" . "path" (print $at "." $field)) -}}
{{- end -}}
{{- end -}}
{{- template "replica-group.command.settle" (dict "into" $container "from" $fill "at" $at "args" (print $at ".args")) -}}
{{- template "replica-group.require.env-from" (dict "container" $container "at" $at) -}}
{{- with get $fill "env" -}}
{{- $env := list -}}
{{- range $name := keys . | sortAlpha -}}
{{- $entry := get $fill.env $name -}}
{{- range $key := list "fromGroup" "fromRole" "fromPort" -}}
{{- if and (kindIs "map" $entry) (hasKey (ternary $entry dict (kindIs "map" $entry)) $key) -}}
{{- fail (printf "%s.env.%s: %s is for containers of groups; give a value" $at $name $key) -}}
{{- end -}}
{{- end -}}
{{- template "replica-group.require.env" (dict "entry" $entry "path" (printf "%s.env.%s" $at $name)) -}}
{{- $env = append $env (ternary (dict "name" $name "value" $entry) (merge (dict "name" $name) (ternary $entry dict (kindIs "map" $entry))) (kindIs "string" $entry)) -}}
{{- end -}}
{{- $_ := set $container "env" $env -}}
{{- end -}}
{{- $volume := get .contribution.pod.volumes .name -}}
{{- $done := list (omit $container "resources") $volume (get .connection "subPath") -}}
{{- $path := trimSuffix "/" .connection.mountPath -}}
{{- $marker := printf "%s/.helm-roster-%s" $path ($done | toJson | sha256sum | trunc 8) -}}
{{- $script := "if [ -e \"$1\" ]; then echo \"filled already\"; exit 0; fi; marker=$1; shift; \"$@\" && : > \"$marker\"" -}}
{{- $command := concat (list "sh" "-c" $script "fill" $marker) $container.command (get $container "args" | default list) -}}
{{- $mount := merge (dict "name" .name "mountPath" .connection.mountPath) (pick .connection "subPath") -}}
{{- $made := set (set (omit $container "args" "command") "name" "fill") "command" $command -}}
{{- $_ := set $made "volumeMounts" (list $mount) -}}
{{- $pod := dict "restartPolicy" "Never" "containers" (list $made) "volumes" (list (set (deepCopy $volume) "name" .name)) -}}
{{- $pod = merge $pod $around -}}
{{- $hash := toJson $pod | sha256sum | trunc 8 -}}
{{- $name := include "replica-operation.object" (dict "base" .operation.base "group" (print .name "-fill") "run" $hash) -}}
{{- $seconds := include "replica-group.seconds" (dict "value" (get $fill "timeout" | default "2h") "at" (print $at ".timeout")) | int64 -}}
{{- $_ := set .contribution "fill" (dict "name" $name "pod" $pod "seconds" $seconds) -}}
{{- $script = include "replica-operation.fill.wait" . -}}
{{- $command = list "sh" "-c" $script "wait" $marker (printf "the Job of connection %s to fill %s" .name $path) (toString $seconds) -}}
{{- $waiter := dict "order" -1 "connections" (list .name) "command" $command "terminationMessagePolicy" "FallbackToLogsOnError" -}}
{{- $_ := set .contribution "init" (dict (print .name "-filled") $waiter) -}}
{{- end -}}

{{/* What a container runs that waits for the marker $1, which is $2, for $3 seconds at most. Where the end of an init container would make a whole replica anew, as a LeaderWorkerSet does, it says so and goes on. */}}
{{- define "replica-operation.fill.wait" -}}
trap 'exit 143' TERM
[ -e "$1" ] || echo "waiting for $2, at most $3 seconds"
left=$3
while [ ! -e "$1" ]; do
  if [ "$left" -le 0 ]; then
    echo "gave up after $3 seconds of waiting for $2" >&2
    [ -n "${LWS_GROUP_SIZE:-}" ] || exit 1
    left=$3
  fi
  left=$((left - 1))
  sleep 1
done
{{- end -}}
