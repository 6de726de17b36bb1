{{/* Refuse a locality of .group, which only a gang keeps. Entered where the field is given. */}}
{{- define "replica-group.locality" -}}
{{- if and .group.spec.locality (not .group.gang) -}}
{{- fail (printf "groups.%s.locality: within %q, but the group is in no gang, and a placement backend keeps the pods of gangs together; make it a member of one under scheduling.gangs, or leave this out, a lower layer's goes with `unset: [locality]`" .group.name (get .group.spec.locality "within")) -}}
{{- end -}}
{{- end -}}
