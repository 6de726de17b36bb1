{{/* Put into .into, a request, its .selectors, CEL expressions. */}}
{{- define "replica-group.accelerator-claim.selectors" -}}
{{- $selectors := list -}}
{{- range $expression := .selectors | default list -}}
{{- $selectors = append $selectors (dict "cel" (dict "expression" $expression)) -}}
{{- end -}}
{{- with $selectors -}}
{{- $_ := set $.into "selectors" . -}}
{{- end -}}
{{- end -}}

{{/* Refuse companions that are of no class, are counted in two ways or in none, or are called as the accelerators are. */}}
{{- define "replica-group.accelerator-claim.device" -}}
{{- $counts := pick .device "perAccelerator" "perPod" -}}
{{- if eq .name "accelerators" -}}
{{- fail (printf "%s: the request of the accelerators has this name; choose another" .at) -}}
{{- else if not (get .device "deviceClassName") -}}
{{- fail (printf "%s: of no class; set deviceClassName" .at) -}}
{{- else if ne (len $counts) 1 -}}
{{- fail (printf "%s: %s; set one of perAccelerator and perPod" .at (ternary "says no count" "both say how many" (eq (len $counts) 0))) -}}
{{- end -}}
{{- end -}}

{{/* Put the constraints and parameters of .claim into .into, the devices of one claim, as far as they are of its requests; a request that no claim makes is refused. */}}
{{- define "replica-group.accelerator-claim.tied" -}}
{{- $known := list -}}
{{- range $request := .into.requests -}}
{{- $known = append $known $request.name -}}
{{- end -}}
{{- range $field := list "constraints" "config" -}}
{{- $kept := list -}}
{{- range $entry := get $.claim $field | default list -}}
{{- $requests := list -}}
{{- range $name := get $entry "requests" | default list -}}
{{- if has $name $known -}}
{{- $requests = append $requests $name -}}
{{- else if not (hasKey (get $.claim "devices" | default dict) $name) -}}
{{- template "replica-group.unknown" (dict "at" (printf "%s.%s of its preset" $.at $field) "what" "is no request" "name" $name "known" $known) -}}
{{- end -}}
{{- end -}}
{{- if or $requests (not (get $entry "requests")) -}}
{{- $kept = append $kept (merge (ternary (dict "requests" $requests) dict (gt (len $requests) 0)) $entry) -}}
{{- end -}}
{{- end -}}
{{- with $kept -}}
{{- $_ := set $.into $field . -}}
{{- end -}}
{{- end -}}
{{- end -}}
