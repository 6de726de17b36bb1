{{/* Let the pods of .group claim their accelerators (DRA), in place of a resource; each of .containers that has some has a claim of its own, but init containers, which use the main one's, since a claim lasts as long as its pod. Entered where a preset says `claim`. */}}
{{- define "replica-group.accelerator-claim" -}}
{{- $group := .group -}}
{{- $accelerator := $group.spec.accelerator -}}
{{- if gt $group.accelerators 0 -}}
{{- template "replica-group.accelerator-claim.fits" (dict "group" $group "operation" .operation) -}}
{{- $main := first .containers -}}
{{- range $container := .containers -}}
{{- $shares := hasPrefix "init." $container.path -}}
{{- if gt $container.count 0 -}}
{{- if and $shares (gt $container.count $main.count) -}}
{{- fail (printf "groups.%s.%saccelerators: %d, but a claim lasts as long as its pod, so an init container uses that of the main one, which has %d; set at most that" $group.name $container.path $container.count $main.count) -}}
{{- end -}}
{{- $name := ternary "accelerators" $container.name $shares -}}
{{- if gt (len $name) 63 -}}
{{- $name = printf "%s-%s" (trunc 54 $name | trimSuffix "-") ($name | sha256sum | trunc 8) -}}
{{- end -}}
{{- if $shares -}}
{{- template "replica-group.device-claims.give" (dict "name" $name "container" $container.of) -}}
{{- else -}}
{{- template "replica-group.accelerator-claim.add" (dict "group" $group "name" $name "count" $container.count "container" $container.of) -}}
{{- end -}}
{{- template "replica-group.explained.chart" (dict "group" $group "path" (print $container.path "resources.claims")) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- $_ := set $group "accelerator" (dict "deviceClass" (get $accelerator.claim "deviceClassName" | default "") "model" (get $accelerator "model" | default "")) -}}
{{- end -}}

{{/* Refuse a claim without a class, and one beside the resource that another preset has for accelerators. */}}
{{- define "replica-group.accelerator-claim.fits" -}}
{{- $group := .group -}}
{{- $claim := $group.spec.accelerator.claim -}}
{{- if not (get $claim "deviceClassName") -}}
{{- fail (printf "groups.%s: accelerators is %d, but the claim of its preset does not say of which class; set accelerator.claim.deviceClassName there, as in gpu.nvidia.com" $group.name $group.accelerators) -}}
{{- end -}}
{{- if .operation.acceleratorResources -}}
{{- template "replica-group.accelerator-claim.one-way" (dict "group" $group "container" $group.spec "path" "" "known" .operation.acceleratorResources) -}}
{{- range $field := list "init" "sidecars" -}}
{{- $entries := get $group.spec $field | default dict -}}
{{- range $name := get $entries "@order" | default list -}}
{{- template "replica-group.accelerator-claim.one-way" (dict "group" $group "container" (get $entries $name | default dict) "path" (printf "%s.%s." $field $name) "known" $.operation.acceleratorResources) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* Refuse those of .known, resources of accelerators, among those of .container at .path. */}}
{{- define "replica-group.accelerator-claim.one-way" -}}
{{- range $side, $amounts := pick (get .container "resources" | default dict) "limits" "requests" -}}
{{- range $resource, $amount := $amounts -}}
{{- if and (hasKey $.known $resource) (not (has ($amount | toString) (list "" "0" "<nil>"))) -}}
{{- fail (printf "groups.%s.%sresources.%s: %s, which preset %q has as its accelerator, but the group claims its accelerators of the class %s; a pod gets them one way, so leave it out" $.group.name $.path $side $resource (get $.known $resource) $.group.spec.accelerator.claim.deviceClassName) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* Let the pods of .group have a claim .name of .count accelerators, with their companions, which .container, a map with resources, gets. */}}
{{- define "replica-group.accelerator-claim.add" -}}
{{- $claim := .group.spec.accelerator.claim -}}
{{- $exactly := dict "deviceClassName" $claim.deviceClassName "count" .count -}}
{{- template "replica-group.accelerator-claim.selectors" (dict "into" $exactly "selectors" (get $claim "selectors")) -}}
{{- $requests := list (dict "name" "accelerators" "exactly" $exactly) -}}
{{- with get $claim "devices" -}}
{{- template "replica-group.readable" (dict "map" . "path" (printf "groups.%s: accelerator.claim.devices of its preset" $.group.name) "otherwise" "choose another") -}}
{{- end -}}
{{- range $name, $device := get $claim "devices" | default dict -}}
{{- template "replica-group.accelerator-claim.device" (dict "name" $name "device" $device "at" (printf "groups.%s: accelerator.claim.devices.%s of its preset" $.group.name $name)) -}}
{{- $count := mul (get $device "perAccelerator" | int64) $.count -}}
{{- if hasKey $device "perPod" -}}
{{- $count = ternary (int64 $device.perPod) 0 (eq $.name "accelerators") -}}
{{- end -}}
{{- if gt $count 0 -}}
{{- $exactly := dict "deviceClassName" $device.deviceClassName "count" $count -}}
{{- template "replica-group.accelerator-claim.selectors" (dict "into" $exactly "selectors" (get $device "selectors")) -}}
{{- $requests = append $requests (dict "name" $name "exactly" $exactly) -}}
{{- end -}}
{{- end -}}
{{- $devices := dict "requests" $requests -}}
{{- template "replica-group.accelerator-claim.tied" (dict "into" $devices "claim" $claim "at" (printf "groups.%s: accelerator.claim" .group.name)) -}}
{{- template "replica-group.device-claims.fit" (dict "at" (printf "groups.%s: %d accelerators of a container%s are" .group.name .count (ternary " and their companions" "" (gt (len $requests) 1))) "devices" $devices "then" (ternary "take fewer, or claim the companions apart, under claims" "take fewer" (gt (len $requests) 1))) -}}
{{- $template := printf "%s-accelerators-%s" .group.object (print (toJson $devices) .group.labels | sha256sum | trunc 8) -}}
{{- $_ := set .group "claimTemplates" (set (get .group "claimTemplates" | default dict) $template (dict "devices" $devices)) -}}
{{- template "replica-group.device-claims.wire" (dict "group" .group "claim" (dict "name" .name "resourceClaimTemplateName" $template) "containers" (list .container)) -}}
{{- end -}}
