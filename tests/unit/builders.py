"""Short ways to make a plan in a test: groups and gangs as a test thinks of them, everything else by default."""

from __future__ import annotations

from typing import Any

from helm_roster.manifests.walk import Manifest
from helm_roster.model import operation as operations
from helm_roster.model import plan as plans
from helm_roster.model.plan import Plan

API_VERSIONS = {"Deployment": "apps/v1", "StatefulSet": "apps/v1", "Job": "batch/v1"}
API_VERSIONS |= {"LeaderWorkerSet": "leaderworkerset.x-k8s.io/v1"}


def group(replicas: int = 1, *, kind: str = "StatefulSet", accelerators: int = 0, **more: Any) -> dict[str, Any]:
    """Return a group's entry in the carrier, without its name (``carrier_spec`` adds what derives from it)."""
    entry: dict[str, Any] = {"kind": kind, "replicas": replicas, "accelerators": accelerators, **more}
    if accelerators:
        entry["accelerator"] = {"resource": "nvidia.com/gpu", "model": "NVIDIA H200"}
    return entry


def gang(**members: tuple[int, bool] | tuple[int, bool, int]) -> dict[str, Any]:
    """Return a gang from ``group=(min, elastic[, order])``."""
    return {
        "members": {
            name: {"min": entry[0], "elastic": entry[1], "order": entry[2] if len(entry) > 2 else 0}
            for name, entry in members.items()
        }
    }


def carrier_spec(
    groups: dict[str, dict[str, Any]],
    gangs: dict[str, Any] | None = None,
    *,
    name: str = "op",
    kind: str = "service",
    run: str = "",
    backend: str = "native",
    admission: dict[str, Any] | None = None,
    claims: dict[str, Any] | None = None,
    **placement: Any,
) -> dict[str, Any]:
    """Return the spec of a carrier, as the chart prints it."""
    entries = {}
    for group_name, entry in groups.items():
        workload_kind = entry["kind"]
        workload = {"apiVersion": API_VERSIONS[workload_kind], "kind": workload_kind, "name": f"{name}-{group_name}"}
        told = {key: value for key, value in entry.items() if key not in {"kind", "pod", "leaderPod", "spec"}}
        entries[group_name] = told | {"workload": workload}
    return {
        "schema": 1,
        "chart": {"name": "replica-operation", "version": "0.1.0"},
        "release": {"name": name, "namespace": "default"},
        "operation": {"name": name, "kind": kind, "run": run},
        "groups": entries,
        "claims": claims or {},
        "scheduling": {
            "placement": {"backend": backend, **placement},
            "admission": admission or {"backend": "none"},
            "gangs": gangs or {},
        },
    }


def workload(name: str, entry: dict[str, Any]) -> dict[str, Any]:
    """Return a group's workload object; ``pod`` and ``spec`` of the entry are laid over the defaults.

    Of a LeaderWorkerSet ``leader`` is as in the carrier, and ``leaderPod`` is laid over the pod of the leaders.
    """
    kind = entry["kind"]
    if kind == "LeaderWorkerSet":
        return _spanning(name, entry)
    pod = _pod(entry)
    policy = {"StatefulSet": {"podManagementPolicy": "Parallel"}, "Job": {"completionMode": "Indexed"}}.get(kind, {})
    return {
        "apiVersion": API_VERSIONS[kind],
        "kind": kind,
        "metadata": {"name": name},
        "spec": {"replicas": entry["replicas"], **policy, "template": {"spec": pod}, **entry.get("spec", {})},
    }


def _spanning(name: str, entry: dict[str, Any]) -> dict[str, Any]:
    leader = {**entry, **(entry.get("leader") or {}), "pod": {**entry.get("pod", {}), **entry.get("leaderPod", {})}}
    templates = {"leaderTemplate": {"spec": _pod(leader)}, "workerTemplate": {"spec": _pod(entry)}}
    size = {"size": entry.get("podsPerReplica", 1), "restartPolicy": "RecreateGroupOnPodRestart"}
    spec = {"replicas": entry["replicas"], "leaderWorkerTemplate": {**size, **templates}, **entry.get("spec", {})}
    kind = {"apiVersion": API_VERSIONS["LeaderWorkerSet"], "kind": "LeaderWorkerSet"}
    return {**kind, "metadata": {"name": name}, "spec": spec}


def _pod(entry: dict[str, Any]) -> dict[str, Any]:
    container: dict[str, Any] = {
        "name": "main",
        "image": "pause",
        "resources": {"requests": {"cpu": "1", "memory": "1Gi"}},
    }
    if entry.get("accelerators"):
        container["resources"]["limits"] = {"nvidia.com/gpu": entry["accelerators"]}
    return {"containers": [container], **entry.get("pod", {})}


def plan(groups: dict[str, dict[str, Any]], gangs: dict[str, Any] | None = None, **options: Any) -> Plan:
    """Return the plan of these groups and gangs; options as in ``carrier_spec``."""
    operation = operations.read(carrier_spec(groups, gangs, **options))
    made = {name: workload(operation.groups[name].workload.name, entry) for name, entry in groups.items()}
    return plans.make(operation, made)


def around(template: Manifest) -> Manifest:
    """Return a workload that has a pod template."""
    return {"kind": "StatefulSet", "spec": {"template": template}}
