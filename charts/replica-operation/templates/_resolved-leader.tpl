{{/* Put into .entry the accelerators of the leader of .group, where they are others than the group's. */}}
{{- define "replica-operation.resolved.leader" -}}
{{- $leader := .group.leader -}}
{{- $own := dict "accelerators" $leader.accelerators -}}
{{- if gt $leader.accelerators 0 -}}
{{- $_ := set $own "accelerator" $leader.accelerator -}}
{{- end -}}
{{- $said := or (gt $leader.accelerators 0) (eq .group.accelerators 0) -}}
{{- range $layer := get $leader "over" | default list -}}
{{- $said = or $said (hasKey $layer.from "fillsNode") -}}
{{- end -}}
{{- if and $said (get $leader.spec "fillsNode") -}}
{{- $_ := set $own "fillsNode" true -}}
{{- end -}}
{{- if ne (toJson $own) (pick .entry "accelerators" "accelerator" "fillsNode" | toJson) -}}
{{- $_ := set .entry "leader" $own -}}
{{- end -}}
{{- end -}}
