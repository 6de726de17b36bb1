{{/* Write the devices that come along with accelerators, .containers, or with the pod of .group, whose first container is the main one, into the resources of the containers, and note in .group.devices which they are. .accelerator: the resource of the accelerators. */}}
{{- define "replica-group.devices" -}}
{{- $group := .group -}}
{{- range $resource, $entry := omit $group.spec.devices "@order" "@names" -}}
{{- if $entry -}}
{{- $at := printf "groups.%s.devices.%s" $group.name $resource -}}
{{- if not (or (regexMatch "^hugepages-[1-9][0-9]*[KMG]i$" $resource) (include "replica-group.devices.extended" $resource)) -}}
{{- fail (printf "%s: no device; allowed: a domain, / and a name, as in rdma/ib, or hugepages- and a size of pages, as in hugepages-2Mi; anything else stands under resources" $at) -}}
{{- end -}}
{{- if eq $resource ($.accelerator | default "") -}}
{{- fail (printf "%s: the accelerator of the group, which is counted by accelerators; leave it out" $at) -}}
{{- end -}}
{{- $known := $group.operation.acceleratorResources -}}
{{- if and (hasKey $known $resource) (ne (pick $entry "perAccelerator" "perPod" | values | join "" | trimAll "0") "") -}}
{{- fail (printf "%s: preset %q has it as its accelerator; list that under presets, and set accelerators" $at (get $known $resource)) -}}
{{- end -}}
{{- template "replica-group.devices.one" (dict "entry" $entry "at" $at) -}}
{{- $_ := set $group "devices" (append (get $group "devices" | default list) $resource) -}}
{{- range $index, $container := $.containers -}}
{{- $amount := "" -}}
{{- if and (hasKey $entry "perAccelerator") (gt $container.count 0) -}}
{{- $amount = include "replica-group.devices.times" (dict "amount" $entry.perAccelerator "count" $container.count) -}}
{{- else if and (hasKey $entry "perPod") (eq $index 0) -}}
{{- $amount = include "replica-group.devices.times" (dict "amount" $entry.perPod "count" 1) -}}
{{- end -}}
{{- if $amount -}}
{{- $why := printf "devices make it %s" $amount -}}
{{- if regexMatch "^[0-9]+$" $amount -}}
{{- $amount = int64 $amount -}}
{{- end -}}
{{- template "replica-group.devices.write" (dict "group" $group "container" $container "resource" $resource "amount" $amount "why" $why) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* Print "true" for the name of an extended resource: a DNS name, / and at most 63 characters; Kubernetes puts requests. before it for quotas. */}}
{{- define "replica-group.devices.extended" -}}
{{- $domain := splitList "/" . | first -}}
{{- if and (regexMatch "^[a-z0-9]([-a-z0-9]*[a-z0-9])?([.][a-z0-9]([-a-z0-9]*[a-z0-9])?)*/[A-Za-z0-9]([-._A-Za-z0-9]{0,61}[A-Za-z0-9])?$" .) (le (len $domain) 244) (not (hasPrefix "requests." .)) -}}true{{- end -}}
{{- end -}}

{{/* Refuse .entry at .at that counts by accelerators and by pods. */}}
{{- define "replica-group.devices.one" -}}
{{- if and (hasKey .entry "perAccelerator") (hasKey .entry "perPod") -}}
{{- fail (printf "%s: perAccelerator and perPod both say how many; keep one" .at) -}}
{{- end -}}
{{- end -}}

{{/* Print the quantity .amount, .count times. */}}
{{- define "replica-group.devices.times" -}}
{{- $text := ternary .amount (int64 .amount | toString) (kindIs "string" .amount) -}}
{{- $unit := regexFind "[a-zA-Z]+$" $text -}}
{{- $number := regexReplaceAll "^0+([0-9])" (trimSuffix $unit $text) "${1}" -}}
{{- if contains "." $number -}}
{{- mulf (float64 $number) .count -}}
{{- else -}}
{{- mul (int64 $number) .count -}}
{{- end -}}
{{- $unit -}}
{{- end -}}

{{/* Write .amount of .resource into the limits and requests of .container of .group; another amount there is refused, with .why. */}}
{{- define "replica-group.devices.write" -}}
{{- $of := .container.of -}}
{{- if not (kindIs "map" (get $of "resources")) -}}
{{- $_ := set $of "resources" dict -}}
{{- end -}}
{{- range $side := list "limits" "requests" -}}
{{- if not (kindIs "map" (get $of.resources $side)) -}}
{{- $_ := set $of.resources $side dict -}}
{{- end -}}
{{- $written := get $of.resources $side -}}
{{- if hasKey $written $.resource -}}
{{- $other := get $written $.resource -}}
{{- if ne (include "replica-group.quantity" $other) (include "replica-group.quantity" $.amount) -}}
{{- fail (printf "groups.%s.%sresources.%s: %s is %v, but %s; leave the resource out" $.group.name $.container.path $side $.resource $other $.why) -}}
{{- end -}}
{{- end -}}
{{- $_ := set $written $.resource $.amount -}}
{{- template "replica-group.explained.chart" (dict "group" $.group "path" (printf "%sresources.%s.%s" $.container.path $side $.resource)) -}}
{{- end -}}
{{- end -}}
