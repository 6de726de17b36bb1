{{/* Where Kubernetes wants text in what the values pass on to it: fields, maps and lists of text by name, with a field above where the name alone would not tell. A test holds this against the schema of pods. */}}
{{- define "replica-operation.texts.fields" -}}
action apiGroup apiVersion audience cachingMode cephfs.user certificateChainPath claimName conditionType container containerName
credentialBundlePath datasetName datasetUUID devicePath directory diskName diskURI driver effect endpoints fieldPath fsGroupChangePolicy
fsType gateway generateName gmsaCredentialSpec gmsaCredentialSpecName group grpc.mode host hostIP image initiatorName ip iqn iscsiInterface
key keyPath keyring keyType kind level localhostProfile medium mountPath mountPropagation name namespace nodeAffinityPolicy nodeTaintsPolicy
operator path pdID pdName pool prefix procMount protectionDomain protocol pullPolicy quobyte.user rbd.user recursiveReadOnly reference
registry repository request resource resourceName revision role runAsUserName scheme secretFile secretName seLinuxChangePolicy
seLinuxOptions.user server service shareName signerName status stopSignal storageClassName storageMode storagePolicyID storagePolicyName
storagePool subPath subPathExpr succeededIndexes supplementalGroupsPolicy system targetPortal tenant topologyKey type uid value volume
volumeAttributesClassName volumeID volumeMode volumeName volumeNamespace volumePath whenUnsatisfiable
{{- end -}}

{{/* The maps whose values are all text. */}}
{{- define "replica-operation.texts.maps" -}}
annotations labels matchLabels options userAnnotations volumeAttributes
{{- end -}}

{{/* The lists whose entries are all text. */}}
{{- define "replica-operation.texts.lists" -}}
accessModes add apiGroups bindMountOptions drop exec.command finalizers hostnames matchExpressions.values matchFields.values matchLabelKeys
mismatchLabelKeys monitors nameservers namespaces nonResourceURLs portals resourceNames rules.resources searches targetWWNs verbs wwids
{{- end -}}

{{/* Refuse numbers and booleans there. The walk that tells the place costs, so all values are searched as one text first. */}}
{{- define "replica-operation.texts" -}}
{{- $written := pick .values "operation" "defaults" "presets" "groups" "connections" -}}
{{- $known := dict -}}
{{- range $form := list "fields" "maps" "lists" -}}
{{- $_ := set $known $form (regexSplit `\s+` (include (print "replica-operation.texts." $form) $ | trim) -1) -}}
{{- end -}}
{{- $text := toJson $written -}}
{{- $_ := set .operation "wired" (include "replica-operation.wired" $text) -}}
{{- $_ := set .operation "ranked" (contains "LWS_" $text) -}}
{{- if include "replica-operation.texts.suspect" (dict "text" $text "known" $known) -}}
{{- $layers := set (deepCopy .shape) "@by" list -}}
{{- $shape := dict "defaults" .shape "presets" $layers "groups" $layers "connections" (dict "@by" list "env" .shape.container.env) -}}
{{- template "replica-operation.texts.find" (dict "node" $written "at" "" "within" "" "shape" $shape "known" $known) -}}
{{- end -}}
{{- end -}}

{{/* Print "true" where .text, values as JSON, may hold a number or boolean in place of text. */}}
{{- define "replica-operation.texts.suspect" -}}
{{- $other := `(?:true|false|-?[0-9])` -}}
{{- $string := `"(?:[^"\\]|\\.)*"` -}}
{{- $fields := dict -}}
{{- range .known.fields -}}
{{- $_ := set $fields (splitList "." . | last) true -}}
{{- end -}}
{{- range $found := regexFindAll (print `"\w+":` $other) .text -1 -}}
{{- if hasKey $fields (index (splitList `"` $found) 1) -}}true{{- end -}}
{{- end -}}
{{- range $map := .known.maps -}}
{{- if regexMatch (printf `"%s":\{(?:%s:(?:%s|null),)*%s:%s` $map $string $string $string $other) $.text -}}true{{- end -}}
{{- end -}}
{{- if or (regexMatch (printf `":\[(?:(?:%s|null),)*%s` $string $other) .text) (contains `"hostAliases":{` .text) -}}true{{- end -}}
{{- end -}}

{{/* Refuse a number or boolean in place of text in the fields of .node, which stands at .at as the field .within. .shape tells whose keys are the user's; in an autoscaler, targets and policies count. */}}
{{- define "replica-operation.texts.find" -}}
{{- range $field, $value := omit .node "target" "policies" -}}
{{- $at := printf "%s.%s" $.at $field | trimPrefix "." -}}
{{- $rule := get $.shape $field | default dict -}}
{{- if or (kindIs "slice" $value) (hasKey $rule "@by") (hasKey $rule "@names") -}}
{{- template "replica-operation.texts.entries" (dict "node" $value "at" $at "within" $field "above" $.within "shape" $rule "known" $.known) -}}
{{- else if and (kindIs "map" $value) (has $field $.known.maps) -}}
{{- range $key, $entry := $value -}}
{{- template "replica-operation.texts.text" (dict "value" $entry "at" (printf "%s.%s" $at $key)) -}}
{{- end -}}
{{- else if kindIs "map" $value -}}
{{- template "replica-operation.texts.find" (dict "node" $value "at" $at "within" $field "shape" $rule "known" $.known) -}}
{{- else if or (has $field $.known.fields) (has (printf "%s.%s" $.within $field) $.known.fields) -}}
{{- template "replica-operation.texts.text" (dict "value" $value "at" $at) -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* The same for the entries of .node, a list or a map, which is the field .within of the field .above. What a variable itself holds is looked at where it is merged. */}}
{{- define "replica-operation.texts.entries" -}}
{{- $texts := or (has .within .known.lists) (has (printf "%s.%s" .above .within) .known.lists) -}}
{{- range $key, $entry := .node -}}
{{- $at := printf "%s.%v" $.at $key -}}
{{- if and (kindIs "slice" $entry) (hasKey $.shape "@short") -}}
{{- template "replica-operation.texts.entries" (dict "node" $entry "at" $at "within" (get $.shape "@short") "above" "" "shape" dict "known" $.known) -}}
{{- else if kindIs "map" $entry -}}
{{- $read := ternary (pick $entry "valueFrom") $entry (hasKey $.shape "@whole") -}}
{{- template "replica-operation.texts.find" (dict "node" $read "at" $at "within" $.within "shape" $.shape "known" $.known) -}}
{{- else if and $texts (kindIs "slice" $.node) -}}
{{- template "replica-operation.texts.text" (dict "value" $entry "at" $at) -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* Refuse .value at .at where it is a number or boolean. */}}
{{- define "replica-operation.texts.text" -}}
{{- if not (or (kindIs "invalid" .value) (kindIs "map" .value) (kindIs "slice" .value)) -}}
{{- template "replica-group.require.strings" (dict "value" .value "path" .at) -}}
{{- end -}}
{{- end -}}
