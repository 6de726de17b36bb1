{{/* Print "true" where a container beside the main one has accelerators, in the layers that may count them. Presets are chosen before the layers are composed. */}}
{{- define "replica-group.presets.beside" -}}
{{- $counts := dict -}}
{{- $layers := list .operation.defaults .values -}}
{{- range $layer := get .group "over" | default list -}}
{{- $layers = append $layers $layer.from -}}
{{- end -}}
{{- range $layer := $layers -}}
{{- range $path := get $layer "unset" | default list -}}
{{- range $at := keys $counts -}}
{{- if hasPrefix (print $path ".") (print $at ".accelerators.") -}}
{{- $_ := unset $counts $at -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- range $field, $entries := pick $layer "init" "sidecars" -}}
{{- if kindIs "invalid" $entries -}}
{{- range $at := keys $counts -}}
{{- if hasPrefix (print $field ".") $at -}}
{{- $_ := unset $counts $at -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- range $name, $entry := $entries -}}
{{- $at := printf "%s.%v" $field (ternary (get ($entry | default dict) "name") $name (kindIs "slice" $entries)) -}}
{{- if or (kindIs "invalid" $entry) (hasKey ($entry | default dict) "accelerators") -}}
{{- $_ := set $counts $at (get ($entry | default dict) "accelerators" | int64) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- range $at, $count := $counts -}}
{{- if gt $count 0 -}}true{{- end -}}
{{- end -}}
{{- end -}}

{{/* Print "devices" for a preset that says something of nodes with accelerators. */}}
{{- define "replica-group.presets.selects" -}}
{{- if or (get . "accelerator") (get . "claims") (get . "devices") (get . "fillsNode") (get . "networks") -}}devices{{- end -}}
{{- end -}}

{{/* Print as JSON what a preset says of its accelerator, in which presets of one group must agree. */}}
{{- define "replica-group.presets.facts" -}}
{{- $accelerator := get (. | default dict) "accelerator" | default dict -}}
{{- $facts := dict "claim.deviceClassName" (get (get $accelerator "claim" | default dict) "deviceClassName" | default "") -}}
{{- range $field := list "model" "resource" "topology" "perNode" -}}
{{- $_ := set $facts $field (get $accelerator $field | default "" | toString) -}}
{{- end -}}
{{- toJson $facts -}}
{{- end -}}

{{/* Print "true" where .own and .given are presets that say by what accelerators are asked for, and not of the same ones. */}}
{{- define "replica-group.presets.other" -}}
{{- $own := include "replica-group.presets.facts" .own | fromJson -}}
{{- $given := include "replica-group.presets.facts" .given | fromJson -}}
{{- $ways := list "resource" "claim.deviceClassName" -}}
{{- if and (pick $own (first $ways) (last $ways) | values | join "") (pick $given (first $ways) (last $ways) | values | join "") -}}
{{- range $field, $value := $own -}}
{{- $said := get $given $field -}}
{{- if ne $value $said -}}
{{- if or (has $field $ways) (and $value $said) -}}true{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}
