{{/* Settle whom the pods of a group act as: fills serviceAccountName, .group.account for one of the group's own, and .group.rules. It takes the place of the account that a connection names. Entered where the field is given. */}}
{{- define "replica-group.account" -}}
{{- $group := .group -}}
{{- $environment := $group.spec.environment -}}
{{- $asked := $environment.serviceAccount -}}
{{- $at := printf "groups.%s.environment.serviceAccount" $group.name -}}
{{- $own := ne (get $asked "create" | toString) "false" -}}
{{- $name := include "replica-group.account.name" $group -}}
{{- $_ := unset $environment "serviceAccount" -}}
{{- if $name -}}
{{- $given := (get $group "connected" | default dict).accounts | default dict -}}
{{- if not (hasKey $given (get $environment "serviceAccountName" | default "")) -}}
{{- with get $environment "serviceAccountName" -}}
{{- fail (printf "%s: given, and so is serviceAccountName (%s); keep one, a lower layer's goes with `unset: [environment.serviceAccountName]`" $at .) -}}
{{- end -}}
{{- end -}}
{{- if and $own (not (hasKey $group "over")) -}}
{{- template "replica-group.account.own" (dict "group" $group "name" $name "annotations" (get $asked "annotations") "operation" .operation "at" $at) -}}
{{- else if and (not $own) (get $asked "annotations") -}}
{{- fail (printf "%s.annotations: given, but create is false, so %q is not ours to change; leave them out" $at $name) -}}
{{- end -}}
{{- $_ := set $environment "serviceAccountName" $name -}}
{{- with get $asked "rules" -}}
{{- $_ := set $group "rules" . -}}
{{- end -}}
{{- else -}}
{{- range $field := keys (pick $asked "rules" "annotations") | sortAlpha -}}
{{- if get $asked $field -}}
{{- fail (printf "%s.%s: given, but create is false and no name says whose; give name, or leave %s out" $at $field $field) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* Print the name of the service account that a group asks for, if it asks for one. */}}
{{- define "replica-group.account.name" -}}
{{- if hasKey .spec.environment "serviceAccount" -}}
{{- $asked := .spec.environment.serviceAccount -}}
{{- get $asked "name" | default (ternary "" .object (eq (get $asked "create" | toString) "false")) -}}
{{- end -}}
{{- end -}}

{{/* Give .group a service account of its own, which no other group may make again. */}}
{{- define "replica-group.account.own" -}}
{{- $made := .operation.accounts -}}
{{- if hasKey $made .name -}}
{{- fail (printf "%s.name: group %q makes %q already; let it, and set create: false here, or leave the name out" .at (get $made .name) .name) -}}
{{- end -}}
{{- $_ := set $made .name .group.name -}}
{{- template "replica-group.reserved" (dict "map" .annotations "path" (print .at ".annotations")) -}}
{{- template "replica-group.reserved.helm" (dict "map" .annotations "path" (print .at ".annotations")) -}}
{{- $_ := set .group "account" (dict "name" .name "annotations" .annotations) -}}
{{- end -}}

{{/* The ServiceAccount of a group. */}}
{{- define "replica-group.service-account" -}}
apiVersion: v1
kind: ServiceAccount
metadata:
  {{- include "replica-group.metadata" (dict "group" . "object" (quote .account.name) "given" .account.annotations) | nindent 2 }}
{{- end -}}
