{{/* Work out .reference, which .group makes at .at: fills .values, a list, and .text, those joined; notes what the group reads of whom. */}}
{{- define "replica-operation.reference" -}}
{{- $reference := .reference -}}
{{- if hasKey $reference "fromPort" -}}
{{- $_ := set . "values" (include "replica-group.port" (dict "group" .group "name" $reference.fromPort "at" (print .at ".fromPort")) | list) -}}
{{- $_ := set . "text" (first .values) -}}
{{- else -}}
{{- $as := get $reference "as" | default "" -}}
{{- $forms := list "count" "first" "hosts" "labels" "pods" "port" "selector" "service" "url" "urls" -}}
{{- if not (has $as $forms) -}}
{{- $nearest := include "replica-group.nearest" (dict "name" $as "known" $forms) -}}
{{- fail (printf "%s.as: %s; allowed: %s" .at (ternary (printf "%q%s" $as $nearest) "missing" (ne $as "")) (join ", " $forms)) -}}
{{- end -}}
{{- if hasKey $reference "separator" -}}
{{- template "replica-operation.reference.separated" . -}}
{{- end -}}
{{- $_ := set . "groups" list -}}
{{- template "replica-operation.reference.groups" . -}}
{{- $_ := set . "values" list -}}
{{- if has $as (list "labels" "selector") -}}
{{- template "replica-operation.reference.labels" . -}}
{{- else if has $as (list "count" "pods") -}}
{{- template "replica-operation.reference.sum" . -}}
{{- else if eq $as "port" -}}
{{- template "replica-operation.reference.port" . -}}
{{- else -}}
{{- range $target := .groups -}}
{{- include (print "replica-operation.reference." (trimSuffix "s" $as)) (merge (dict "target" $target "into" $) (pick $ "reference" "at")) -}}
{{- end -}}
{{- end -}}
{{- $_ := set . "text" (join (ternary "," (get $reference "separator" | default ",") (eq $as "selector")) .values) -}}
{{- range $target := .groups -}}
{{- $_ := set $.group.reads $target.name (append (get $.group.reads $target.name | default list) $as | uniq | sortAlpha) -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* Fill .groups with those that .reference means: one by name, or those of a role or several, among what the router serves that .group is, or that it has. */}}
{{- define "replica-operation.reference.groups" -}}
{{- $groups := .operation.groups -}}
{{- range $source, $named := pick .reference "fromGroup" "fromRole" -}}
{{- if kindIs "invalid" $named -}}
{{- else if eq $source "fromRole" -}}
{{- range $role := ternary $named (list $named) (kindIs "slice" $named) | uniq -}}
{{- template "replica-operation.reference.role" (dict "role" $role "on" $) -}}
{{- end -}}
{{- else if not (hasKey $groups ($named | toString)) -}}
{{- template "replica-group.unknown" (dict "at" (print $.at ".fromGroup") "what" "is no group" "name" $named "known" (keys $groups)) -}}
{{- else -}}
{{- $_ := set $ "groups" (list (get $groups $named)) -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* Add to .on.groups those of .role. */}}
{{- define "replica-operation.reference.role" -}}
{{- $at := print .on.at ".fromRole" -}}
{{- $groups := .on.operation.groups -}}
{{- $group := .on.group -}}
{{- $router := ternary $group.name (get $group "servedBy") $group.router -}}
{{- if not $router -}}
{{- fail (printf "%s: %q, but the group is no router, and no router serves it, so its roles are nobody's; name a group by fromGroup" $at .role) -}}
{{- end -}}
{{- $known := list -}}
{{- $found := list -}}
{{- range $served := (get $groups $router).serves -}}
{{- $target := get $groups $served -}}
{{- $known = append $known (get $target "role" | default "") -}}
{{- if and $.role (eq (get $target "role" | default "") $.role) -}}
{{- $found = append $found $target -}}
{{- end -}}
{{- end -}}
{{- if not $found -}}
{{- template "replica-group.unknown" (dict "at" $at "what" (printf "is no group that %q serves with the role" $router) "name" .role "known" (compact $known | uniq) "otherwise" "say it by serving.role of a group") -}}
{{- end -}}
{{- if eq .role (get $group "role" | default "") -}}
{{- fail (printf "%s: %q is the role of this group itself; name a group by fromGroup" $at .role) -}}
{{- end -}}
{{- $_ := set .on "groups" (concat .on.groups $found) -}}
{{- end -}}

{{/* Print the number of the port of .target that .reference means: the one it names, else that at which the group serves, else its only one. */}}
{{- define "replica-operation.reference.number" -}}
{{- $name := get .reference "port" | default (get .target "servingPort") -}}
{{- $ports := get .target "ports" | default list -}}
{{- if and (not $name) (eq (len $ports) 1) -}}
{{- $name = (first $ports).name -}}
{{- end -}}
{{- if not $name -}}
{{- $names := list -}}
{{- range $port := $ports -}}
{{- $names = append $names $port.name -}}
{{- end -}}
{{- fail (printf "%s.port: missing, and the group %q %s; name one, or say it by its serving.port" .at .target.name (ternary (printf "has several (%s)" (join ", " $names)) "has none" (gt (len $names) 0))) -}}
{{- end -}}
{{- include "replica-group.port" (dict "group" (ternary (omit .target "agreed") .target (eq .reference.as "first")) "name" $name "at" (print .at ".port")) -}}
{{- end -}}
