{{/* Fill .group.leader with the pod that comes first in each replica: that of the group, or, where something is laid over it, one that is composed and settled by itself. Entered for a LeaderWorkerSet. */}}
{{- define "replica-group.leader" -}}
{{- $group := .group -}}
{{- $leader := omit $group "leaders" "volumes" "connected" "devices" "singleNodeClaim" "files" "resourceClaims" "claimTemplates" "claimNames" "initContainers" "sidecars" "starting" "waits" "waiting" -}}
{{- if not (get $group "leaders") -}}
{{- $leader = omit $group "leaders" -}}
{{- end -}}
{{- $_ := set $group "leader" (set $leader "leads" true) -}}
{{- with get $group "leaders" -}}
{{- $_ := set $leader "name" (print $group.name ".leader") -}}
{{- $_ := set (set $leader "trace" dict) "over" . -}}
{{- template "replica-group.leader.counts" (dict "leader" $leader "values" $.values "operation" $.operation) -}}
{{- $composing := dict "group" $leader "values" $.values "operation" $.operation -}}
{{- if include "replica-group.connections.some" $composing -}}
{{- template "replica-group.connections" $composing -}}
{{- end -}}
{{- template "replica-group.layers" $composing -}}
{{- template "replica-group.compose.parts" $leader.spec -}}
{{- template "replica-group.settle" $composing -}}
{{- with get $leader.spec.readiness "probe" -}}
{{- template "replica-group.probes.port" (dict "group" $leader "container" $leader.spec.container "handler" . "at" (printf "groups.%s.readiness.probe" $leader.name)) -}}
{{- $_ := set $leader.spec.container "readinessProbe" . -}}
{{- end -}}
{{- template "replica-group.leader.join" (dict "group" $group "leader" $leader) -}}
{{- end -}}
{{- $unstarted := get $group "unstarted" | default (get $leader "unstarted") -}}
{{- if and $unstarted (not (hasKey $leader "starting")) -}}
{{- fail $unstarted -}}
{{- end -}}
{{- end -}}

{{/* Count the accelerators of .leader, and choose its presets: those that select accelerators are left out where it has none and its group has. */}}
{{- define "replica-group.leader.counts" -}}
{{- $leader := .leader -}}
{{- $grouped := $leader.accelerators -}}
{{- $_ := set $leader "accelerators" $leader.mainAccelerators -}}
{{- range $layer := $leader.over -}}
{{- if or (hasKey $layer.from "accelerators") (has "accelerators" (get $layer.from "unset" | default list)) -}}
{{- $_ := set $leader "accelerators" (get $layer.from "accelerators" | int64) -}}
{{- end -}}
{{- end -}}
{{- $_ := set (set $leader "presets" list) "skippedPresets" list -}}
{{- template "replica-group.presets.choose" (dict "group" $leader "values" .values "operation" .operation) -}}
{{- if and (eq $leader.accelerators 0) (gt $grouped 0) (not (include "replica-group.presets.beside" (dict "group" $leader "values" .values "operation" .operation))) -}}
{{- range $name := $leader.presets -}}
{{- if include "replica-group.presets.selects" (get $.operation.presets $name) -}}
{{- $_ := set $leader "presets" (without $leader.presets $name) -}}
{{- $_ := set $leader "skippedPresets" (append $leader.skippedPresets $name) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* Let .group have what its leader brings to objects of the whole group: files, templates of claims, names of claims, a claim that one node alone may mount, and, for people, what was set there and by which layer. */}}
{{- define "replica-group.leader.join" -}}
{{- $group := .group -}}
{{- $leader := .leader -}}
{{- with get $leader "files" -}}
{{- $_ := set $group "files" (merge dict . (get $group "files" | default dict)) -}}
{{- end -}}
{{- with get $leader "claimTemplates" -}}
{{- $_ := set $group "claimTemplates" (merge dict . (get $group "claimTemplates" | default dict)) -}}
{{- end -}}
{{- with get $leader "claimNames" -}}
{{- $_ := set $group "claimNames" (concat (get $group "claimNames" | default list) . | uniq) -}}
{{- end -}}
{{- with get $leader "singleNodeClaim" -}}
{{- $_ := set $group "singleNodeClaim" . -}}
{{- end -}}
{{- if $group.traced -}}
{{- range $path, $layer := $leader.trace -}}
{{- if hasSuffix ".leader" $layer -}}
{{- $_ := set $group.trace (print "leader." $path) (trimSuffix ".leader" $layer) -}}
{{- end -}}
{{- end -}}
{{- range $path, $layer := get $leader "idle" | default dict -}}
{{- if hasSuffix ".leader" $layer -}}
{{- $_ := set $group "idle" (set (get $group "idle" | default dict) $path $layer) -}}
{{- end -}}
{{- end -}}
{{- $_ := set $group "composed" (set (fromJson $group.composed) "leader" (fromJson $leader.composed) | toJson) -}}
{{- end -}}
{{- end -}}

{{/* Settle whom the leader of .group acts as, which is whom the group does, unless it names another account. */}}
{{- define "replica-group.leader.account" -}}
{{- $leader := .group.leader -}}
{{- if hasKey $leader.spec.environment "serviceAccount" -}}
{{- template "replica-group.account" (dict "group" $leader "operation" .operation) -}}
{{- end -}}
{{- end -}}
