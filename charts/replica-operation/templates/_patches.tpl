{{/* Fill .operation.patches (group -> name -> patch) with what .values asks for, nulls left out, and refuse patches that nothing could apply. */}}
{{- define "replica-operation.patches" -}}
{{- $operation := .operation -}}
{{- $patches := dict -}}
{{- range $group, $named := .values.patches -}}
{{- if $named -}}
{{- template "replica-operation.names.readable" (dict "path" "patches" "name" $group "limit" 40) -}}
{{- if not (has $group $operation.names) -}}
{{- template "replica-group.unknown" (dict "at" (print "patches." $group) "what" "is no group" "name" $group "known" $operation.names) -}}
{{- end -}}
{{- $found := dict -}}
{{- range $name, $patch := $named -}}
{{- if not (kindIs "invalid" $patch) -}}
{{- template "replica-operation.names.readable" (dict "path" (print "patches." $group) "name" $name "limit" 63) -}}
{{- $_ := set $found $name (dict "target" (get $patch "target" | default "pod")) -}}
{{- template "replica-operation.patch" (dict "patch" $patch "into" (get $found $name) "at" (printf "patches.%s.%s" $group $name)) -}}
{{- end -}}
{{- end -}}
{{- if $found -}}
{{- $_ := set $patches $group $found -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- $_ := set $operation "patches" $patches -}}
{{- end -}}

{{/* Put the one form that .patch has, json or merge, into .into as it is: its nulls mean something. */}}
{{- define "replica-operation.patch" -}}
{{- $forms := list -}}
{{- range $form := list "json" "merge" -}}
{{- if and (hasKey $.patch $form) (not (kindIs "invalid" (get $.patch $form))) -}}
{{- $forms = append $forms $form -}}
{{- $_ := set $.into $form (get $.patch $form) -}}
{{- end -}}
{{- end -}}
{{- if ne (len $forms) 1 -}}
{{- fail (printf "%s: %s; give either json, a list of RFC 6902 operations, or merge, a strategic merge" .at (ternary "json and merge" "neither json nor merge" (gt (len $forms) 1))) -}}
{{- end -}}
{{- if not (get .patch (first $forms)) -}}
{{- fail (printf "%s.%s: empty, so it would change nothing; fill it, or leave the patch out" .at (first $forms)) -}}
{{- end -}}
{{- end -}}
