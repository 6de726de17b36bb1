{{/* Refuse parts of devices, and requests of a container that its limits do not allow, since no pod could be made of them. .resources: both, .at: their path. */}}
{{- define "replica-group.resources" -}}
{{- $limits := get .resources "limits" | default dict -}}
{{- range $resource, $limit := $limits -}}
{{- if and (contains "/" $resource) (not (contains "kubernetes.io/" $resource)) -}}
{{- $number := include "replica-group.quantity" $limit | float64 -}}
{{- if ne $number (floor $number) -}}
{{- fail (printf "%s.limits.%s: %v, but devices are given whole; set a whole number" $.at $resource $limit) -}}
{{- end -}}
{{- else if hasPrefix "hugepages-" $resource -}}
{{- template "replica-group.resources.huge" (dict "resource" $resource "amount" $limit "resources" $.resources "at" $.at) -}}
{{- end -}}
{{- end -}}
{{- range $resource, $asked := get .resources "requests" | default dict -}}
{{- $limit := get $limits $resource -}}
{{- $whole := or (hasPrefix "hugepages-" $resource) (and (contains "/" $resource) (not (contains "kubernetes.io/" $resource))) -}}
{{- if and $whole (ne (toString $asked) (toString $limit)) -}}
{{- fail (printf "%s.requests.%s: %v, but a container is given as much of it as limits say (%v); set the limit alone" $.at $resource $asked ($limit | default "nothing")) -}}
{{- else if not (hasKey $limits $resource) -}}
{{- else if gt (include "replica-group.quantity" $asked | float64) (include "replica-group.quantity" $limit | float64) -}}
{{- fail (printf "%s.requests.%s: %v, but the limit is %v; allowed: up to that" $.at $resource $asked $limit) -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* Refuse the .amount of huge pages, .resource, that is no number of whole pages, and .resources that ask for no CPU or memory beside it, as the API server does. .at: their path. */}}
{{- define "replica-group.resources.huge" -}}
{{- $pages := divf (include "replica-group.quantity" .amount | float64) (trimPrefix "hugepages-" .resource | include "replica-group.quantity" | float64) -}}
{{- if ne $pages (floor $pages) -}}
{{- fail (printf "%s.limits.%s: %v is no number of whole pages; set a multiple of %s" .at .resource .amount (trimPrefix "hugepages-" .resource)) -}}
{{- end -}}
{{- $asked := merge dict (get .resources "limits" | default dict) (get .resources "requests" | default dict) -}}
{{- if not (pick $asked "cpu" "memory") -}}
{{- fail (printf "%s.limits.%s: Kubernetes takes huge pages only beside cpu or memory; set %s.requests.memory, for what is no huge page" .at .resource .at) -}}
{{- end -}}
{{- end -}}

{{/* Print a quantity of Kubernetes, such as 500m or 16Gi, as a plain number. */}}
{{- define "replica-group.quantity" -}}
{{- $text := toString . -}}
{{- $suffix := regexFind "[a-zA-Z]+$" $text -}}
{{- $scale := get (dict "" 1 "n" 1e-9 "u" 1e-6 "m" 1e-3 "k" 1e3 "M" 1e6 "G" 1e9 "T" 1e12 "P" 1e15 "E" 1e18) $suffix -}}
{{- if hasSuffix "i" $suffix -}}
{{- $scale = get (dict "Ki" 1024 "Mi" 1048576 "Gi" 1073741824 "Ti" 1099511627776 "Pi" 1125899906842624 "Ei" 1152921504606846976) $suffix -}}
{{- end -}}
{{- mulf (trimSuffix $suffix $text | float64) $scale -}}
{{- end -}}
