{{/* Refuse in .map, which may be absent, keys that no label or annotation may have and, for .labels, texts that no label may hold. .path names the map. */}}
{{- define "replica-group.labels.fit" -}}
{{- if .map -}}
{{- range $key, $value := .map -}}
{{- template "replica-group.labels.key" (dict "key" (ternary $key (lower $key) $.labels) "path" $.path) -}}
{{- if $.labels -}}
{{- template "replica-group.labels.value" (dict "value" $value "path" (print $.path "." $key)) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* Refuse .key, of a label or annotation at .path. */}}
{{- define "replica-group.labels.key" -}}
{{- $name := splitList "/" .key | last -}}
{{- $domain := trimSuffix "/" (trimSuffix $name .key) -}}
{{- $fits := and (le (len $name) 63) (regexMatch "^[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$" $name) -}}
{{- if contains "/" .key -}}
{{- $fits = and $fits (le (len $domain) 253) (regexMatch "^[a-z0-9]([-a-z0-9]*[a-z0-9])?([.][a-z0-9]([-a-z0-9]*[a-z0-9])?)*$" $domain) -}}
{{- end -}}
{{- if not $fits -}}
{{- fail (printf "%s: %q cannot be a key; allowed: up to 63 letters, digits, -, _ and ., a letter or digit at both ends, and before them a domain and / if need be" .path .key) -}}
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

{{/* Refuse in the node affinity of .environment what no node can have. .at names the environment. */}}
{{- define "replica-group.labels.affinity" -}}
{{- $at := print .at ".affinity.nodeAffinity" -}}
{{- range $term := dig "nodeAffinity" "requiredDuringSchedulingIgnoredDuringExecution" "nodeSelectorTerms" list .environment.affinity -}}
{{- range $entry := get $term "matchExpressions" | default list -}}
{{- if and (kindIs "map" $entry) (kindIs "slice" (get $entry "values" | default list)) -}}
{{- template "replica-group.labels.required" (dict "entry" $entry "at" $at) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}
