{{/* Collect the presets; one that sets a count is refused, since counts belong to groups. */}}
{{- define "replica-operation.presets" -}}
{{- $presets := dict -}}
{{- range $name, $preset := .values.presets -}}
{{- if not (kindIs "invalid" $preset) -}}
{{- template "replica-operation.names.readable" (dict "path" "presets" "name" $name "limit" 253) -}}
{{- range $field := list "accelerators" "replicas" "podsPerReplica" -}}
{{- if hasKey $preset $field -}}
{{- fail (printf "presets.%s.%s: a preset selects hardware and never says how much; move it into the group" $name $field) -}}
{{- end -}}
{{- end -}}
{{- $accelerator := dict -}}
{{- template "replica-operation.given" (dict "into" $accelerator "from" (get $preset "accelerator" | default dict)) -}}
{{- if and (get $accelerator "resource") (get $accelerator "claim") -}}
{{- fail (printf "presets.%s.accelerator: resource and claim; a pod gets its accelerators one way, so keep one, and make a second preset of the other" $name) -}}
{{- end -}}
{{- $leader := get $preset "leader" | default dict -}}
{{- if or (hasKey $leader "accelerators") (has "accelerators" (get $leader "unset" | default list)) -}}
{{- fail (printf "presets.%s.leader.accelerators: a preset selects hardware and never says how much; move it into the group" $name) -}}
{{- end -}}
{{- range $at, $from := dict "" $preset "leader." $leader -}}
{{- if pick $from "init" "sidecars" "unset" -}}
{{- template "replica-operation.presets.containers" (dict "from" $from "at" (printf "presets.%s.%s" $name $at)) -}}
{{- end -}}
{{- end -}}
{{- $scaling := get $preset "autoscaling" | default dict -}}
{{- if and (hasKey $preset "autoscaling") (or (kindIs "invalid" $preset.autoscaling) (eq (get $preset "patchStrategy") "replace")) -}}
{{- fail (printf "presets.%s.autoscaling: %s takes away how far a group is scaled, which a preset never says; move it into the group" $name (ternary "null" "patchStrategy replace" (kindIs "invalid" $preset.autoscaling))) -}}
{{- end -}}
{{- range $field := list "min" "max" -}}
{{- if hasKey $scaling $field -}}
{{- fail (printf "presets.%s.autoscaling.%s: a preset says by what to scale and never how far; move it into the group" $name $field) -}}
{{- end -}}
{{- end -}}
{{- range $path := get $preset "unset" | default list -}}
{{- if or (has (splitList "." $path | first) (list "accelerators" "replicas" "podsPerReplica" "presets")) (has $path (list "autoscaling" "autoscaling.min" "autoscaling.max")) -}}
{{- fail (printf "presets.%s.unset: %q; a preset never says how much, nor which presets apply; move it into the group" $name $path) -}}
{{- end -}}
{{- end -}}
{{- $_ := set $presets $name $preset -}}
{{- end -}}
{{- end -}}
{{- $_ := set .operation "presets" $presets -}}
{{- template "replica-operation.presets.resources" .operation -}}
{{- end -}}

{{/* Refuse accelerators of init containers and sidecars in .from, a preset or what it says of leaders, which stands at .at; also of a list, and where a path takes them away. */}}
{{- define "replica-operation.presets.containers" -}}
{{- range $field, $entries := pick .from "init" "sidecars" -}}
{{- range $name, $entry := $entries -}}
{{- if hasKey ($entry | default dict) "accelerators" -}}
{{- $name = ternary (get $entry "name") $name (kindIs "slice" $entries) -}}
{{- fail (printf "%s%s.%s.accelerators: a preset selects hardware and never says how much; move it into the group" $.at $field $name) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- range $path := get .from "unset" | default list -}}
{{- if regexMatch `^(init|sidecars)\..+\.accelerators$` $path -}}
{{- fail (printf "%sunset: %q; a preset never says how much; move it into the group" $.at $path) -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* Note in .acceleratorResources of the operation the resources that presets have for accelerators, each with the first of these. */}}
{{- define "replica-operation.presets.resources" -}}
{{- $known := dict -}}
{{- range $name, $preset := .presets -}}
{{- $resource := get (get $preset "accelerator" | default dict) "resource" -}}
{{- if and $resource (not (hasKey $known $resource)) -}}
{{- $_ := set $known $resource $name -}}
{{- end -}}
{{- end -}}
{{- $_ := set . "acceleratorResources" $known -}}
{{- end -}}
