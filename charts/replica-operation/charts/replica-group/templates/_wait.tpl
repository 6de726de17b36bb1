{{/* Note in .group.waits that .into, one of its init containers, waits for a group, as .from says at .at. */}}
{{- define "replica-group.wait" -}}
{{- with keys (pick .from "cmd" "command" "args" "extraArgs") | sortAlpha -}}
{{- fail (printf "%s: waitFor and %s both say what runs; keep one" $.at (join " and " .)) -}}
{{- end -}}
{{- $wait := dict "asked" .from.waitFor "container" .into "at" (print .at ".waitFor") -}}
{{- $_ := set .group "waits" (append (get .group "waits" | default list) $wait) -}}
{{- end -}}

{{/* Note in .group.waited the init containers of which a layer says that they wait, unless the one that takes that away, or one above it, gives an image to run; .values and .operation are those of its layers. */}}
{{- define "replica-group.wait.asked" -}}
{{- $waited := dict -}}
{{- $layers := list .operation.defaults -}}
{{- $above := list -}}
{{- range $name := .group.presets -}}
{{- $preset := get $.operation.presets $name -}}
{{- if has (get $preset "patchStrategy") (list "post_merge" "replace") -}}
{{- $above = append $above $preset -}}
{{- else -}}
{{- $layers = append $layers $preset -}}
{{- end -}}
{{- end -}}
{{- $layers = concat $layers (list .values) $above -}}
{{- range $layer := get .group "over" | default list -}}
{{- $layers = append $layers $layer.from -}}
{{- end -}}
{{- range $layer := $layers -}}
{{- range $path := get $layer "unset" | default list -}}
{{- $name := trimPrefix "init." $path | trimSuffix ".waitFor" -}}
{{- if and (hasKey $waited $name) (eq $path (printf "init.%s.waitFor" $name)) -}}
{{- $_ := set $waited $name "no more" -}}
{{- end -}}
{{- end -}}
{{- range $key, $container := get $layer "init" | default dict -}}
{{- $container = $container | default dict -}}
{{- $name := get $container "name" | default $key | toString -}}
{{- if get $container "waitFor" -}}
{{- $_ := set $waited $name "" -}}
{{- else if and (hasKey $waited $name) (hasKey $container "waitFor") -}}
{{- $_ := set $waited $name "no more" -}}
{{- end -}}
{{- if and (get $waited $name) (get $container "image") -}}
{{- $_ := unset $waited $name -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- $_ := set .group "waited" $waited -}}
{{- end -}}

{{/* What a waiting container runs: it tries $1:$2 every second, with what the image has, for $3 seconds at most. Where the end of an init container would make a whole replica anew, as a LeaderWorkerSet does, it says so and goes on. */}}
{{- define "replica-group.wait.script" -}}
host=$1 port=$2 limit=$3
trap 'exit 143' TERM
has() { command -v "$1" >/dev/null 2>&1; }
try() {
  if has python3; then
    python3 -c 'import socket, sys; socket.create_connection((sys.argv[1], int(sys.argv[2])), 3).close()' "$host" "$port"
  elif has bash && has timeout; then
    timeout 3 bash -c ': <"/dev/tcp/$0/$1"' "$host" "$port"
  elif has nc; then
    nc -z -w 3 "$host" "$port"
  else
    echo "cannot wait: the image has none of python3, bash with timeout, and nc; give the init container another image"
    return 42
  fi
}
echo "waiting for $host:$port, at most $limit seconds"
begun=$(date +%s)
while true; do
  if said=$(try 2>&1); then
    echo "$host:$port answers"
    exit 0
  elif [ $? = 42 ]; then
    echo "$said" >&2
    exit 1
  elif [ $(($(date +%s) - begun)) -ge "$limit" ]; then
    echo "gave up after $limit seconds: $host:$port does not answer (${said##*
})" >&2
    [ -n "${LWS_GROUP_SIZE:-}" ] || exit 1
    begun=$(date +%s)
  fi
  sleep 1
done
{{- end -}}
