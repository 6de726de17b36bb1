{{/* Let the pods of .group, which find others by their labels, read pods of the namespace, by an account of their own, unless the group names one or says what it may do. */}}
{{- define "replica-group.discovery" -}}
{{- $environment := .group.spec.environment -}}
{{- $leader := get .group "leader" | default dict -}}
{{- $parts := list (pick .group.spec "cmd" "container" "init" "sidecars") (omit (get $leader "spec" | default dict) "environment") -}}
{{- if regexMatch `"as":"(labels|selector)"` (toJson $parts) -}}
{{- $asked := get $environment "serviceAccount" | default dict -}}
{{- $theirs := or (get $environment "serviceAccountName") (eq (get $asked "create" | toString) "false") -}}
{{- if not (or $theirs (hasKey $asked "rules")) -}}
{{- $rule := dict "apiGroups" (list "") "resources" (list "pods") "verbs" (list "get" "list" "watch") -}}
{{- $_ := set $environment "serviceAccount" (set $asked "rules" (list $rule)) -}}
{{- if hasKey $leader "over" -}}
{{- $_ := set $leader.spec.environment "serviceAccount" (deepCopy $environment.serviceAccount) -}}
{{- end -}}
{{- end -}}
{{- $own := get (get .values "environment" | default dict) "automountServiceAccountToken" -}}
{{- if and (eq (get $environment "automountServiceAccountToken" | toString) "false") (not (kindIs "bool" $own)) -}}
{{- $_ := set $environment "automountServiceAccountToken" true -}}
{{- $_ := unset .group.trace "environment.automountServiceAccountToken" -}}
{{- template "replica-group.explained.chart" (dict "group" .group "path" "environment.automountServiceAccountToken") -}}
{{- end -}}
{{- end -}}
{{- end -}}
