{{/* Note in .on.leaders what the layer .from says of the first pod of each replica, with the layer, as one to be laid over the group; null, `unset` and a layer that replaces take away what lower ones say. */}}
{{- define "replica-group.leader.collect" -}}
{{- $leaders := get .on "leaders" | default list -}}
{{- range $path := get .from "unset" | default list -}}
{{- if eq $path "leader" -}}
{{- $leaders = list -}}
{{- else if hasPrefix "leader." $path -}}
{{- fail (printf "%s.unset: %q; what the leader does without stands under leader.unset, as %q" $.layer $path (trimPrefix "leader." $path)) -}}
{{- end -}}
{{- end -}}
{{- if hasKey .from "leader" -}}
{{- if or (kindIs "invalid" .from.leader) (eq .strategy "replace") -}}
{{- $leaders = list -}}
{{- end -}}
{{- with .from.leader -}}
{{- template "replica-group.leader.fields" (dict "fields" . "at" (print $.layer ".leader")) -}}
{{- $leaders = append $leaders (dict "layer" (print $.layer ".leader") "from" . "strategy" "") -}}
{{- end -}}
{{- end -}}
{{- $_ := set .on "leaders" $leaders -}}
{{- end -}}

{{/* Refuse in .fields, of a leader, what holds for a whole group. */}}
{{- define "replica-group.leader.fields" -}}
{{- $own := list "accelerators" "claims" "cmd" "connections" "container" "devices" "environment" "files" "fillsNode" "init" "networks" "readiness" "resources" "shm" "sidecars" "startup" "unset" "volumes" -}}
{{- range $field, $value := .fields -}}
{{- if kindIs "invalid" $value -}}
{{- else if eq $field "presets" -}}
{{- fail (printf "%s.presets: the leader has the presets of its group, but for those of accelerators that it lacks; list them there, or write their fields here" $.at) -}}
{{- else if not (has $field $own) -}}
{{- fail (printf "%s.%s: a leader is one pod of each replica, and this holds for the whole group; move it there" $.at $field) -}}
{{- end -}}
{{- end -}}
{{- if kindIs "slice" (get (get .fields "readiness" | default dict) "requires") -}}
{{- fail (printf "%s.readiness.requires: what must be up holds for the whole group; move it there" .at) -}}
{{- end -}}
{{- if get (get .fields "environment" | default dict) "serviceAccount" -}}
{{- fail (printf "%s.environment.serviceAccount: the account of the group is the leader's too; say it there, or name an existing one by serviceAccountName" .at) -}}
{{- end -}}
{{- end -}}
