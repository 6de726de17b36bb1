{{/* Refuse .devices of one claim that are more than Kubernetes allocates to one (AllocationResultsMaxSize of resource.k8s.io): its pods never start. Where all of a node are meant one is counted, of alternatives the least. .at, what to say of them, .then, what to do. */}}
{{- define "replica-group.device-claims.fit" -}}
{{- $sum := 0 -}}
{{- range $request := .devices.requests -}}
{{- $least := get $request "exactly" | default dict | list -}}
{{- with get $request "firstAvailable" -}}
{{- $least = . -}}
{{- end -}}
{{- $counts := list -}}
{{- range $asked := $least -}}
{{- $counts = append $counts (get $asked "count" | default 1 | int64) -}}
{{- end -}}
{{- $count := first $counts -}}
{{- range $counts -}}
{{- $count = min $count . -}}
{{- end -}}
{{- $sum = add $sum $count -}}
{{- end -}}
{{- if gt $sum 32 -}}
{{- fail (printf "%s %d devices in one claim, and Kubernetes gives a claim at most 32, so its pods would never start; %s" .at $sum .then) -}}
{{- end -}}
{{- end -}}
