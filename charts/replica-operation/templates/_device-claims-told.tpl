{{/* Fill .into with the objects of which pods get claims, by name, each with its devices by class, and how many of these are accelerators of the pods; `shared` is what all pods have together. */}}
{{- define "replica-operation.device-claims.told" -}}
{{- range $group := .operation.groups -}}
{{- range $name, $spec := get $group "claimTemplates" | default dict -}}
{{- $devices := dict -}}
{{- template "replica-operation.device-claims.counted" (dict "into" $devices "spec" $spec) -}}
{{- $accelerators := 0 -}}
{{- range $request := $spec.devices.requests -}}
{{- $accelerators = ternary $request.exactly.count $accelerators (eq $request.name "accelerators") -}}
{{- end -}}
{{- $_ := set $.into $name (dict "devices" $devices "accelerators" $accelerators) -}}
{{- end -}}
{{- end -}}
{{- range $object := get .operation "claimObjects" | default dict -}}
{{- $devices := dict -}}
{{- if ne $object.kind "ComputeDomain" -}}
{{- template "replica-operation.device-claims.counted" (dict "into" $devices "spec" $object.spec) -}}
{{- end -}}
{{- $told := dict "devices" $devices -}}
{{- if eq $object.kind "ResourceClaim" -}}
{{- $_ := set $told "shared" true -}}
{{- end -}}
{{- $_ := set $.into $object.name $told -}}
{{- end -}}
{{- end -}}

{{/* Count the devices that .spec of a claim asks for into .into, by class: of alternatives the first, none where all of a node are meant. */}}
{{- define "replica-operation.device-claims.counted" -}}
{{- range $request := .spec.devices.requests -}}
{{- $asked := get $request "exactly" | default (get $request "firstAvailable" | default (list dict) | first) -}}
{{- $class := get $asked "deviceClassName" -}}
{{- if and $class (ne (get $asked "allocationMode" | toString) "All") (ne (get $asked "adminAccess" | toString) "true") -}}
{{- $_ := set $.into $class (add (get $.into $class | int64) (get $asked "count" | default 1 | int64)) -}}
{{- end -}}
{{- end -}}
{{- end -}}
