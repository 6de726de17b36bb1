{{/* Apply one layer to .on.spec: first its `unset`, then what its strategy clears, then its fields. */}}
{{- define "replica-group.layers.apply" -}}
{{- $from := .from -}}
{{- $spec := .on.spec -}}
{{- $walk := dict "layer" .layer "trace" .on.trace "traced" .operation.traced -}}
{{- range $path := get $from "unset" | default list -}}
{{- template "replica-group.layers.unset" (dict "path" $path "spec" $spec "walk" $walk "on" $.on) -}}
{{- end -}}
{{- if and (hasKey .on "connected") (hasKey $from "unset") -}}
{{- template "replica-group.connections.unset" (dict "from" $from "on" .on "operation" .operation "traced" .operation.traced) -}}
{{- end -}}
{{- if eq .strategy "isnull" -}}
{{- $from = deepCopy (omit $from "unset" "patchStrategy") -}}
{{- template "replica-group.layers.untaken" (dict "from" $from "taken" .taken) -}}
{{- end -}}
{{- if or (hasKey $from "leader") (hasKey .from "unset") -}}
{{- template "replica-group.leader.collect" (dict "from" (merge (pick $from "leader") (pick .from "unset")) "strategy" .strategy "layer" .layer "on" .on) -}}
{{- end -}}
{{- if or (hasKey $from "cmd") (hasKey $from "container") -}}
{{- template "replica-group.layers.command" (dict "from" $from "spec" $spec "walk" $walk "fills" (eq .strategy "isnull")) -}}
{{- end -}}
{{- if and (hasKey $from "container") (hasKey $spec "startup") -}}
{{- template "replica-group.startup.overruled" (dict "from" $from "spec" $spec "walk" $walk) -}}
{{- end -}}
{{- if eq .strategy "replace" -}}
{{- template "replica-group.layers.clear" (dict "from" $from "spec" $spec "walk" $walk "operation" .operation "on" .on) -}}
{{- end -}}
{{- template "replica-group.merge" (dict "into" $spec "from" $from "at" "" "shape" .operation.shape "walk" $walk) -}}
{{- if hasKey .on "connected" -}}
{{- template "replica-group.connections.nulls" (dict "from" $from "on" .on "operation" .operation "traced" .operation.traced) -}}
{{- end -}}
{{- end -}}

{{/* Leave in .from only whole fields that are not in .taken, which grows by them. */}}
{{- define "replica-group.layers.untaken" -}}
{{- if and (hasKey .taken "cmd") (get .from "container") -}}
{{- $_ := unset .from.container "command" -}}
{{- end -}}
{{- range $field := keys .from -}}
{{- if hasKey $.taken $field -}}
{{- $_ := unset $.from $field -}}
{{- end -}}
{{- end -}}
{{- template "replica-group.layers.take" (dict "into" .taken "from" .from) -}}
{{- end -}}

{{/* Empty the fields of .spec that a layer replaces; what the chart itself and connections put there comes back, and what is required of nodes stays. */}}
{{- define "replica-group.layers.clear" -}}
{{- range $field := keys .from -}}
{{- $parts := list -}}
{{- if and (eq $field "environment") (hasKey (get $.spec $field | default dict) "requireNodes") -}}
{{- $parts = without (keys $.spec.environment) "requireNodes" -}}
{{- else -}}
{{- $_ := unset $.spec $field -}}
{{- template "replica-group.trace.forget" (dict "walk" $.walk "path" $field) -}}
{{- end -}}
{{- range $part := $parts -}}
{{- $_ := unset $.spec.environment $part -}}
{{- template "replica-group.trace.forget" (dict "walk" $.walk "path" (print "environment." $part)) -}}
{{- end -}}
{{- end -}}
{{- if and (hasKey .from "container") .operation.builtin -}}
{{- $walk := set (omit .walk "layer") "layer" "chart" -}}
{{- template "replica-group.merge" (dict "into" .spec "from" .operation.builtin "at" "" "shape" .operation.shape "walk" $walk) -}}
{{- end -}}
{{- if get .on "connected" -}}
{{- template "replica-group.connections.restore" . -}}
{{- end -}}
{{- end -}}

{{/* Delete what the path of an `unset` names; a path that begins with no field of a group is refused. One that deletes nothing is noted in .on.idle for people, with the layer. */}}
{{- define "replica-group.layers.unset" -}}
{{- $fields := include "replica-group.fields" . | splitList " " -}}
{{- if not (has (splitList "." .path | first) $fields) -}}
{{- fail (printf "%s.unset: %q begins with no field of a group; a path begins with one of %s" .walk.layer .path (join ", " $fields)) -}}
{{- end -}}
{{- $deleted := include "replica-group.unset" (dict "into" .spec "path" .path) -}}
{{- if and .walk.traced (not $deleted) -}}
{{- $_ := set .on "idle" (set (get .on "idle" | default dict) .path .walk.layer) -}}
{{- end -}}
{{- template "replica-group.trace.forget" (dict "walk" .walk "path" .path) -}}
{{- end -}}
