{{/* Choose the presets of .group: fills .group.presets (applied, in order) and .group.skippedPresets. One that the group lists takes the place of those of defaults that ask for other accelerators. */}}
{{- define "replica-group.presets.choose" -}}
{{- $own := get .values "presets" | default list | uniq -}}
{{- $unset := get .values "unset" | default list -}}
{{- $inherited := get .operation.defaults "presets" | default list | uniq -}}
{{- if or (has "presets" $unset) (and (hasKey .values "presets") (not $own)) -}}
{{- $inherited = list -}}
{{- end -}}
{{- $some := gt .group.accelerators 0 -}}
{{- if and $inherited (not $some) -}}
{{- $some = ne (include "replica-group.presets.beside" .) "" -}}
{{- end -}}
{{- range $name := $inherited -}}
{{- if not (or (has $name $own) (has (print "presets." $name) $unset)) -}}
{{- $preset := include "replica-group.presets.known" (dict "name" $name "at" "defaults.presets" "operation" $.operation) -}}
{{- $replaced := "" -}}
{{- range $other := $own -}}
{{- $replaced = print $replaced (include "replica-group.presets.other" (dict "given" (get $.operation.presets $name) "own" (get $.operation.presets $other))) -}}
{{- end -}}
{{- $list := ternary "skippedPresets" "presets" (or (ne $replaced "") (and (eq $preset "devices") (not $some))) -}}
{{- $_ := set $.group $list (append (get $.group $list) $name) -}}
{{- end -}}
{{- end -}}
{{- if $.group.presets -}}
{{- $_ := set $.group "inheritedPresets" $.group.presets -}}
{{- end -}}
{{- range $name := $own -}}
{{- $_ := include "replica-group.presets.known" (dict "name" $name "at" (printf "groups.%s.presets" $.group.name) "operation" $.operation) -}}
{{- $_ := set $.group "presets" (append $.group.presets $name) -}}
{{- end -}}
{{- end -}}

{{/* Refuse the name of a preset that nobody defined; print "devices" for one that selects an accelerator, or what comes along with one. */}}
{{- define "replica-group.presets.known" -}}
{{- $presets := .operation.presets -}}
{{- if not (hasKey $presets .name) -}}
{{- $ours := ternary ", those called roster/… from presets/ of the package" "" (hasPrefix "roster/" .name) -}}
{{- $then := printf "; presets come from files given with -f before your own%s" $ours -}}
{{- template "replica-group.unknown" (dict "at" .at "what" "is no preset" "name" .name "known" (keys $presets | default (list "none")) "then" $then) -}}
{{- end -}}
{{- template "replica-group.presets.selects" (get $presets .name) -}}
{{- end -}}

{{/* Refuse two applied presets that select different accelerators for one group, or of other nodes. */}}
{{- define "replica-group.presets.agree" -}}
{{- template "replica-group.presets.one-way" . -}}
{{- $facts := dict -}}
{{- range $name := .group.presets -}}
{{- $_ := set $facts $name (include "replica-group.presets.facts" (get $.operation.presets $name) | fromJson) -}}
{{- end -}}
{{- range $field := list "model" "resource" "topology" "perNode" "claim.deviceClassName" -}}
{{- $first := "" -}}
{{- $chosen := "" -}}
{{- range $name := $.group.presets -}}
{{- $value := get (get $facts $name) $field -}}
{{- if and $value $chosen (ne $value $chosen) -}}
{{- fail (printf "groups.%s.presets: %q selects the accelerator %s %q and %q selects %q; %s" $.group.name $first $field $chosen $name $value (include "replica-group.presets.keep" (dict "group" $.group "names" (list $first $name)))) -}}
{{- else if and $value (not $chosen) -}}
{{- $first = $name -}}
{{- $chosen = $value -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* Refuse two applied presets of which one has a resource for accelerators and the other a claim. */}}
{{- define "replica-group.presets.one-way" -}}
{{- $ways := dict -}}
{{- range $name := $.group.presets -}}
{{- range $way, $value := pick (get (get $.operation.presets $name) "accelerator" | default dict) "claim" "resource" -}}
{{- if and $value (not (hasKey $ways $way)) -}}
{{- $_ := set $ways $way $name -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- if eq (len $ways) 2 -}}
{{- fail (printf "groups.%s.presets: %q has accelerators by a resource and %q by a claim; a pod gets them one way, so %s" $.group.name $ways.resource $ways.claim (include "replica-group.presets.keep" (dict "group" .group "names" (list $ways.resource $ways.claim)))) -}}
{{- end -}}
{{- end -}}

{{/* Print what to do about two presets (.names) that exclude each other: who looks into the group finds none that comes from defaults. */}}
{{- define "replica-group.presets.keep" -}}
keep one
{{- range $name := .names -}}
{{- if has $name (get $.group "inheritedPresets" | default list) -}}
{{- printf "; %q comes from defaults, and `unset: [presets.%s]` in the group leaves it out" $name $name -}}
{{- end -}}
{{- end -}}
{{- end -}}
