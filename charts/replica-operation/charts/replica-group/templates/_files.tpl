{{/* Mount the files of .group: fills .group.files, the data of its ConfigMap, and adds volumes, mounts, and a checksum that replaces the pods when a text changes. Entered where the field is given. */}}
{{- define "replica-group.files" -}}
{{- $group := .group -}}
{{- $data := dict -}}
{{- $bytes := 0 -}}
{{- range $use := $group.spec.files -}}
{{- $at := printf "groups.%s.files.%s" $group.name $use.name -}}
{{- template "replica-group.files.known" (dict "name" $use.name "at" $at "operation" $.operation) -}}
{{- $files := get $.operation.files $use.name -}}
{{- template "replica-group.files.mount" (dict "group" $group "use" $use "files" $files "at" $at) -}}
{{- range $file, $text := $files.content -}}
{{- $_ := set $data (printf "%s.%s" $use.name $file) $text -}}
{{- $bytes = add $bytes (len $text) -}}
{{- end -}}
{{- end -}}
{{- if gt $bytes 1000000 -}}
{{- fail (printf "groups.%s.files: %d bytes together, and a ConfigMap holds 1000000; put large files into an image or a volume" $group.name $bytes) -}}
{{- end -}}
{{- if $data -}}
{{- $_ := set $group "files" $data -}}
{{- $annotations := merge (dict "helm-roster.dev/files" (toJson $data | sha256sum)) (get $group.spec.environment "annotations" | default dict) -}}
{{- $_ := set $group.spec.environment "annotations" $annotations -}}
{{- end -}}
{{- end -}}

{{/* Refuse the name of files that nobody defined. */}}
{{- define "replica-group.files.known" -}}
{{- if not (hasKey .operation.files .name) -}}
{{- template "replica-group.unknown" (dict "at" .at "what" "are no files" "name" .name "known" (keys .operation.files) "otherwise" "define them under files") -}}
{{- end -}}
{{- end -}}

{{/* Add the volume and the mount of one use of files to the pods of .group. */}}
{{- define "replica-group.files.mount" -}}
{{- $use := .use -}}
{{- $names := keys .files.content | sortAlpha -}}
{{- if not (get $use "mountPath") -}}
{{- fail (printf "%s.mountPath: missing; say in which folder the files stand" .at) -}}
{{- end -}}
{{- if and (hasKey $use "subPath") (not (has $use.subPath $names)) -}}
{{- fail (printf "%s.subPath: %q is none of the files; allowed: %s" .at $use.subPath (join ", " $names)) -}}
{{- end -}}
{{- $items := list -}}
{{- range $file := $names -}}
{{- $items = append $items (dict "key" (printf "%s.%s" $use.name $file) "path" $file) -}}
{{- end -}}
{{- $source := dict "name" (print .group.object "-files") "items" $items -}}
{{- if hasKey .files "mode" -}}
{{- $_ := set $source "defaultMode" .files.mode -}}
{{- end -}}
{{- $volume := dict "name" (print "file-" $use.name) "configMap" $source -}}
{{- template "replica-group.volumes.add" (dict "group" .group "volume" $volume "mount" (pick $use "mountPath" "subPath") "for" .at) -}}
{{- end -}}
