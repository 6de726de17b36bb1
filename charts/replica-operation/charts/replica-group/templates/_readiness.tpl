{{/* Settle whether it is a router, and what must be up for a group to be ready; readiness.probe becomes the container's readinessProbe. */}}
{{- define "replica-group.readiness" -}}
{{- $group := .group -}}
{{- $spec := $group.spec -}}
{{- $router := get $spec "router" -}}
{{- $at := print "groups." $group.name -}}
{{- $stateless := and (kindIs "map" $router) (eq (get $router "stateless" | toString) "true") -}}
{{- $_ := set $group "stateless" $stateless -}}
{{- if or (kindIs "map" $router) (eq (toString $router) "true") -}}
{{- $_ := set $group "router" true -}}
{{- end -}}
{{- if and $group.router (not $stateless) (ne $group.replicas 1) -}}
{{- fail (printf "%s.replicas: %d, but a router has one replica; set 1, or `router: {stateless: true}` if its replicas share nothing" $at $group.replicas) -}}
{{- end -}}
{{- if and $group.router (ne .operation.kind "service") -}}
{{- fail (printf "%s.router: an operation of kind %s has no router; only kind service has" $at .operation.kind) -}}
{{- end -}}
{{- if and $group.router (eq $group.lifecycle "auxiliary") -}}
{{- fail (printf "%s.lifecycle: auxiliary, but a router decides whether the operation is ready; leave lifecycle out" $at) -}}
{{- end -}}
{{- if and (get $spec "serves") (not $group.router) -}}
{{- fail (printf "%s.serves: %s, but the group is no router; set router: true, or leave it out" $at (join ", " $spec.serves)) -}}
{{- end -}}
{{- range $name := get $spec.readiness "requires" | default list -}}
{{- if or (eq $name $group.name) (not (has $name $.operation.names)) -}}
{{- $others := without $.operation.names $group.name -}}
{{- $nearest := include "replica-group.nearest" (dict "name" $name "known" $others) -}}
{{- fail (printf "%s.readiness.requires: %q is no other group%s; known: %s" $at $name $nearest (join ", " $others | default "none")) -}}
{{- end -}}
{{- $_ := set $group "requires" (append $group.requires $name) -}}
{{- end -}}
{{- with get $spec.readiness "probe" -}}
{{- template "replica-group.probes.port" (dict "group" $group "container" $spec.container "handler" . "at" (print $at ".readiness.probe")) -}}
{{- $_ := set $spec.container "readinessProbe" . -}}
{{- end -}}
{{- end -}}

{{/* Refuse a group that requires others while nothing checks it. */}}
{{- define "replica-group.readiness.checked" -}}
{{- $serving := (get . "leader" | default .).spec.container -}}
{{- if not (get $serving "readinessProbe") -}}
{{- fail (printf "groups.%s.readiness: requires %s, but nothing checks it; give a readiness.probe that fails while they are missing" .name (join ", " .requires)) -}}
{{- end -}}
{{- end -}}
