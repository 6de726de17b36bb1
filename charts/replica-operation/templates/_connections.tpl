{{/* Read the connections of .values, without nulls, into .operation.connections, each with what it gives to a container and to a pod; .operation.connectionsOnly, the layers without all else, serves to find who uses them. */}}
{{- define "replica-operation.connections" -}}
{{- $operation := .operation -}}
{{- $given := dict -}}
{{- template "replica-operation.given" (dict "into" $given "from" .values.connections) -}}
{{- $_ := set $operation "connections" dict -}}
{{- if $given -}}
{{- $kinds := include "replica-operation.connections.kinds" . | fromYaml -}}
{{- range $name, $connection := $given -}}
{{- template "replica-operation.names.readable" (dict "path" "connections" "name" $name "limit" 63) -}}
{{- $at := print "connections." $name -}}
{{- template "replica-operation.connections.check" (dict "connection" $connection "at" $at "kinds" $kinds) -}}
{{- template "replica-operation.connections.texts" (dict "connection" $connection "at" $at) -}}
{{- template "replica-operation.connections.contribution" (dict "connection" $connection "name" $name "operation" $operation) -}}
{{- end -}}
{{- range $name, $contribution := $operation.connections -}}
{{- range $container, $init := get $contribution "init" | default dict -}}
{{- range $used := $init.connections -}}
{{- template "replica-group.connections.known" (dict "name" $used "at" (printf "connections.%s.init.%s.connections" $name $container) "operation" $operation) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- $only := dict "shape" $operation.shape "traced" false "bases" dict "found" dict "builtin" dict "presets" dict -}}
{{- $_ := set $only "defaults" (pick $operation.defaults "connections" "init" "sidecars" "unset") -}}
{{- range $name, $preset := $operation.presets -}}
{{- $_ := set $only.presets $name (pick $preset "connections" "init" "sidecars" "unset" "patchStrategy") -}}
{{- end -}}
{{- $_ := set $operation "connectionsOnly" $only -}}
{{- end -}}

{{/* The keys of each kind of connection: those that it needs, those that it may have besides, and those of all kinds. */}}
{{- define "replica-operation.connections.kinds" -}}
volumeClaim: {needs: [claim], reads: [fill]}
newClaim: {needs: [size], reads: [storageClassName, accessModes, volumeMode, keep, fill]}
claimPerPod: {needs: [size], reads: [storageClassName, accessModes, volumeMode, keep]}
hostPath: {needs: [path], reads: [type]}
bucket: {needs: [driver], reads: [attributes, secretName]}
secret: {needs: [secret], reads: [items, optional, mode, envKeys, envFrom, prefix]}
configMap: {needs: [configMap], reads: [items, optional, mode, envKeys, envFrom, prefix]}
all: {reads: [kind, mountPath, subPath, readOnly, mounts, env, annotations, serviceAccountName, init]}
{{- end -}}

{{/* Refuse a connection that lacks a key of its kind, has one that its kind does not read, or gives nothing. */}}
{{- define "replica-operation.connections.check" -}}
{{- $connection := .connection -}}
{{- $kind := get $connection "kind" -}}
{{- $known := omit .kinds "all" -}}
{{- if not (hasKey $known $kind) -}}
{{- fail (printf "%s.kind: %s; allowed: %s" .at ($kind | default "missing") (keys $known | sortAlpha | join ", ")) -}}
{{- end -}}
{{- range $key := (get $known $kind).needs -}}
{{- if not (get $connection $key) -}}
{{- $unread := list -}}
{{- range $given := keys $connection | sortAlpha -}}
{{- if not (has $given (concat (get $known $kind).reads $.kinds.all.reads)) -}}
{{- $unread = append $unread $given -}}
{{- end -}}
{{- end -}}
{{- fail (printf "%s.%s: missing; a connection of kind %s needs it%s" $.at $key $kind (ternary (printf " and does not read %s" (join ", " $unread)) "" (gt (len $unread) 0))) -}}
{{- end -}}
{{- end -}}
{{- range $key := keys $connection | sortAlpha -}}
{{- if not (has $key (concat (get $known $kind).needs (get $known $kind).reads $.kinds.all.reads)) -}}
{{- fail (printf "%s.%s: a connection of kind %s does not read it; leave it out" $.at $key $kind) -}}
{{- end -}}
{{- end -}}
{{- if and (get $connection "mountPath") (get $connection "mounts") -}}
{{- fail (printf "%s: mountPath and mounts both say where it is mounted; keep one" .at) -}}
{{- end -}}
{{- if and (hasKey $connection "subPath") (not (get $connection "mountPath")) -}}
{{- fail (printf "%s.subPath: without mountPath; give mountPath, or write it under its path in mounts" .at) -}}
{{- end -}}
{{- range $key := keys (ternary (pick $connection "items" "mode" "readOnly") (pick $connection "readOnly") (has $kind (list "secret" "configMap"))) | sortAlpha -}}
{{- if not (or (get $connection "mountPath") (get $connection "mounts") (eq $kind "bucket")) -}}
{{- fail (printf "%s.%s: without mountPath or mounts it says nothing; give one, or leave it out" $.at $key) -}}
{{- end -}}
{{- end -}}
{{- if and (get $connection "prefix") (not (get $connection "envFrom")) -}}
{{- fail (printf "%s.prefix: without envFrom: true, whose names it begins; set that, or leave it out" .at) -}}
{{- end -}}
{{- $contribution := pick $connection "mountPath" "mounts" "env" "envKeys" "envFrom" "annotations" "serviceAccountName" "init" -}}
{{- if and (has $kind (list "secret" "configMap")) (not (values $contribution | compact)) -}}
{{- fail (printf "%s: gives nothing to a pod; set mountPath, envKeys or envFrom" .at) -}}
{{- end -}}
{{- end -}}
