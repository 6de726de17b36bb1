"""Simulated nodes: real Node objects whose kubelet kwok plays.

A node is created with its capacity in one request, so that the scheduler never sees it with another.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tests.cluster.api import Api, Json, wait_for

# Pods of a test are kept on the test's own nodes by this label and a node selector; its value is the namespace.
POOL = "helm-roster.test/pool"
GPU = "nvidia.com/gpu"
MODEL = "nvidia.com/gpu.product"
SIZE = {"cpu": "64", "memory": "512Gi", "pods": "110"}


def create(
    api: Api,
    name: str,
    *,
    gpus: int = 0,
    labels: Mapping[str, str] | None = None,
    resource: str = GPU,
    model: str = "NVIDIA-H200",
    pod_cidr: str = "",
    taints: Sequence[str] = (),
    **size: str,
) -> None:
    """Create a node with `gpus` accelerators of the extended resource `resource`, and do not wait.

    `model` becomes the label nvidia.com/gpu.product, if there is one; `labels` are added to the node's own; its pods
    get addresses of `pod_cidr` where that is given; `taints` are written key=value:Effect or key:Effect; `size` is
    other capacity as quantities: cpu (default 64), memory (512Gi), pods (110), any extended resource.
    """
    capacity = {**SIZE, **({resource: str(gpus)} if gpus else {}), **size}
    own = {"kubernetes.io/hostname": name, "kubernetes.io/os": "linux", **({MODEL: model} if gpus and model else {})}
    manifest = {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": name, "labels": {**own, **(labels or {})}},
        "spec": {
            **({"podCIDR": pod_cidr, "podCIDRs": [pod_cidr]} if pod_cidr else {}),
            **({"taints": [*map(taint, taints)]} if taints else {}),
        },
        "status": {"capacity": capacity, "allocatable": capacity},
    }
    api.post("/api/v1/nodes", manifest)


def add(api: Api, name: str, *, gpus: int) -> str:
    """Create a node with `gpus` accelerators, wait until it is Ready, and return its name."""
    create(api, name, gpus=gpus)
    ready(api, [name])
    return name


def ready(api: Api, names: Sequence[str]) -> None:
    """Wait until the nodes are Ready."""
    wait_for(lambda: _not_ready(api, names), 30, "nodes to be Ready", until=lambda missing: not missing)


def _not_ready(api: Api, names: Sequence[str]) -> list[str]:
    if len(names) == 1:
        return [name for name in names if not in_order(api.get(f"/api/v1/nodes/{name}"))]
    found = {node["metadata"]["name"]: node for node in api.items("/api/v1/nodes")}
    return [name for name in names if not in_order(found[name])]


def remove(api: Api, name: str) -> None:
    """Delete a node. Its pods are left bound to it, as when a machine is lost."""
    api.delete(f"/api/v1/nodes/{name}")


def taint(text: str) -> Json:
    """Return the taint that is written key=value:Effect or key:Effect."""
    name, _, effect = text.rpartition(":")
    key, _, value = name.partition("=")
    return {"key": key, "effect": effect, **({"value": value} if value else {})}


def in_order(node: Json) -> bool:
    """Tell whether the node is Ready and not cordoned, and has no taint of Kubernetes' own."""
    conditions = {item["type"]: item["status"] for item in node.get("status", {}).get("conditions", [])}
    spec = node.get("spec", {})
    troubles = [item for item in spec.get("taints", []) if item["key"].startswith("node.kubernetes.io/")]
    return conditions.get("Ready") == "True" and not spec.get("unschedulable") and not troubles
