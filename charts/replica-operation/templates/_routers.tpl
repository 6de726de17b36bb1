{{/* Settle which groups of .operation each router serves, and, where a router does not say it, that it requires those. */}}
{{- define "replica-operation.routers" -}}
{{- $operation := .operation -}}
{{- $routers := list -}}
{{- $playing := list -}}
{{- range $name, $group := $operation.groups -}}
{{- if $group.router -}}
{{- $routers = append $routers $name -}}
{{- else if hasKey $group "role" -}}
{{- $playing = append $playing $name -}}
{{- end -}}
{{- end -}}
{{- range $name := $routers -}}
{{- $router := get $operation.groups $name -}}
{{- $at := print "groups." $name -}}
{{- if hasKey $router.spec "serves" -}}
{{- template "replica-operation.routers.serves" (dict "router" $router "operation" $operation "at" (print $at ".serves")) -}}
{{- $_ := set $router "serves" (get $router.spec "serves" | default list | uniq | sortAlpha) -}}
{{- else if gt (len $routers) 1 -}}
{{- fail (printf "%s.serves: missing; the operation has several routers (%s), so each says which groups it serves" $at (join ", " $routers)) -}}
{{- else -}}
{{- $_ := set $router "serves" $playing -}}
{{- end -}}
{{- range $served := $router.serves -}}
{{- $group := get $operation.groups $served -}}
{{- if hasKey $group "servedBy" -}}
{{- fail (printf "%s.serves: %q is served by %q already, and a group has one router; take it out of one" $at $served $group.servedBy) -}}
{{- end -}}
{{- $_ := set $group "servedBy" $name -}}
{{- end -}}
{{- if not (hasKey $router.spec.readiness "requires") -}}
{{- if not $router.serves -}}
{{- fail (printf "%s.readiness.requires: missing, and the router serves no group; say which groups it needs before it is ready, [] for none, or which it serves" $at) -}}
{{- end -}}
{{- $_ := set $router "requires" $router.serves -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* Refuse what .router cannot serve: no group, itself, another router. */}}
{{- define "replica-operation.routers.serves" -}}
{{- range $served := get .router.spec "serves" | default list -}}
{{- if eq $served $.router.name -}}
{{- fail (printf "%s: %q is the router itself; name the groups behind it" $.at $served) -}}
{{- end -}}
{{- if not (hasKey $.operation.groups $served) -}}
{{- template "replica-group.unknown" (dict "at" $.at "what" "is no group" "name" $served "known" (without $.operation.names $.router.name) "otherwise" "add a group to serve") -}}
{{- end -}}
{{- if (get $.operation.groups $served).router -}}
{{- fail (printf "%s: %q is a router too, and a router serves groups that are none; name those behind it" $.at $served) -}}
{{- end -}}
{{- end -}}
{{- end -}}
