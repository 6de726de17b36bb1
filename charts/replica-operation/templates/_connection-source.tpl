{{/* Put the source of the volume of .connection into .into; a claim that is made for it goes into .contribution.claim. */}}
{{- define "replica-operation.connections.source" -}}
{{- $connection := .connection -}}
{{- $kind := $connection.kind -}}
{{- if eq $kind "volumeClaim" -}}
{{- $_ := set .into "persistentVolumeClaim" (dict "claimName" $connection.claim) -}}
{{- else if eq $kind "newClaim" -}}
{{- $claim := dict "keep" (ne (get $connection "keep" | toString) "false") -}}
{{- $_ := set $claim "name" (include "replica-operation.object" (dict "base" .operation.base "group" .name "run" "")) -}}
{{- $_ := set $claim "spec" (include "replica-operation.connections.claim" (dict "connection" $connection "modes" "ReadWriteMany") | fromYaml) -}}
{{- $_ := set .contribution "claim" $claim -}}
{{- $_ := set .into "persistentVolumeClaim" (dict "claimName" $claim.name) -}}
{{- else if eq $kind "claimPerPod" -}}
{{- $spec := include "replica-operation.connections.claim" (dict "connection" $connection "modes" "ReadWriteOnce") | fromYaml -}}
{{- $asked := get $connection "keep" -}}
{{- $_ := set .contribution "claim" (dict "spec" $spec "asked" $asked "keep" (ne (toString $asked) "false")) -}}
{{- $_ := set .into "ephemeral" (dict "volumeClaimTemplate" (dict "spec" $spec)) -}}
{{- else if eq $kind "hostPath" -}}
{{- $_ := set .into "hostPath" (dict "path" $connection.path "type" (ternary (get $connection "type") "DirectoryOrCreate" (hasKey $connection "type"))) -}}
{{- else if eq $kind "bucket" -}}
{{- template "replica-operation.connections.bucket" . -}}
{{- else -}}
{{- $named := ternary "secretName" "name" (eq $kind "secret") -}}
{{- $source := set (pick $connection "items" "optional") $named (get $connection $kind) -}}
{{- if hasKey $connection "mode" -}}
{{- $mode := include "replica-group.mode" (dict "mode" $connection.mode "at" (printf "connections.%s.mode" .name)) -}}
{{- $_ := set $source "defaultMode" (int64 $mode) -}}
{{- end -}}
{{- $_ := set .into $kind $source -}}
{{- end -}}
{{- end -}}

{{/* Put the source of a bucket, a volume that a CSI driver makes for each pod, into .into; read-only as a whole, unless init containers fill it. */}}
{{- define "replica-operation.connections.bucket" -}}
{{- $source := set (pick .connection "driver") "volumeAttributes" (get .connection "attributes" | default dict) -}}
{{- if and (get .connection "readOnly") (not (get .connection "init")) -}}
{{- $_ := set $source "readOnly" true -}}
{{- end -}}
{{- with get .connection "secretName" -}}
{{- $_ := set $source "nodePublishSecretRef" (dict "name" .) -}}
{{- end -}}
{{- $_ := set .into "csi" $source -}}
{{- end -}}

{{/* Print the spec of the claim of .connection. .modes: the access mode that it has unless it says another. */}}
{{- define "replica-operation.connections.claim" -}}
{{- $spec := pick .connection "storageClassName" "volumeMode" -}}
{{- $_ := set $spec "accessModes" (get .connection "accessModes" | default (list .modes)) -}}
{{- $_ := set $spec "resources" (dict "requests" (dict "storage" .connection.size)) -}}
{{- toYaml $spec -}}
{{- end -}}
