{{/* Settle the init containers and sidecars of .group into .group.initContainers and .group.sidecars, in the order in which they start. */}}
{{- define "replica-group.containers" -}}
{{- $group := .group -}}
{{- $names := dict "main" "container" -}}
{{- $starting := dict -}}
{{- $plain := list -}}
{{- range $field := list "init" "sidecars" -}}
{{- range $index, $container := get $group.spec $field | default list -}}
{{- $at := printf "groups.%s.%s.%s" $group.name $field $container.name -}}
{{- if hasKey $names $container.name -}}
{{- fail (printf "%s: the pod's %s has this name too; names of containers are unique in a pod, so choose another" $at (get $names $container.name)) -}}
{{- end -}}
{{- $_ := set $names $container.name $field -}}
{{- $settled := dict -}}
{{- template "replica-group.containers.settle" (dict "into" $settled "from" $container "at" $at "main" $group.spec.container) -}}
{{- if or (get $container "waitFor") (and (hasKey $container "waitFor") (not (pick $container "args" "cmd" "command" "extraArgs" "image"))) -}}
{{- template "replica-group.wait" (dict "group" $group "from" $container "into" $settled "at" $at) -}}
{{- else if and (hasKey (get $group "waited" | default dict) $container.name) (eq $field "init") (not (pick $container "args" "cmd" "command" "extraArgs")) -}}
{{- fail (printf "%s: a layer takes waitFor away, and nothing else says what the container runs; say null in place of all of it, or give it a command" $at) -}}
{{- end -}}
{{- template "replica-group.mounts" (dict "group" $group "container" $settled "at" $at "connected" (get $.paths (printf "%s.%s" $field $container.name))) -}}
{{- with get $settled "resources" -}}
{{- template "replica-group.resources" (dict "resources" . "at" (print $at ".resources")) -}}
{{- end -}}
{{- if eq $field "sidecars" -}}
{{- template "replica-group.probes" (dict "group" $group "container" $settled "at" $at) -}}
{{- end -}}
{{- if and (eq $field "sidecars") (eq (get $container "native" | toString) "false") -}}
{{- if hasKey $container "order" -}}
{{- fail (printf "%s.order: %v, but native is false; plain sidecars start together with the main container, so leave it out" $at $container.order) -}}
{{- end -}}
{{- $plain = append $plain $settled -}}
{{- else -}}
{{- if eq $field "sidecars" -}}
{{- $_ := set $settled "restartPolicy" "Always" -}}
{{- end -}}
{{- $place := printf "%04d/%s/%04d" (get $container "order" | default 0 | int64 | add 1000) $field $index -}}
{{- $_ := set $starting $place $settled -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- $first := list -}}
{{- range $place, $container := $starting -}}
{{- $first = append $first $container -}}
{{- end -}}
{{- $_ := set $group "initContainers" $first -}}
{{- $_ := set $group "sidecars" $plain -}}
{{- end -}}

{{/* Fill .into with the container .from as Kubernetes writes it; .main lends its image. .at names it. */}}
{{- define "replica-group.containers.settle" -}}
{{- range $field, $value := omit .from "accelerators" "native" "order" "connections" "cmd" "command" "args" "extraArgs" "waitFor" -}}
{{- $_ := set $.into $field $value -}}
{{- end -}}
{{- if not (get .into "image") -}}
{{- if and (hasKey .into "image") (kindIs "string" (get .into "image")) -}}
{{- fail (printf "%s.image: empty; give the container its image, or null for that of the main container" .at) -}}
{{- end -}}
{{- range $field, $value := pick .main "image" "imagePullPolicy" -}}
{{- if not (hasKey $.into $field) -}}
{{- $_ := set $.into $field $value -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- template "replica-group.command.settle" (dict "into" .into "from" .from "at" .at "args" "args") -}}
{{- template "replica-group.require.env-from" (dict "container" .into "at" .at) -}}
{{- template "replica-group.env.order" (dict "container" .into "path" (print .at ".env")) -}}
{{- end -}}
