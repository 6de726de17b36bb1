{{/* Let the pods of .group, its leaders or all, that find others by their labels read pods of the namespace: gives them a token, and the account that they act as the right, unless they name one themselves or say what it may do. */}}
{{- define "replica-group.discovery" -}}
{{- $group := .group -}}
{{- $looks := include "replica-group.discovery.looks" $group.spec -}}
{{- $leader := get $group "leader" | default dict -}}
{{- if hasKey $leader "over" -}}
{{- $leads := include "replica-group.discovery.looks" $leader.spec -}}
{{- $acts := get $leader.spec.environment "serviceAccountName" | default "" -}}
{{- if and $leads (or (not $acts) (eq $acts (get $group.spec.environment "serviceAccountName" | default ""))) -}}
{{- $looks = "true" -}}
{{- else if and $leads (hasKey (get (get $leader "connected" | default dict) "accounts" | default dict) $acts) -}}
{{- fail (printf "groups.%s.leader.connections: %q makes the leader act as %q, and it finds others by labels, which the account of the group alone may; list the connection under the group's connections" $group.name (get $leader.connected.accounts $acts) $acts) -}}
{{- end -}}
{{- if $leads -}}
{{- template "replica-group.discovery.token" (dict "environment" $leader.spec.environment "said" (list .values (get .values "leader"))) -}}
{{- end -}}
{{- end -}}
{{- if include "replica-group.discovery.looks" $group.spec -}}
{{- template "replica-group.discovery.token" (dict "environment" $group.spec.environment "said" (list .values)) -}}
{{- end -}}
{{- if $looks -}}
{{- template "replica-group.discovery.account" . -}}
{{- if and (hasKey $leader "over") (hasKey $group.spec.environment "serviceAccount") (not (get $leader.spec.environment "serviceAccountName")) -}}
{{- $_ := set $leader.spec.environment "serviceAccount" (deepCopy $group.spec.environment.serviceAccount) -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* Print "true" where what runs in the pods of a spec is told of others by their labels. */}}
{{- define "replica-group.discovery.looks" -}}
{{- if pick . "cmd" "container" "init" "sidecars" | toJson | regexMatch `"as":"(labels|selector)"` }}true{{ end -}}
{{- end -}}

{{/* Turn the token of a pod's .environment on where it is off, unless the group itself, in .said, has it so. */}}
{{- define "replica-group.discovery.token" -}}
{{- $asked := false -}}
{{- range $values := .said -}}
{{- $own := get (get ($values | default dict) "environment" | default dict) "automountServiceAccountToken" -}}
{{- $asked = or $asked (kindIs "bool" $own) -}}
{{- end -}}
{{- if and (eq (get .environment "automountServiceAccountToken" | toString) "false") (not $asked) -}}
{{- $_ := set .environment "automountServiceAccountToken" true -}}
{{- end -}}
{{- end -}}

{{/* Give the account that the pods of .group act as the right to read pods: one of their own, or that of a connection. */}}
{{- define "replica-group.discovery.account" -}}
{{- $environment := .group.spec.environment -}}
{{- $asked := get $environment "serviceAccount" | default dict -}}
{{- $made := ne (get $asked "create" | toString) "false" -}}
{{- $acts := get $environment "serviceAccountName" | default "" -}}
{{- $lent := and $acts (hasKey (get (get .group "connected" | default dict) "accounts" | default dict) $acts) -}}
{{- $own := and $made (or (hasKey $environment "serviceAccount") (not $acts)) -}}
{{- if not (or (hasKey $asked "rules") (and (not $made) (get $asked "name")) (and $acts (not $lent))) -}}
{{- if not (or $own $lent) -}}
{{- fail (printf "groups.%s.environment.serviceAccount.create: false, and no name says whose, but the pods find others by labels, which they may then not read; give name, or leave create out" .group.name) -}}
{{- end -}}
{{- $rule := dict "apiGroups" (list "") "resources" (list "pods") "verbs" (list "get" "list" "watch") -}}
{{- $lending := ternary dict (dict "create" false "name" $acts) $own -}}
{{- $_ := set $environment "serviceAccount" (set (merge $lending $asked) "rules" (list $rule)) -}}
{{- end -}}
{{- end -}}
