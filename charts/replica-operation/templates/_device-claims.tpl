{{/* Read the claims of devices of .values, without nulls, into .operation.deviceClaims. */}}
{{- define "replica-operation.device-claims" -}}
{{- $given := dict -}}
{{- template "replica-operation.given" (dict "into" $given "from" .values.claims) -}}
{{- $kinds := list "claim" "computeDomain" "spec" "template" -}}
{{- range $name, $claim := $given -}}
{{- $at := print "claims." $name -}}
{{- template "replica-operation.names.readable" (dict "path" "claims" "name" $name "limit" 63) -}}
{{- if or (eq $name "accelerators") (hasPrefix "accelerators-" $name) -}}
{{- fail (printf "claims: %q cannot be a name: accelerators of pods are claimed under it; choose another name" $name) -}}
{{- end -}}
{{- $found := list -}}
{{- range $kind := $kinds -}}
{{- if hasKey $claim $kind -}}
{{- $found = append $found $kind -}}
{{- end -}}
{{- end -}}
{{- if ne (len $found) 1 -}}
{{- fail (printf "%s: %s; give one of %s" $at (ternary "says nothing" (printf "%s, but it is one of them" (join " and " $found)) (eq (len $found) 0)) (join ", " $kinds)) -}}
{{- end -}}
{{- if and (hasKey $claim "shared") (not (hasKey $claim "spec")) -}}
{{- fail (printf "%s.shared: given, but only a claim with a spec is shared or not; leave it out" $at) -}}
{{- end -}}
{{- if and (hasKey $claim "spec") (not (get (get $claim.spec "devices" | default dict) "requests")) -}}
{{- fail (printf "%s.spec.devices.requests: none; say which devices are claimed" $at) -}}
{{- end -}}
{{- if hasKey $claim "spec" -}}
{{- template "replica-group.device-claims.fit" (dict "at" (print $at ".spec:") "devices" $claim.spec.devices "then" "divide it into several claims") -}}
{{- end -}}
{{- range $kind := list "claim" "template" -}}
{{- $of := get $claim $kind -}}
{{- if and (hasKey $claim $kind) (or (gt (len $of) 253) (not (regexMatch "^[a-z0-9]([-a-z0-9]*[a-z0-9])?([.][a-z0-9]([-a-z0-9]*[a-z0-9])?)*$" $of))) -}}
{{- fail (printf "%s.%s: %q is no name of an object; give that of an existing ResourceClaim%s" $at $kind $of (ternary "Template" "" (eq $kind "template"))) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- $_ := set .operation "deviceClaims" $given -}}
{{- end -}}

{{/* Name the objects of the claims that groups use, in .operation.claimObjects and in the pods. What has an immutable spec ends in a hash of it, so that a changed one is another object. */}}
{{- define "replica-operation.device-claims.objects" -}}
{{- $operation := .operation -}}
{{- $objects := dict -}}
{{- range $name, $users := get $operation "claimUsers" | default dict -}}
{{- $claim := get $operation.deviceClaims $name -}}
{{- $object := dict "kind" (ternary "ResourceClaim" "ResourceClaimTemplate" (eq (get $claim "shared" | toString) "true")) -}}
{{- $given := get $claim "template" | default (get $claim "claim") -}}
{{- if hasKey $claim "computeDomain" -}}
{{- $nodes := 0 -}}
{{- if get $claim.computeDomain "countNodes" -}}
{{- $nodes = include "replica-operation.compute-domains.pods" (dict "operation" $operation "users" $users "at" (printf "claims.%s.computeDomain.countNodes" $name)) | int64 -}}
{{- end -}}
{{- $channel := pick $claim.computeDomain "allocationMode" -}}
{{- $_ := set (set $object "kind" "ComputeDomain") "spec" (dict "numNodes" $nodes "channel" $channel) -}}
{{- else if hasKey $claim "spec" -}}
{{- $_ := set $object "spec" $claim.spec -}}
{{- end -}}
{{- $hash := printf "%s/%s/%s/%s/%s" $operation.base $name $operation.run (toJson $object) (include "replica-operation.device-claims.labels" $operation) | sha256sum | trunc 8 -}}
{{- $_ := set $object "name" ($given | default (printf "%s-%s-%s" $operation.base $name $hash)) -}}
{{- if eq $object.kind "ComputeDomain" -}}
{{- $_ := set $object.spec.channel "resourceClaimTemplate" (dict "name" $object.name) -}}
{{- end -}}
{{- $shared := or (hasKey $claim "claim") (eq $object.kind "ResourceClaim") -}}
{{- if $shared -}}
{{- template "replica-operation.device-claims.shared" (dict "operation" $operation "users" $users "at" (print "claims." $name)) -}}
{{- end -}}
{{- range $user := $users -}}
{{- $_ := set $user.claim (ternary "resourceClaimName" "resourceClaimTemplateName" $shared) $object.name -}}
{{- end -}}
{{- if not $given -}}
{{- $_ := set $objects $name $object -}}
{{- end -}}
{{- end -}}
{{- $_ := set $operation "claimObjects" $objects -}}
{{- end -}}
