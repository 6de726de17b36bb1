{{/* The spec of the resolved operation, also whether another chart wraps this one, for the carrier and, with .layers, for people: then also with the layer of each value by path, what `unset` names in vain, the values and the shape of lists by key as JSON. */}}
{{- define "replica-operation.resolved" -}}
{{- $operation := .operation -}}
{{- $groups := dict -}}
{{- $layers := dict -}}
{{- $composed := dict -}}
{{- $idle := dict -}}
{{- range $name, $group := $operation.groups -}}
{{- $entry := pick $group "replicas" "accelerators" "router" "requires" "presets" "skippedPresets" "lifecycle" -}}
{{- $_ := set $entry "workload" (dict "apiVersion" $group.apiVersion "kind" $group.kind "name" $group.object) -}}
{{- $_ := set $entry "services" (dict "headless" $group.object) -}}
{{- if $group.ready -}}
{{- $_ := set $entry.services "ready" $group.ready -}}
{{- end -}}
{{- if gt $group.accelerators 0 -}}
{{- $_ := set $entry "accelerator" $group.accelerator -}}
{{- end -}}
{{- if get $group.spec "fillsNode" -}}
{{- $_ := set $entry "fillsNode" true -}}
{{- end -}}
{{- with concat (get $group "devices" | default list) (get (get $group "leader" | default dict) "devices" | default list) -}}
{{- $_ := set $entry "devices" (uniq . | sortAlpha) -}}
{{- end -}}
{{- with $group.autoscaling -}}
{{- $_ := set $entry "autoscaling" . -}}
{{- end -}}
{{- with get $group "admission" -}}
{{- $_ := set $entry "admission" . -}}
{{- end -}}
{{- $_ := set $entry "podsPerReplica" $group.podsPerReplica -}}
{{- if hasKey $group "leader" -}}
{{- template "replica-operation.resolved.leader" (dict "group" $group "entry" $entry) -}}
{{- end -}}
{{- if $group.router -}}
{{- $_ := set $entry "serves" $group.serves -}}
{{- end -}}
{{- with get $group "servedHow" -}}
{{- $_ := set $entry "serving" . -}}
{{- end -}}
{{- with get $group "waitsFor" -}}
{{- $whom := list -}}
{{- range $name := keys . -}}
{{- $whom = append $whom (trimSuffix "@start" $name) -}}
{{- end -}}
{{- $_ := set $entry "waitsFor" ($whom | uniq | sortAlpha) -}}
{{- end -}}
{{- with get $group "coordinated" -}}
{{- $_ := set $entry "coordinated" . -}}
{{- end -}}
{{- with get $group "claimNames" -}}
{{- $_ := set $entry "claims" . -}}
{{- end -}}
{{- with get $group "reads" -}}
{{- $_ := set $entry "reads" . -}}
{{- end -}}
{{- $_ := set $groups $name $entry -}}
{{- if $.layers -}}
{{- $_ := set $layers $name $group.trace -}}
{{- $_ := set $composed $name $group.composed -}}
{{- $_ := set $idle $name (get $group "idle" | default dict) -}}
{{- end -}}
{{- end -}}
{{- $spec := dict "schema" 1 "chart" $operation.chart "groups" $groups -}}
{{- $_ := set $spec "release" (dict "name" $operation.release "namespace" $operation.namespace) -}}
{{- $_ := set $spec "operation" (dict "name" $operation.base "kind" $operation.kind "run" $operation.run) -}}
{{- $_ := set $spec "scheduling" (pick $operation "placement" "admission" "gangs") -}}
{{- $claims := dict -}}
{{- template "replica-operation.device-claims.told" (dict "operation" $operation "into" $claims) -}}
{{- with $claims -}}
{{- $_ := set $spec "claims" . -}}
{{- end -}}
{{- with $operation.patches -}}
{{- $_ := set $spec "patches" . -}}
{{- end -}}
{{- if $operation.wrapped -}}
{{- $_ := set $spec "wrapped" true -}}
{{- end -}}
{{- if .layers -}}
{{- $_ := set $spec "layers" $layers -}}
{{- $_ := set $spec "composed" $composed -}}
{{- $_ := set $spec "idle" $idle -}}
{{- $_ := set $spec "shape" (toJson $operation.shape) -}}
{{- end -}}
{{- toYaml $spec -}}
{{- end -}}

{{/* Print "true" when something must change the rendered objects before they may be applied. */}}
{{- define "replica-operation.carried" -}}
{{- if or (ne .placement.backend "default") (ne .admission.backend "none") .patches -}}true{{- end -}}
{{- end -}}
