"""What cannot be meant, one row each: refused in one line by plain Helm, and word for word so by our command line.

Shape errors come in Helm's own words, to which our command line adds file, line and the nearest key.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from tests.chart import schema
from tests.chart.rendering import GPU, Chart, Values, layered, nested, operation
from tests.support.runner import Runner

H100 = {"accelerator": {"resource": "nvidia.com/gpu", "model": "NVIDIA H100"}}
ROUTER = {"router": True, "readiness": {"requires": []}}
PORT = {"container": {"ports": {"http": 80}}}
DEVICE = {"d": {"kind": "newClaim", "size": "1Gi", "volumeMode": "Block", "mountPath": "/dev/x"}}
DISK = {"d": {"kind": "claimPerPod", "size": "1Gi", "volumeMode": "Block", "mountPath": "/dev/x"}}
MODELS = {"models": {"kind": "volumeClaim", "claim": "models"}}
PORTS = {"container": {"ports": {"http": 80, "metrics": 80}}}
LISTED_TWICE = {"container": {"ports": [{"name": "http", "containerPort": 80}, {"name": "http", "containerPort": 81}]}}


def gang(members: Values, backend: str = "other", **groups: Values) -> Values:
    scheduling = {"placement": {"backend": backend}, "gangs": {"step": {"members": members}}}
    return operation(groups or {"learner": {"replicas": 2}}, scheduling=scheduling)


def env(value: Any) -> Values:
    return operation({"a": {"container": {"env": {"X": value}}}})


def using_as_files(connections: Values, **group: Any) -> Values:
    group |= {"connections": ["d"], **nested("init.i.volumeMounts", {"/x": "d"})}
    return operation({"a": group}, connections=connections)


REFUSALS: dict[str, tuple[Values, str]] = {
    "unknown group required": (
        operation({"a": {"readiness": {"requires": ["decod"]}}, "decode": {}}),
        'groups.a.readiness.requires: "decod" is no other group (did you mean "decode"?); known: decode',
    ),
    "unknown group in a gang": (
        gang({"learnr": {}}),
        'scheduling.gangs.step.members: there is no group "learnr" (did you mean "learner"?); known: learner',
    ),
    "unknown group patched": (
        operation({"decode": {}}, patches={"decod": {"p": {"merge": {"spec": {"hostPID": True}}}}}),
        'patches.decod: there is no group "decod" (did you mean "decode"?); known: decode',
    ),
    "group required by the only group": (
        operation({"a": {"readiness": {"requires": ["b"]}}}),
        'groups.a.readiness.requires: "b" is no other group; known: none',
    ),
    "a group made by a name that was mistyped": (
        {"groups": {"worker": {"container": {"image": "example/app:1"}}, "workr": {"replicas": 2}}},
        'groups.workr.container.image: no layer gives an image to this group (did you mean "worker"?); set it here',
    ),
    "an image that a preset takes away": (
        {
            "presets": {"a/p": {"patchStrategy": "replace", "container": {"env": {"A": "b"}}}},
            "groups": {"a": {"presets": ["a/p"], "container": {"image": "example/app:1"}}},
        },
        "presets.a/p.container: patchStrategy replace puts it in place of the whole container of groups.a, image and",
    ),
    "unknown source of a variable": (
        env({"valueFrom": {"secret": {"name": "s", "key": "k"}}}),
        'groups.a.container.env.X.valueFrom: there is no source "secret" (did you mean "secretKeyRef"?); known: config',
    ),
    "no source of a variable": (
        env({"valueFrom": {}}),
        "groups.a.container.env.X.valueFrom: no source; give one of configMapKeyRef, fieldRef, fileKeyRef",
    ),
    "two sources of a variable": (
        env({"valueFrom": {"fieldRef": {"fieldPath": "metadata.name"}, "secretKeyRef": {"name": "s", "key": "k"}}}),
        "groups.a.container.env.X.valueFrom: fieldRef and secretKeyRef; give one of configMapKeyRef",
    ),
    "no source of an environment": (
        operation({"a": {"container": {"envFrom": {"s": {"prefix": "P_"}}}}}),
        'groups.a.container.envFrom: {"prefix":"P_"} is no source; write {configMapRef: {name: NAME}} or {secretRef',
    ),
    "unknown source of an environment": (
        operation({"a": {"sidecars": {"s": {"envFrom": [{"secret": {"name": "x"}}]}}}}),
        'groups.a.sidecars.s.envFrom: {"secret":{"name":"x"}} is no source; write {configMapRef: {name: NAME}} or',
    ),
    "a source of an environment as text": (
        operation({"a": {"init": {"i": {"envFrom": [{"secretRef": "x"}]}}}}),
        'groups.a.init.i.envFrom: {"secretRef":"x"} is no source; write {configMapRef: {name: NAME}} or {secretRef',
    ),
    "unknown preset": (
        layered({"presets": ["h20"]}, h200=GPU),
        'groups.a.presets: there is no preset "h20" (did you mean "h200"?); known: h200, image',
    ),
    "unknown preset of defaults": (
        operation({"a": {}}, defaults={"presets": ["h20"]}, presets={"h200": GPU}),
        'defaults.presets: there is no preset "h20" (did you mean "h200"?); known: h200',
    ),
    "unknown connection": (
        operation({"a": {"connections": ["model"]}}, connections=MODELS),
        'groups.a.connections: there is no connection "model" (did you mean "models"?); known: models',
    ),
    "unknown connection of a sidecar": (
        operation({"a": {"sidecars": {"s": {"connections": ["model"]}}}}, connections=MODELS),
        'groups.a.sidecars.s.connections: there is no connection "model" (did you mean "models"?); known: models',
    ),
    "unknown field to unset": (
        operation({"a": {"unset": ["env.X"]}}),
        'groups.a.unset: "env.X" begins with no field of a group; a path begins with one of',
    ),
    "accelerators in a preset": (
        layered({}, p={"accelerators": 8}),
        "presets.p.accelerators: a preset selects hardware and never says how much; move it into the group",
    ),
    "replicas in a preset": (
        layered({}, p={"replicas": 2}),
        "presets.p.replicas: a preset selects hardware and never says how much; move it into the group",
    ),
    "replicas in a preset that nobody lists": (
        operation({"a": {}}, presets={"p": {"replicas": 0}}),
        "presets.p.replicas: a preset selects hardware and never says how much; move it into the group",
    ),
    "bounds in a preset": (
        layered({}, p={"autoscaling": {"max": 4}}),
        "presets.p.autoscaling.max: a preset says by what to scale and never how far; move it into the group",
    ),
    "two models": (
        layered({"accelerators": 1}, p=GPU, q=H100),
        'groups.a.presets: "p" selects the accelerator model "NVIDIA H200" and "q" selects "NVIDIA H100"; keep one',
    ),
    "accelerators without a preset": (
        operation({"a": {"accelerators": 8}}),
        "groups.a: accelerators is 8, but no preset says of which resource; list one under presets",
    ),
    "two routers": (
        operation({"door": ROUTER, "edge": ROUTER}),
        "groups.door.serves: missing; the operation has several routers (door, edge), so each says which groups",
    ),
    "router of two replicas": (
        operation({"a": {**ROUTER, "replicas": 2}}),
        "groups.a.replicas: 2, but a router has one replica; set 1, or `router: {stateless: true}`",
    ),
    "group that YAML reads as true": (
        operation({"true": {}}),
        'groups: "true" cannot be a name: YAML reads y, yes, on, true as true',
    ),
    "group that YAML reads as a number": (
        operation({"1000": {}}),
        'groups: "1000" cannot be a name: YAML reads it, or what it was written as, as a number',
    ),
    "connection that YAML reads as false": (
        operation({"a": {}}, connections={"off": MODELS["models"]}),
        'connections: "off" cannot be a name: YAML reads',
    ),
    "patch that YAML reads as true": (
        operation({"a": {}}, patches={"a": {"yes": {"merge": {"spec": {"hostPID": True}}}}}),
        'patches.a: "yes" cannot be a name: YAML reads',
    ),
    "variable that YAML reads as true": (
        operation({"a": {"container": {"env": {"true": "1"}}}}),
        'groups.a.container.env: the key "true" is what YAML makes of a bare y, yes, on and true; quote the key, or',
    ),
    "label of nodes that YAML reads as a number": (
        operation({"a": {"environment": {"nodeSelector": {"1000": "1"}}}}),
        'groups.a.environment.nodeSelector: the key "1000" is a number, or was one before YAML spelled it anew',
    ),
    "sidecar that YAML reads as null": (
        operation({"a": {"sidecars": {"null": {"image": "x:1"}}}}),
        'groups.a.sidecars: the key "null" is what YAML makes of a bare ~ and null; quote the key, or',
    ),
    "group named as a Service": (
        operation({"a-svc": {}}),
        'groups: "a-svc" cannot be a name: the ending svc belongs to the Services of ready pods',
    ),
    "group's name over budget": (
        operation({"g" * 41: {}}),
        f'groups: "{"g" * 41}" has 41 characters; at most 40',
    ),
    "operation's name over budget": (
        operation({"a": {}}, operation={"name": "o" * 54}),
        f'operation.name: "{"o" * 54}" has 54 characters; at most 53',
    ),
    "run's name over budget": (
        operation({"a": {}}, operation={"kind": "job", "run": "r" * 21}),
        f'operation.run: "{"r" * 21}" becomes part of names; at most 20',
    ),
    "ports of one number": (
        operation({"a": PORTS}),
        "groups.a.container.ports.metrics: 80/TCP is also groups.a.container.ports.http; a Service offers a number",
    ),
    "ports of one name": (
        operation({"a": LISTED_TWICE}),
        'groups.a.container.ports: "http" stands twice in one list; keep one',
    ),
    "port of a sidecar that the main container has": (
        operation({"a": {**nested("container.ports.http", 80), **nested("sidecars.s.ports.proxy", 80)}}),
        "groups.a.sidecars.s.ports.proxy: 80/TCP is also groups.a.container.ports.http; a Service offers a number",
    ),
    "name of a port that the main container has": (
        operation({"a": {**nested("container.ports.http", 80), **nested("sidecars.s.ports.http", 81)}}),
        "groups.a.sidecars.s.ports.http: groups.a.container.ports.http is the same name; ports have names",
    ),
    "volume that nobody gives": (
        operation({"a": {"volumes": {"data": {}}, "container": {"volumeMounts": {"/data": "dta"}}}}),
        'groups.a.container.volumeMounts./data: there is no volume "dta" (did you mean "data"?); known: data',
    ),
    "volume of a sidecar that nobody gives": (
        operation({"a": nested("sidecars.s.volumeMounts", {"/data": "data"})}),
        'groups.a.sidecars.s.volumeMounts./data: there is no volume "data"; known: none; give it under volumes',
    ),
    "device mounted as files": (
        using_as_files(DEVICE),
        'groups.a.init.i.volumeMounts./x: volume "d" is a device (volumeMode Block), which holds no files; give its',
    ),
    "device of each pod mounted as files": (
        using_as_files(DISK, workload="StatefulSet"),
        'groups.a.init.i.volumeMounts./x: volume "d" is a device (volumeMode Block), which holds no files; give its',
    ),
    "files used as a device": (
        operation({"a": {"volumes": {"v": {"emptyDir": {}}}, "container": {"volumeDevices": {"/dev/x": "v"}}}}),
        'groups.a.container.volumeDevices./dev/x: volume "v" holds files, and a device is a claim of volumeMode Block',
    ),
    "port of a probe that nobody names": (
        operation({"a": {"container": {"ports": {"http": 80}, "livenessProbe": {"tcpSocket": {"port": "htp"}}}}}),
        'groups.a.container.livenessProbe.tcpSocket.port: there is no port of this container "htp" (did you mean "http',
    ),
    "port of the router's probe that nobody names": (
        operation({"a": nested("readiness.probe.httpGet.port", "http")}),
        'groups.a.readiness.probe.httpGet.port: there is no port of this container "http"; known: none; name one',
    ),
    "port of another container in a hook of a sidecar": (
        operation({"a": {**PORT, **nested("sidecars.s.lifecycle.preStop.httpGet.port", "http")}}),
        'groups.a.sidecars.s.lifecycle.preStop.httpGet.port: there is no port of this container "http"; known: none',
    ),
    "failed indexes without a limit for each": (
        operation({"a": {}}, operation={"kind": "job", "job": {"maxFailedIndexes": 1}}),
        "operation.job.maxFailedIndexes: 1, but only backoffLimitPerIndex lets a single index fail; set that too",
    ),
    "StatefulSet that may take no pod away": (
        operation({"a": {"workload": "StatefulSet", "rollout": {"maxUnavailable": "0%"}}}),
        "groups.a.rollout.maxUnavailable: 0, but a StatefulSet replaces a pod by taking it away first; set 1 or more",
    ),
    "name server of nobody": (
        operation({"a": {"environment": {"dnsPolicy": "None", "dnsConfig": {"searches": ["x"]}}}}),
        "groups.a.environment.dnsPolicy: None, but no dnsConfig.nameservers say whom to ask; give one or more",
    ),
    "requests above limits": (
        operation({"a": {"resources": {"requests": {"memory": "1Gi"}, "limits": {"memory": "1G"}}}}),
        "groups.a.resources.requests.memory: 1Gi, but the limit is 1G; allowed: up to that",
    ),
    "requests of a sidecar above its limits": (
        operation({"a": {"sidecars": {"s": {"resources": {"requests": {"cpu": 1}, "limits": {"cpu": "999m"}}}}}}),
        "groups.a.sidecars.s.resources.requests.cpu: 1, but the limit is 999m; allowed: up to that",
    ),
    "extended resource without a limit": (
        operation({"a": {"resources": {"requests": {"example.org/nic": 2}}}}),
        "groups.a.resources.requests.example.org/nic: 2, but a container is given as much of it as limits say (noth",
    ),
    "value and source of a variable": (
        env({"value": "1", "valueFrom": {"fieldRef": {"fieldPath": "metadata.name"}}}),
        "groups.a.container.env.X: value and valueFrom both say its value; keep one",
    ),
    "min above replicas": (
        gang({"learner": {"min": 3}}),
        "scheduling.gangs.step.members.learner.min: 3, but the group has 2 replicas; allowed: 1 to its replicas",
    ),
    "min above what an autoscaler keeps": (
        gang({"a": {"min": 3}}, a={"replicas": 4, "autoscaling": {"owner": "external", "min": 2, "max": 4}}),
        "scheduling.gangs.step.members.a.min: 3, but the group may have no more than 2, its autoscaling.min",
    ),
    "fixed member with a minimum below its replicas": (
        gang({"learner": {"min": 1, "elastic": False}}),
        "scheduling.gangs.step.members.learner.elastic: false, but the group has 2 replicas, and min is 1, so it is",
    ),
    "list of objects": (
        operation({"a": {}}, extraObjects=[{"apiVersion": "v1", "kind": "ConfigMapList", "items": []}]),
        "extraObjects.0.kind: ConfigMapList holds objects, and labels would not reach them; give each as an entry",
    ),
    "gang on placement default": (
        gang({"learner": {}}, "default"),
        'scheduling.gangs: a gang needs a placement backend, and scheduling.placement.backend is "default"; set it',
    ),
    "gang on no placement at all": (
        operation({"learner": {}}, scheduling={"gangs": {"step": {"members": {"learner": {}}}}}),
        'scheduling.gangs: a gang needs a placement backend, and scheduling.placement.backend is "default"; set it',
    ),
    "values for the subchart": (
        {**operation({"a": {}}), "replica-group": {"replicas": 2, "global": {}}},
        "replica-group: replicas, but nothing is read there; what holds for all groups stands under defaults",
    ),
    "number in env": (
        env(8),
        "groups.a.container.env.X: 8 is a number where Kubernetes wants text; quote it",
    ),
    "boolean in env": (
        env(value=True),
        "groups.a.container.env.X: true is a boolean where Kubernetes wants text; quote it",
    ),
    "number in a value of env": (
        env({"value": 0.5}),
        "groups.a.container.env.X: 0.5 is a number where Kubernetes wants text; quote it",
    ),
    "number in env of a sidecar": (
        operation({"a": {"sidecars": {"s": {"env": {"X": 8}}}}}),
        "groups.a.sidecars.s.env.X: 8 is a number where Kubernetes wants text; quote it",
    ),
    "number in args": (
        operation({"a": {"container": {"args": ["--port", 8]}}}),
        "groups.a.container.args: 8 is a number where Kubernetes wants text; quote it",
    ),
    "boolean in a label": (
        operation({"a": {"environment": {"labels": {"spot": True}}}}),
        "groups.a.environment.labels.spot: true is a boolean where Kubernetes wants text; quote it",
    ),
    "order to Helm in an annotation of all objects": (
        operation({"a": {}}, annotations={"helm.sh/hook": "pre-install"}),
        "annotations: helm.sh/hook is an order to Helm about every object that has it; keep a volume by keep of its",
    ),
    "number in an annotation of all objects": (
        operation({"a": {}}, annotations={"example.org/revision": 7}),
        "annotations.example.org/revision: 7 is a number where Kubernetes wants text; quote it",
    ),
}


@pytest.mark.parametrize(("values", "words"), REFUSALS.values(), ids=REFUSALS)
def test_what_cannot_be_meant_is_refused_in_one_line_by_both(
    chart4: Chart, roster4: Runner, values: Values, words: str
) -> None:
    refusal = chart4.refusal(values)
    assert refusal.startswith(words)
    done = roster4.attempt("plan", "-f", "-", text=json.dumps(values))
    assert (done.returncode, done.stdout) == (1, "")
    # Ours tells besides where the value was written, and in place of what helps Helm's users which file has a preset.
    said = re.escape(f"Error: {refusal.partition('; presets come from')[0]}")
    assert re.fullmatch(said + r"(; presets come .*)?( \(see standard input:\d+\))?\n", done.stderr), done.stderr


@pytest.mark.parametrize(
    ("path", "meant"),
    [
        ("defaultz", "defaults"),
        ("operation.knd", "operation.kind"),
        ("groups.a.replica", "groups.a.replicas"),
        ("groups.a.image", "groups.a.container.image"),
        ("presets.p.acelerator", "presets.p.accelerator"),
        ("presets.p.accelerator.modle", "presets.p.accelerator.model"),
        ("groups.a.sidecars.proxy.imagee", "groups.a.sidecars.proxy.image"),
        ("connections.models.mountpath", "connections.models.mountPath"),
        ("scheduling.gangs.step.members.a.minimum", "scheduling.gangs.step.members.a.min"),
    ],
)
def test_an_unknown_key_is_told_in_one_line_with_its_place_and_the_nearest(
    chart4: Chart, roster4: Runner, tmp_path: Path, path: str, meant: str
) -> None:
    above, _, key = path.rpartition(".")
    at = "".join(f"/{step}" for step in above.split(".") if step)
    words = f"at '{at}': additional properties '{key}' not allowed"
    assert words in chart4.schema_refusal(nested(path, 1))
    (tmp_path / "v.yaml").write_text(json.dumps(nested(path, 1)))
    done = roster4.attempt("plan", "-f", tmp_path / "v.yaml")
    told = f'{words}; "{key}" ({tmp_path}/v.yaml:1): did you mean "{meant}"?'
    assert (done.returncode, done.stderr) == (1, f"Error: the values do not fit the chart: {told}\n")


def closed() -> list[schema.Path]:
    """Return every map of the schema that has keys of ours, and so no others."""
    return [path for path, node in schema.walk() if node.get("additionalProperties") is False]


def test_an_unknown_key_is_refused_at_any_depth(chart4: Chart) -> None:
    values: Values = {}
    for path in [(), *closed()]:
        node = values
        for step in path:
            node = node.setdefault(step, {})
        node["!"] = 1
    said = chart4.schema_refusal(values)
    assert len(closed()) > 60
    assert said.count("additional properties '!' not allowed") == len(closed()) + 1


@pytest.mark.parametrize("field", ["init", "sidecars"])
def test_an_unknown_key_is_refused_in_the_list_form_too(chart4: Chart, field: str) -> None:
    values = operation({"a": {field: [{"name": "x", "imagee": "y"}]}})
    assert f"at '/groups/a/{field}/0': additional properties 'imagee' not" in chart4.schema_refusal(values)


OF_KUBERNETES = {
    *("affinity", "behavior", "capabilities", "dnsConfig", "lifecycle", "livenessProbe", "podFailurePolicy", "probe"),
    *("readinessProbe", "securityContext", "spec", "startupProbe", "successPolicy"),
}
OF_HELM_AND_OTHERS = {"each", "global", "merge", "replica-group"}


def test_maps_that_take_any_key_are_objects_of_kubernetes() -> None:
    # What a claim's spec holds is Kubernetes' as well, and known in part.
    walked = [(path, node) for path, node in schema.walk() if "object" in node["type"] and "spec" not in path[:-1]]
    taking = [(path[-1], node.get("additionalProperties")) for path, node in walked]
    assert {name for name, others in taking if others in (None, True)} == OF_KUBERNETES | OF_HELM_AND_OTHERS
