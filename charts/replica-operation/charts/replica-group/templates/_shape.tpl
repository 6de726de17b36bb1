{{/* How each field merges over the layers: @by keys a list, @whole replaces an entry, @short is the field that a bare value stands for, @one and @only drop what excludes the new value, @append concatenates, @excludes names what a field of an entry takes the place of, @kept never replaces an entry, @nested an entry that has keyed lists of its own, @strings wants strings, @references or what stands for them, @apart is read apart from the merge, @each holds for every key of a map that the shape does not name, @names marks a map whose keys are the user's, with any values or strings. */}}
{{- define "replica-group.shape" -}}
presets: {"@apart": true}
unset: {"@apart": true}
patchStrategy: {"@apart": true}
leader: {"@apart": true}
cmd: &arguments {"@strings": true, "@references": true}
container: &container
  command: {"@strings": true}
  args: *arguments
  extraArgs: {"@strings": true, "@references": true, "@append": true}
  env: {"@by": [name], "@whole": true, "@short": value}
  envFrom: {"@by": [configMapRef, secretRef, prefix], "@one": [configMapRef, secretRef]}
  ports: {"@by": [name], "@short": containerPort, "@one": [containerPort, port]}
  volumeMounts: {"@by": [mountPath], "@short": name}
  volumeDevices: {"@by": [devicePath], "@short": name}
  securityContext:
    capabilities:
      add: {"@by": []}
      drop: {"@by": []}
  startupProbe: {"@one": [exec, grpc, httpGet, tcpSocket]}
  readinessProbe: {"@one": [exec, grpc, httpGet, tcpSocket]}
  livenessProbe: {"@one": [exec, grpc, httpGet, tcpSocket]}
  lifecycle:
    postStart: {"@one": [exec, httpGet, sleep, tcpSocket]}
    preStop: {"@one": [exec, httpGet, sleep, tcpSocket]}
environment:
  labels: {"@names": strings}
  annotations: {"@names": strings}
  nodeSelector: {"@names": strings}
  requireNodes: {"@by": [key, operator, values], "@kept": true}
  tolerations: {"@by": [key, operator, value, effect], "@kept": [key]}
  topologySpreadConstraints: {"@by": [topologyKey, whenUnsatisfiable], "@kept": [topologyKey]}
  hostAliases: {"@by": [ip], "@short": hostnames}
  imagePullSecrets: {"@by": [name]}
  serviceAccount:
    annotations: {"@names": strings}
resources: &resources
  limits: {"@names": any}
  requests: {"@names": any}
accelerator:
  claim:
    selectors: &added {"@append": true}
    constraints: *added
    config: *added
    devices: {"@each": {selectors: *added}}
devices: {"@by": [resource], "@one": [perAccelerator, perPod]}
networks: {"@by": [annotation], "@one": [perAccelerator, perPod]}
volumes: {"@by": [name], "@only": true}
connections: &names {"@by": []}
files: {"@by": [name], "@short": mountPath}
claims: *names
autoscaling:
  metrics: {"@names": any}
  triggers: {"@names": any}
disruptionBudget: {"@one": [minAvailable, maxUnavailable]}
expose:
  annotations: {"@names": strings}
serving:
  labels: {"@names": strings}
  portAnnotations: {"@names": strings}
init: &init
  <<: *container
  "@by": [name]
  "@nested": true
  "@excludes": {cmd: [command, args], command: [cmd]}
  cmd: *arguments
  resources: *resources
  connections: *names
sidecars: *init
readiness:
  probe: {"@one": [exec, grpc, httpGet, tcpSocket]}
{{- end -}}

{{/* The fields of a group: what a path in `unset` may begin with. */}}
{{- define "replica-group.fields" -}}
accelerators admission autoscaling claims cmd connections container devices disruptionBudget environment expose files fillsNode init leader lifecycle locality minReadySeconds networks podsPerReplica presets readiness recovery replicas resources rollout router serves serving shm sidecars spread startup volumes workload
{{- end -}}
