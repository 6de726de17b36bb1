{{/* Settle the fill of .connection in .contribution: the Job, and the init container that waits for its marker. */}}
{{- define "replica-operation.fill" -}}
{{- $fill := .connection.fill -}}
{{- $at := printf "connections.%s.fill" .name -}}
{{- template "replica-operation.fill.check" (dict "connection" .connection "at" $at "contribution" .contribution "name" .name) -}}
{{- $container := pick $fill "image" "envFrom" "resources" -}}
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
{{- $hash := list $fill $volume (get .connection "subPath") | toJson | sha256sum | trunc 8 -}}
{{- $name := include "replica-operation.object" (dict "base" .operation.base "group" (print .name "-fill") "run" $hash) -}}
{{- $path := trimSuffix "/" .connection.mountPath -}}
{{- $marker := printf "%s/.helm-roster-%s" $path $hash -}}
{{- $script := "if [ -e \"$1\" ]; then echo \"filled already\"; exit 0; fi; marker=$1; shift; \"$@\" && : > \"$marker\"" -}}
{{- $command := concat (list "sh" "-c" $script "fill" $marker) $container.command (get $container "args" | default list) -}}
{{- $mount := merge (dict "name" .name "mountPath" .connection.mountPath) (pick .connection "subPath") -}}
{{- $made := set (set (omit $container "args" "command") "name" "fill") "command" $command -}}
{{- $_ := set $made "volumeMounts" (list $mount) -}}
{{- $pod := dict "restartPolicy" "OnFailure" "containers" (list $made) "volumes" (list (set (deepCopy $volume) "name" .name)) -}}
{{- $_ := set .contribution "fill" (dict "name" $name "pod" (merge $pod (get $fill "environment" | default dict))) -}}
{{- $said := printf "waiting for Job %s to fill %s" $name $path -}}
{{- $wait := "trap 'exit 143' TERM; [ -e \"$1\" ] || echo \"$2\"; while [ ! -e \"$1\" ]; do sleep 1; done" -}}
{{- $waiter := dict "order" -1 "connections" (list .name) "command" (list "sh" "-c" $wait "wait" $marker $said) -}}
{{- $_ := set .contribution "init" (dict (print .name "-filled") $waiter) -}}
{{- end -}}

{{/* Print the Jobs that fill the connections of .operation that a group lists. */}}
{{- define "replica-operation.fill.jobs" -}}
{{- range $name := keys (get . "filled" | default dict) | sortAlpha -}}
{{- $fill := (get $.connections $name).fill }}
---
apiVersion: batch/v1
kind: Job
metadata:
  {{- include "replica-operation.metadata" (dict "operation" $ "object" $fill.name "annotations" dict) | nindent 2 }}
spec:
  backoffLimit: 6
  template:
    metadata:
      labels:
        app.kubernetes.io/instance: {{ quote $.release }}
        helm-roster.dev/operation: {{ quote $.base }}
    spec:
      {{- toYaml $fill.pod | nindent 6 }}
{{- end }}
{{- end -}}
