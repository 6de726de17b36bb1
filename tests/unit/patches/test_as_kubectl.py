"""Patches do what kubectl does with them; it has Kubernetes' own code and types, and needs no cluster for this."""

from __future__ import annotations

import json
from typing import Any

import pytest

from helm_roster.model.operation import Patch
from helm_roster.patches import apply

from tests.support.runner import Runner
from tests.unit.patches.objects import POD, WORKLOAD, Json, op

MAIN = "/spec/template/spec/containers/0"
SERVICE = {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "op"}, "spec": {"ports": [{"port": 80}]}}


def in_pod(**fields: Any) -> Json:
    return {"spec": {"template": {"spec": fields}}}


def in_main(**fields: Any) -> Json:
    return in_pod(containers=[{"name": "main", **fields}])


MERGES: list[tuple[Json, Json]] = [
    (WORKLOAD, in_main(image="engine:2", args=["--tp=2"], env=[{"name": "A", "value": "2"}, {"name": "C"}])),
    (WORKLOAD, in_main(env=[{"name": "B", "$patch": "delete"}], args=None, stdin=True)),
    (WORKLOAD, in_main(env=[{"$patch": "replace"}, {"name": "C", "value": "1"}])),
    (WORKLOAD, in_main(ports=[{"containerPort": 8000, "hostPort": 80}, {"containerPort": 9, "name": "x"}])),
    (WORKLOAD, in_main(volumeMounts=[{"mountPath": "/cache", "readOnly": True}, {"mountPath": "/b", "name": "cache"}])),
    (WORKLOAD, in_main(securityContext={"$patch": "replace", "privileged": True})),
    (WORKLOAD, in_pod(containers=[{"name": "log", "image": "log:1"}])),
    (WORKLOAD, in_pod(initContainers=[{"name": "fetch", "image": "fetch:2"}])),
    (WORKLOAD, in_pod(volumes=[{"name": "cache", "emptyDir": {"sizeLimit": "2Gi"}}, {"name": "b", "emptyDir": {}}])),
    (WORKLOAD, in_pod(hostAliases=[{"ip": "10.0.0.1", "hostnames": ["a"]}], imagePullSecrets=[{"name": "r"}])),
    (WORKLOAD, in_pod(tolerations=[{"key": "gpu", "operator": "Exists", "tolerationSeconds": 9}, {"key": "b"}])),
    (WORKLOAD, in_pod(nodeSelector={"a": "b"})),
    (WORKLOAD, {"metadata": {"annotations": {"a/b": "c"}}, "spec": {"minReadySeconds": 3}}),
    (SERVICE, {"spec": {"type": "NodePort", "ports": [{"port": 80, "nodePort": 30080}, {"port": 81, "name": "b"}]}}),
]  # fmt: skip
OPERATIONS: list[list[Json]] = [
    [op("add", f"{MAIN}/args/-", "--x"), op("add", f"{MAIN}/args/0", "--first"), op("remove", f"{MAIN}/args/1")],
    [{"op": "move", "from": f"{MAIN}/env/0", "path": f"{MAIN}/env/1"}, op("replace", f"{MAIN}/image", "engine:2")],
    [{"op": "copy", "from": f"{MAIN}/image", "path": "/spec/template/spec/hostname"}],
    [op("add", "/metadata/annotations", {"a~/b": "c"}), op("replace", "/metadata/annotations/a~0~1b", "d")],
]  # fmt: skip


def by_kubectl(kubectl: Runner, manifest: Json, form: str, body: Any) -> Json:
    """Return what kubectl makes of a patch, as Kubernetes' types print it."""
    arguments = ("patch", "--local", "-f", "-", "-o", "json", "--type", form, "-p", json.dumps(body))
    found: Json = json.loads(kubectl(*arguments, text=json.dumps(manifest)).stdout)
    return found


def unordered(value: Any) -> Any:
    """Return a value with lists of mappings sorted: kubectl puts new entries first, we put them last."""
    if isinstance(value, dict):
        return {key: unordered(entry) for key, entry in value.items()}
    if isinstance(value, list) and value and isinstance(value[0], dict):
        return sorted(map(unordered, value), key=json.dumps)
    return value


def by_us(manifest: Json, form: Any, body: Any) -> Json:
    return apply.apply(Patch(group="decode", name="x", form=form, body=body, kind="workload"), manifest, ())


@pytest.mark.parametrize(("manifest", "body"), MERGES)
def test_a_merge_is_the_strategic_merge_of_kubernetes(kubectl: Runner, manifest: Json, body: Json) -> None:
    ours = by_kubectl(kubectl, by_us(manifest, "merge", body), "strategic", {})
    assert unordered(ours) == unordered(by_kubectl(kubectl, manifest, "strategic", body))


@pytest.mark.parametrize("operations", OPERATIONS)
def test_operations_are_those_of_kubernetes(kubectl: Runner, operations: list[Json]) -> None:
    ours = by_kubectl(kubectl, by_us(WORKLOAD, "json", operations), "strategic", {})
    assert ours == by_kubectl(kubectl, WORKLOAD, "json", operations)


def test_the_pod_of_these_tests_is_one_that_kubernetes_knows(kubectl: Runner) -> None:
    shown = by_kubectl(kubectl, WORKLOAD, "strategic", {})["spec"]["template"]["spec"]
    assert {field: shown[field] for field in POD["spec"]} == POD["spec"]
