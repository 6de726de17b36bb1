{{/* Resolve the operation once for all templates into .Values._resolved; every template begins with it. */}}
{{- define "replica-operation.resolve" -}}
{{- if not (hasKey .Values "_resolved") -}}
{{- if ne .Chart.Name "replica-operation" -}}
{{- fail (printf "the chart replica-operation cannot have the alias %q: one release holds one operation, so depend on it once, under its own name" .Chart.Name) -}}
{{- end -}}
{{- with omit (get .Values "replica-group" | default dict) "global" -}}
{{- fail (printf "replica-group: %s, but nothing is read there; what holds for all groups stands under defaults" (keys . | sortAlpha | join ", ")) -}}
{{- end -}}
{{- template "replica-operation.characters" (dict "values" (omit .Values "global")) -}}
{{- $operation := dict "release" .Release.Name "namespace" .Release.Namespace "managedBy" .Release.Service -}}
{{- $_ := set $operation "chart" (dict "name" .Chart.Name "version" .Chart.Version) -}}
{{- $_ := set $operation "wrapped" (not .Chart.IsRoot) -}}
{{- $_ := set $operation "traced" (.Capabilities.APIVersions.Has "helm-roster.dev/v1alpha1/ResolvedOperation") -}}
{{- $_ := set $operation "shape" (include "replica-group.shape" . | fromYaml) -}}
{{- $_ := set $operation.shape "leader" (merge (dict "@apart" true) (omit $operation.shape "leader" "presets" "patchStrategy")) -}}
{{- template "replica-operation.texts" (dict "values" .Values "shape" $operation.shape "operation" $operation) -}}
{{- template "replica-operation.read" (dict "operation" $operation "values" .Values) -}}
{{- template "replica-operation.presets" (dict "operation" $operation "values" .Values) -}}
{{- template "replica-operation.files" (dict "operation" $operation "values" .Values) -}}
{{- template "replica-operation.connections" (dict "operation" $operation "values" .Values) -}}
{{- template "replica-operation.device-claims" (dict "operation" $operation "values" .Values) -}}
{{- template "replica-operation.groups" (dict "operation" $operation "values" .Values) -}}
{{- $_ := set .Values "_resolved" $operation -}}
{{- end -}}
{{- end -}}

{{/* Read what belongs to the operation itself, without nulls, into .operation. */}}
{{- define "replica-operation.read" -}}
{{- $operation := .operation -}}
{{- $given := dict -}}
{{- template "replica-operation.given" (dict "into" $given "from" (pick .values "operation" "scheduling" "labels" "annotations")) -}}
{{- $own := get $given "operation" | default dict -}}
{{- $run := get $own "run" | default "" -}}
{{- template "replica-group.require.strings" (dict "value" $run "path" "operation.run") -}}
{{- $_ := set $operation "kind" (get $own "kind" | default "service") -}}
{{- $_ := set $operation "run" $run -}}
{{- $_ := set $operation "job" (get $own "job" | default dict) -}}
{{- $_ := set $operation "base" (include "replica-operation.base" (dict "operation" $own "release" $operation.release)) -}}
{{- if not (regexMatch "^([a-z0-9]([-a-z0-9]{0,18}[a-z0-9])?)?$" $run) -}}
{{- fail (printf "operation.run: %q becomes part of names; at most 20 lower-case letters, digits and -, no - at the ends" $run) -}}
{{- end -}}
{{- if and $run (ne $operation.kind "job") -}}
{{- fail (printf "operation.run: %q, but kind is %s; only a finite kind (job) has runs" $run $operation.kind) -}}
{{- end -}}
{{- if and $operation.job (ne $operation.kind "job") -}}
{{- fail (printf "operation.job: given, but kind is %s; it belongs to kind job" $operation.kind) -}}
{{- end -}}
{{- with $operation.job -}}
{{- template "replica-operation.job" . -}}
{{- end -}}
{{- range $field := list "labels" "annotations" -}}
{{- $map := get $given $field | default dict -}}
{{- template "replica-group.readable" (dict "map" $map "path" $field "otherwise" "choose another key") -}}
{{- range $key, $value := $map -}}
{{- template "replica-group.require.strings" (dict "value" $value "path" (print $field "." $key)) -}}
{{- end -}}
{{- template "replica-group.reserved" (dict "map" $map "path" $field) -}}
{{- $_ := set $operation $field $map -}}
{{- end -}}
{{- template "replica-group.reserved.helm" (dict "map" $operation.annotations "path" "annotations") -}}
{{- template "replica-operation.gangs.written" (dict "gangs" (get (.values.scheduling | default dict) "gangs" | default dict)) -}}
{{- template "replica-operation.scheduling" (dict "operation" $operation "given" (get $given "scheduling" | default dict)) -}}
{{- $_ := set $operation "defaults" (.values.defaults | default dict) -}}
{{- end -}}
