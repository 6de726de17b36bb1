{{/* Refuse in .map, which may be absent, keys that no label or annotation may have and, for .labels, texts that no label may hold. .path names the map. */}}
{{- define "replica-group.labels.fit" -}}
{{- if .map -}}
{{- range $key, $value := .map -}}
{{- template "replica-group.labels.key" (dict "key" (ternary $key (lower $key) $.labels) "said" $key "path" $.path) -}}
{{- if $.labels -}}
{{- template "replica-group.labels.value" (dict "value" $value "path" (print $.path "." $key)) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* Refuse .key, of a label or annotation at .path; it is told as .said, if that is given. */}}
{{- define "replica-group.labels.key" -}}
{{- $name := splitList "/" .key | last -}}
{{- $domain := trimSuffix "/" (trimSuffix $name .key) -}}
{{- $fits := and (le (len $name) 63) (regexMatch "^[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$" $name) -}}
{{- if contains "/" .key -}}
{{- $fits = and $fits (le (len $domain) 253) (regexMatch "^[a-z0-9]([-a-z0-9]*[a-z0-9])?([.][a-z0-9]([-a-z0-9]*[a-z0-9])?)*$" $domain) -}}
{{- end -}}
{{- if not $fits -}}
{{- fail (printf "%s: %q cannot be a key; allowed: up to 63 letters, digits, -, _ and ., a letter or digit at both ends, and before them a domain and / if need be" .path (get . "said" | default .key)) -}}
{{- end -}}
{{- end -}}

{{/* Refuse the text .value at .path, where a label's is wanted. */}}
{{- define "replica-group.labels.value" -}}
{{- if not (and (le (len .value) 63) (regexMatch "^([A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?)?$" .value)) -}}
{{- $like := regexReplaceAll "[^-A-Za-z0-9_.]+" .value "-" | trunc 63 | trimAll "-_." -}}
{{- fail (printf "%s: %q cannot be the value of a label; allowed: up to 63 letters, digits, -, _ and ., a letter or digit at both ends%s" .path .value (ternary "" (printf ", such as %q" $like) (eq $like ""))) -}}
{{- end -}}
{{- end -}}

{{/* Refuse the requirement .entry on the labels of a node that none can have: with operators that compare texts, its values are of labels. .at names where it stands. */}}
{{- define "replica-group.labels.required" -}}
{{- $key := get .entry "key" | default "" | toString -}}
{{- template "replica-group.labels.key" (dict "key" $key "path" .at) -}}
{{- if has (get .entry "operator") (list "In" "NotIn") -}}
{{- range $value := get .entry "values" | default list -}}
{{- template "replica-group.labels.value" (dict "value" (toString $value) "path" (printf "%s: %s" $.at $key)) -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* Refuse in the affinity of .environment what no node can have, and keys of topologies that no label may have. .at names the environment. */}}
{{- define "replica-group.labels.affinity" -}}
{{- $nodes := get .environment.affinity "nodeAffinity" | default dict -}}
{{- $at := print .at ".affinity.nodeAffinity" -}}
{{- range $term := dig "requiredDuringSchedulingIgnoredDuringExecution" "nodeSelectorTerms" list $nodes -}}
{{- template "replica-group.labels.term" (dict "term" $term "at" $at "values" true) -}}
{{- end -}}
{{- range $term := get $nodes "preferredDuringSchedulingIgnoredDuringExecution" | default list -}}
{{- template "replica-group.labels.term" (dict "term" $term "under" "preference" "at" $at "values" false) -}}
{{- end -}}
{{- range $field := list "podAffinity" "podAntiAffinity" -}}
{{- $pods := get $.environment.affinity $field | default dict -}}
{{- $at := printf "%s.affinity.%s: topologyKey" $.at $field -}}
{{- range $term := get $pods "requiredDuringSchedulingIgnoredDuringExecution" | default list -}}
{{- template "replica-group.labels.topology" (dict "term" $term "at" $at) -}}
{{- end -}}
{{- range $term := get $pods "preferredDuringSchedulingIgnoredDuringExecution" | default list -}}
{{- template "replica-group.labels.topology" (dict "term" $term "under" "podAffinityTerm" "at" $at) -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* Refuse in .term, of a node affinity at .at, keys that no label may have, and with .values such texts too. With .under, the term stands under that. */}}
{{- define "replica-group.labels.term" -}}
{{- $term := include "replica-group.labels.under" . | fromJson -}}
{{- range $entry := get $term "matchExpressions" | default list -}}
{{- if and (kindIs "map" $entry) (kindIs "slice" (get $entry "values" | default list)) -}}
{{- template "replica-group.labels.required" (dict "entry" (ternary $entry (pick $entry "key") $.values) "at" $.at) -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* Refuse the topologyKey of .term, of an affinity between pods at .at. With .under, the term stands under that. */}}
{{- define "replica-group.labels.topology" -}}
{{- with get (include "replica-group.labels.under" . | fromJson) "topologyKey" -}}
{{- template "replica-group.labels.key" (dict "key" (toString .) "path" $.at) -}}
{{- end -}}
{{- end -}}

{{/* Print the map .term, or what stands in it under .under, as JSON; what is no map is left to Kubernetes. */}}
{{- define "replica-group.labels.under" -}}
{{- $term := .term -}}
{{- if and (kindIs "map" $term) (get . "under") -}}
{{- $term = get $term .under -}}
{{- end -}}
{{- ternary $term dict (kindIs "map" $term) | toJson -}}
{{- end -}}
