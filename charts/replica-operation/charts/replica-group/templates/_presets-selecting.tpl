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

{{/* Print "true" for a preset that says by what accelerators are asked for, so that another such one of another model is an alternative to it. */}}
{{- define "replica-group.presets.asks" -}}
{{- $accelerator := get . "accelerator" | default dict -}}
{{- if or (get $accelerator "resource") (get (get $accelerator "claim" | default dict) "deviceClassName") -}}true{{- end -}}
{{- end -}}
