{{/* Print the manifests of `extraObjects` with the operation's labels and annotations. .objects: as a list or by a name of the user's. */}}
{{- define "replica-operation.extra-objects" -}}
{{- $operation := .operation -}}
{{- $taken := dict -}}
{{- range $group := $operation.groups -}}
{{- template "replica-operation.extra-objects.taken" (dict "taken" $taken "group" $group) -}}
{{- end -}}
{{- range $name := keys (get $operation "claimed" | default dict) -}}
{{- $_ := set $taken (printf "/PersistentVolumeClaim/%s/%s" $operation.namespace (get $operation.connections $name).claim.name) (print "connection " $name) -}}
{{- end -}}
{{- template "replica-operation.fill.taken" (dict "taken" $taken "operation" $operation) -}}
{{- if kindIs "map" .objects -}}
{{- template "replica-group.readable" (dict "map" .objects "path" "extraObjects" "otherwise" "choose another key") -}}
{{- end -}}
{{- range $handle, $object := .objects -}}
{{- if $object -}}
{{- $at := printf "extraObjects.%v" $handle -}}
{{- $metadata := get $object "metadata" | default dict -}}
{{- if not (kindIs "map" $metadata) -}}
{{- fail (printf "%s.metadata: %s is no map; an entry is a whole manifest, with apiVersion, kind and metadata.name" $at (toJson $metadata)) -}}
{{- end -}}
{{- template "replica-operation.extra-objects.check" (dict "object" $object "metadata" $metadata "at" $at) -}}
{{- $identity := printf "%s/%s/%s/%s" (include "replica-operation.extra-objects.api" $object.apiVersion) $object.kind (get $metadata "namespace" | default $operation.namespace) $metadata.name -}}
{{- if hasKey $taken $identity -}}
{{- fail (printf "%s: %s %q is also made by %s; give it another name" $at $object.kind $metadata.name (get $taken $identity)) -}}
{{- end -}}
{{- $_ := set $taken $identity $at -}}
{{- $ours := dict "app.kubernetes.io/instance" $operation.release "helm-roster.dev/operation" $operation.base "app.kubernetes.io/managed-by" $operation.managedBy -}}
{{- $labels := merge $ours (get $metadata "labels" | default dict) $operation.labels -}}
{{- $annotations := merge dict (get $metadata "annotations" | default dict) $operation.annotations -}}
{{- $metadata = set (omit $metadata "annotations") "labels" $labels -}}
{{- if $annotations -}}
{{- $_ := set $metadata "annotations" $annotations -}}
{{- end }}
---
{{ set (omit $object "metadata") "metadata" $metadata | toYaml }}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* Refuse what is no whole manifest, or belongs to the chart. */}}
{{- define "replica-operation.extra-objects.check" -}}
{{- if and (hasKey .object "items") (hasSuffix "List" (get .object "kind" | toString)) -}}
{{- fail (printf "%s.kind: %s holds objects, and labels would not reach them; give each as an entry of its own" .at .object.kind) -}}
{{- end -}}
{{- range $field, $value := dict "apiVersion" (get .object "apiVersion") "kind" (get .object "kind") "metadata.name" (get .metadata "name") -}}
{{- if not (and $value (kindIs "string" $value)) -}}
{{- fail (printf "%s.%s: missing; an entry is a whole manifest, with apiVersion, kind and metadata.name" $.at $field) -}}
{{- end -}}
{{- end -}}
{{- if hasPrefix "helm-roster.dev/" .object.apiVersion -}}
{{- fail (printf "%s.apiVersion: %s belongs to the chart itself; take the object out" .at .object.apiVersion) -}}
{{- end -}}
{{- range $field := list "labels" "annotations" -}}
{{- $map := get $.metadata $field | default dict -}}
{{- $path := printf "%s.metadata.%s" $.at $field -}}
{{- if not (kindIs "map" $map) -}}
{{- fail (printf "%s: %s is no map; give texts by key" $path (toJson $map)) -}}
{{- end -}}
{{- range $key, $value := $map -}}
{{- template "replica-group.require.strings" (dict "value" $value "path" (print $path "." $key)) -}}
{{- end -}}
{{- template "replica-group.reserved" (dict "map" $map "path" $path) -}}
{{- end -}}
{{- end -}}

{{/* Print the API group of an apiVersion; that of the core is empty. */}}
{{- define "replica-operation.extra-objects.api" -}}
{{- ternary (splitList "/" . | first) "" (contains "/" .) -}}
{{- end -}}

{{/* Note in .taken what .group renders: API group, kind, namespace and name, and for a refusal whose it is. */}}
{{- define "replica-operation.extra-objects.taken" -}}
{{- $group := .group -}}
{{- $names := dict (printf "%s/%s" (include "replica-operation.extra-objects.api" $group.apiVersion) $group.kind) $group.object "/Service" $group.object -}}
{{- $parts := dict "hpa" (list "autoscaling/HorizontalPodAutoscaler") "scaled" (list "keda.sh/ScaledObject") "budget" (list "policy/PodDisruptionBudget") -}}
{{- $_ := set $parts "rules" (list "rbac.authorization.k8s.io/Role" "rbac.authorization.k8s.io/RoleBinding") -}}
{{- range $part, $kinds := $parts -}}
{{- if hasKey $group $part -}}
{{- range $kind := $kinds -}}
{{- $_ := set $names $kind $group.object -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- if eq $group.kind "LeaderWorkerSet" -}}
{{- $_ := set $names "apps/StatefulSet" $group.object -}}
{{- end -}}
{{- with $group.account -}}
{{- $_ := set $names "/ServiceAccount" .name -}}
{{- end -}}
{{- if hasKey $group "files" -}}
{{- $_ := set $names "/ConfigMap" (print $group.object "-files") -}}
{{- end -}}
{{- range $kind, $name := $names -}}
{{- $_ := set $.taken (printf "%s/%s/%s" $kind $group.operation.namespace $name) (print "group " $group.name) -}}
{{- end -}}
{{- $_ := set .taken (printf "/Service/%s/%s" $group.operation.namespace $group.ready) (print "group " $group.name) -}}
{{- end -}}
