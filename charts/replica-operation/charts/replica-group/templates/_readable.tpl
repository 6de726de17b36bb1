{{/* Refuse the first key of .map that may not be the text that was written, and keys with the sign of our own. .path names the map, .otherwise says what helps where quoting does not. */}}
{{- define "replica-group.readable" -}}
{{- $key := keys .map | sortAlpha | join "\n" | include "replica-group.readable.first" -}}
{{- if not $key -}}
{{- else if has $key (list "true" "false" "null") -}}
{{- $bare := get (dict "true" "y, yes, on and true" "false" "n, no, off and false" "null" "~ and null") $key -}}
{{- fail (printf "%s: the key %q is what YAML makes of a bare %s; quote the key, or %s" .path $key $bare .otherwise) -}}
{{- else if hasPrefix "@" $key -}}
{{- fail (printf "%s: the key %q begins with @, and no name does; choose another" .path $key) -}}
{{- else if $key -}}
{{- fail (printf "%s: the key %q is a number, or was one before YAML spelled it anew (1e3 becomes 1000); %s" .path $key .otherwise) -}}
{{- end -}}
{{- end -}}

{{/* Print the first of the keys, given one a line, that YAML reads, or may have read, as something else than text. */}}
{{- define "replica-group.readable.first" -}}
{{- if regexMatch "(?m)^[-+.0-9@]|^(true|false|null)$" . -}}
{{- regexFind "(?m)^(true|false|null|@.*|[-+]?([0-9][0-9_]*([.][0-9_]*)?|[.][0-9][0-9_]*)([eE][-+]?[0-9]+)?|[-+]?0[xob][0-9a-fA-F_]+|[-+]?[.](inf|Inf|INF)|[.](nan|NaN|NAN))$" . -}}
{{- end -}}
{{- end -}}
