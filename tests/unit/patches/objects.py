"""One workload as plain data, and short ways to patch it."""

from __future__ import annotations

import copy
from typing import Any, Literal

from helm_roster.manifests import walk
from helm_roster.model.operation import Patch
from helm_roster.patches import apply

Json = dict[str, Any]
OWNED = (("spec", "gate"), ("metadata", "annotations", "gate.example/*"))
LABELS = {"app.kubernetes.io/instance": "op", "helm-roster.dev/group": "decode"}
POD: Json = {
    "metadata": {"labels": {**LABELS, "team": "a"}, "annotations": {"helm-roster.dev/files": "0"}},
    "spec": {
        "initContainers": [{"name": "fetch", "image": "fetch:1"}],
        "containers": [
            {
                "name": "main",
                "image": "engine:1",
                "args": ["--tp=1"],
                "env": [{"name": "A", "value": "1"}, {"name": "B", "valueFrom": {"fieldRef": {"fieldPath": "x"}}}],
                "ports": [{"name": "http", "containerPort": 8000}],
                "volumeMounts": [{"name": "cache", "mountPath": "/cache"}],
                "securityContext": {"capabilities": {"add": ["IPC_LOCK"]}},
            },
            {"name": "proxy", "image": "proxy:1"},
        ],
        "volumes": [{"name": "cache", "emptyDir": {"medium": "Memory", "sizeLimit": "1Gi"}}],
        "tolerations": [{"key": "gpu", "operator": "Exists"}],
    },
}
WORKLOAD: Json = {
    "apiVersion": "apps/v1",
    "kind": "Deployment",
    "metadata": {"name": "op-decode", "namespace": "ns", "labels": LABELS},
    "spec": {"replicas": 2, "selector": {"matchLabels": LABELS | {"team": "a"}}, "template": POD},
}


def patch(form: Literal["json", "merge"], body: Any, target: str = "pod") -> Patch:
    return Patch(group="decode", name="x", form=form, body=body, kind=target)


def merged(body: Any, target: str = "pod") -> Json:
    """Return the patched pod spec after a merge."""
    return walk.mapping(changed(patch("merge", body, target)), "spec", "template", "spec")


def operated(*operations: Any, target: str = "pod") -> Json:
    """Return the patched pod spec after operations."""
    return walk.mapping(changed(patch("json", list(operations), target)), "spec", "template", "spec")


def changed(wanted: Patch, workload: Json = WORKLOAD) -> Json:
    """Return the patched workload, and see that what went in stays as it was."""
    before = copy.deepcopy(workload)
    after = apply.apply(wanted, workload, OWNED)
    assert workload == before
    return after


def op(kind: str, path: str, value: Any = None) -> Json:
    return {"op": kind, "path": path} | ({} if kind == "remove" else {"value": value})


def main(spec: Json) -> Json:
    """Return the container main of a pod spec."""
    (found,) = (entry for entry in spec["containers"] if entry["name"] == "main")
    return dict(found)
