{{/* Refuse in .values what YAML could not carry into the manifests: characters that are no text to it, where toYaml ends without a word, or that it takes for the end of a line; and the key <<, by which it merges maps. */}}
{{- define "replica-operation.characters" -}}
{{- $lost := `[\x{7f}-\x{9f}\x{2028}\x{2029}\x{fffe}\x{ffff}]` -}}
{{- if regexMatch (print $lost `|\\u202[89]|"\\u003c\\u003c":`) (toJson .values) -}}
{{- template "replica-operation.characters.find" (dict "node" .values "at" "" "lost" $lost) -}}
{{- end -}}
{{- end -}}

{{/* Refuse the first text or key under .node, which stands at .at, in which the pattern .lost finds a character. */}}
{{- define "replica-operation.characters.find" -}}
{{- range $key, $value := .node -}}
{{- $at := printf "%s.%v" $.at $key | trimPrefix "." -}}
{{- with regexFind $.lost (toString $key) -}}
{{- fail (printf "%s: the key %+q holds the character %+q, which YAML cannot carry; take it out" ($.at | default "values") $key .) -}}
{{- end -}}
{{- if eq (toString $key) "<<" -}}
{{- fail (printf "%s: the key \"<<\" is YAML's own, to merge a map into another; take it out" ($.at | default "values")) -}}
{{- end -}}
{{- if or (kindIs "map" $value) (kindIs "slice" $value) -}}
{{- template "replica-operation.characters.find" (dict "node" $value "at" $at "lost" $.lost) -}}
{{- else -}}
{{- with regexFind $.lost (toString $value) -}}
{{- fail (printf "%s: holds the character %+q, which YAML cannot carry; take it out" $at .) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}
