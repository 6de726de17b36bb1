{{/* Note in .operation.acceleratorResources the resources that presets have for accelerators, each with the first of these, and refuse presets that ask for some of them: how many is said by groups. */}}
{{- define "replica-operation.presets.counted" -}}
{{- $known := dict -}}
{{- range $name, $preset := .operation.presets -}}
{{- $resource := get (get $preset "accelerator" | default dict) "resource" -}}
{{- if and $resource (not (hasKey $known $resource)) -}}
{{- $_ := set $known $resource $name -}}
{{- end -}}
{{- end -}}
{{- $_ := set .operation "acceleratorResources" $known -}}
{{- range $name, $preset := ternary .operation.presets dict (gt (len $known) 0) -}}
{{- range $at, $from := dict "" $preset "leader." (get $preset "leader" | default dict) -}}
{{- $at = printf "presets.%s.%s" $name $at -}}
{{- template "replica-operation.presets.counted.devices" (dict "devices" (get $from "devices" | default dict) "at" $at "known" $known) -}}
{{- template "replica-operation.presets.counted.resources" (dict "resources" (get $from "resources") "at" $at "known" $known) -}}
{{- range $field, $entries := pick $from "init" "sidecars" -}}
{{- range $key, $entry := $entries -}}
{{- $entry = ternary $entry dict (kindIs "map" $entry) -}}
{{- $key = ternary (get $entry "name") $key (kindIs "slice" $entries) -}}
{{- template "replica-operation.presets.counted.resources" (dict "resources" (get $entry "resources") "at" (printf "%s%s.%s." $at $field $key) "known" $known) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* Refuse those of .known, resources of accelerators, among .devices. */}}
{{- define "replica-operation.presets.counted.devices" -}}
{{- range $resource, $entry := .devices -}}
{{- range $count := pick ($entry | default dict) "perAccelerator" "perPod" -}}
{{- template "replica-operation.presets.counted.one" (dict "resource" $resource "amount" $count "at" (print $.at "devices.") "known" $.known) -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* Refuse those of .known, resources of accelerators, among .resources of a container. */}}
{{- define "replica-operation.presets.counted.resources" -}}
{{- range $side, $amounts := pick (.resources | default dict) "limits" "requests" -}}
{{- range $resource, $amount := $amounts -}}
{{- template "replica-operation.presets.counted.one" (dict "resource" $resource "amount" $amount "at" (printf "%sresources.%s." $.at $side) "known" $.known) -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* Refuse .amount of .resource, unless it is none or no accelerator. */}}
{{- define "replica-operation.presets.counted.one" -}}
{{- if and (hasKey .known .resource) (not (has (.amount | toString) (list "" "0" "<nil>"))) -}}
{{- fail (printf "%s%s: %v, but preset %q has it as its accelerator, and a preset never says how much; leave it out, and set accelerators in the group" .at .resource .amount (get .known .resource)) -}}
{{- end -}}
{{- end -}}
