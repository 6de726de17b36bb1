{{/* Put into .operation.connections what .connection gives: .container and .pod, partial groups; .paths, where it is mounted; .init, with .writable, what these get in place of .container; .readOnly, "always" where the volume itself is so; .account and .claim. */}}
{{- define "replica-operation.connections.contribution" -}}
{{- $connection := .connection -}}
{{- $contribution := dict "paths" list "container" dict "pod" dict -}}
{{- $fills := get $connection "fill" -}}
{{- $mounts := dict -}}
{{- template "replica-operation.connections.mounts" (dict "into" $mounts "connection" $connection "name" .name) -}}
{{- $_ := set $contribution "paths" (keys $mounts | sortAlpha) -}}
{{- with $mounts -}}
{{- $_ := set $contribution.container (ternary "volumeDevices" "volumeMounts" (eq (get $connection "volumeMode") "Block")) . -}}
{{- end -}}
{{- if or $mounts (not (has $connection.kind (list "secret" "configMap"))) -}}
{{- $source := dict -}}
{{- template "replica-operation.connections.source" (dict "into" $source "connection" $connection "contribution" $contribution "name" .name "operation" .operation) -}}
{{- with $source -}}
{{- $_ := set $contribution.pod "volumes" (dict $.name .) -}}
{{- end -}}
{{- end -}}
{{- template "replica-operation.connections.env" (dict "into" $contribution.container "connection" $connection "name" .name) -}}
{{- with get $connection "annotations" -}}
{{- $_ := set $contribution.pod "environment" (dict "annotations" .) -}}
{{- end -}}
{{- $_ := set $contribution "account" (get $connection "serviceAccountName") -}}
{{- if or $fills (get $connection "readOnly") -}}
{{- $_ := set $contribution "readOnly" (ternary "always" "mounts" (and (eq $connection.kind "bucket") (not (get $connection "init")))) -}}
{{- end -}}
{{- range $name, $container := get $connection "init" | default dict -}}
{{- if hasKey $container "accelerators" -}}
{{- fail (printf "connections.%s.init.%s.accelerators: groups with accelerators count them themselves; give the container to a group as its init.%s" $.name $name $name) -}}
{{- end -}}
{{- end -}}
{{- with get $connection "init" -}}
{{- $_ := set $contribution "init" dict -}}
{{- $_ := set $contribution "writable" (deepCopy $contribution.container) -}}
{{- range $mount := get $contribution.writable "volumeMounts" | default dict -}}
{{- $_ := unset $mount "readOnly" -}}
{{- end -}}
{{- range $name, $container := . -}}
{{- $names := get $container "connections" | default list -}}
{{- if kindIs "map" $names -}}
{{- $names = keys $names | sortAlpha -}}
{{- end -}}
{{- $_ := set $contribution.init $name (set (omit $container "connections") "connections" (prepend $names $.name | uniq)) -}}
{{- end -}}
{{- end -}}
{{- if $fills -}}
{{- template "replica-operation.fill" (dict "connection" $connection "name" .name "contribution" $contribution "operation" .operation) -}}
{{- end -}}
{{- $_ := set .operation.connections .name $contribution -}}
{{- end -}}

{{/* Fill .into with the mounts of .connection by path. */}}
{{- define "replica-operation.connections.mounts" -}}
{{- $shared := ternary (dict "readOnly" true) (pick .connection "readOnly") (not (not (get .connection "fill"))) -}}
{{- $mounts := get .connection "mounts" | default dict -}}
{{- with get .connection "mountPath" -}}
{{- $mounts = dict . (pick $.connection "subPath") -}}
{{- end -}}
{{- range $path, $mount := $mounts -}}
{{- if and (eq (get $.connection "volumeMode") "Block") (or $mount $shared) -}}
{{- fail (printf "connections.%s: volumeMode Block makes a device at %s, which has no subPath and no readOnly; leave them out" $.name $path) -}}
{{- end -}}
{{- $_ := set $.into $path (mergeOverwrite (dict "name" $.name) $shared $mount) -}}
{{- end -}}
{{- end -}}

{{/* Put the environment that .connection gives into .into: its own variables, single keys of its object, or the whole object. */}}
{{- define "replica-operation.connections.env" -}}
{{- $connection := .connection -}}
{{- $object := dict "name" (get $connection $connection.kind) -}}
{{- if hasKey $connection "optional" -}}
{{- $_ := set $object "optional" $connection.optional -}}
{{- end -}}
{{- $env := get $connection "env" | default dict | deepCopy -}}
{{- range $name, $key := get $connection "envKeys" | default dict -}}
{{- $_ := set $env $name (dict "valueFrom" (dict (print $connection.kind "KeyRef") (set (deepCopy $object) "key" $key))) -}}
{{- end -}}
{{- with $env -}}
{{- $_ := set $.into "env" . -}}
{{- end -}}
{{- if get $connection "envFrom" -}}
{{- $source := set (pick $connection "prefix") (print $connection.kind "Ref") $object -}}
{{- $_ := set .into "envFrom" (dict .name $source) -}}
{{- end -}}
{{- end -}}
