"""Live operations under Kueue for tests: groups as they are marked, and Workloads as Kueue 0.17.0 leaves them."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from helm_roster.manifests.walk import Manifest
from helm_roster.model.live import LiveGroup

from tests.unit import live_objects
from tests.unit.asks import NOW

VERSION = "kueue.x-k8s.io/v1beta2"
NAME = "op-step-1a2b"
GATE = [{"name": "kueue.x-k8s.io/admission"}]
KNOWN = ("Workload", "LocalQueue", "ClusterQueue", "ResourceFlavor", "Cohort", "Event")
GPU = "nvidia.com/gpu"


def ago(seconds: float) -> str:
    """Return a time, as the API writes it."""
    return (NOW - timedelta(seconds=seconds)).isoformat()


def marks(name: str = NAME, total: int = 2, queue: str = "team") -> Manifest:
    """Return the metadata of a pod of a gang."""
    labels = {"kueue.x-k8s.io/queue-name": queue, "kueue.x-k8s.io/managed": "true"}
    if not name:
        return {"labels": labels}
    annotations = {"kueue.x-k8s.io/pod-group-total-count": str(total)}
    return {"labels": labels | {"kueue.x-k8s.io/pod-group-name": name}, "annotations": annotations}


def group(
    name: str,
    replicas: int,
    *pods: Manifest,
    gang: str = "step",
    kind: str = "StatefulSet",
    total: int = 2,
    **more: Any,
) -> LiveGroup:
    """Return a group: of a gang, or (an empty ``gang``) one whose pods are admitted alone, or a Job by itself."""
    made = live_objects.group(name, replicas, *pods, kind=kind, **({"gang": gang} if gang else {}), **more)
    workload: Manifest = {**(made.workload or {})}
    workload["metadata"] = {**workload["metadata"], "uid": f"uid-of-{name}", "namespace": "team"}
    workload["spec"] = {**workload["spec"], "template": {}}
    if kind == "Job":
        workload["metadata"]["labels"] = {"kueue.x-k8s.io/queue-name": "team"}
    else:
        workload["spec"]["template"] = {"metadata": marks(NAME if gang else "", total)}
    return made.replace(workload=workload)


def pod(name: str, *, gated: bool = True, age: float = 5, total: int = 2, alone: bool = False) -> Manifest:
    """Return a pod, gated or on a node."""
    made = live_objects.pod(name, node="" if gated else "n1", gates=GATE if gated else [])
    made["metadata"] |= {**marks("" if alone else NAME, total), "creationTimestamp": ago(age)}
    return made


def condition(kind: str, status: str, reason: str = "", message: str = "") -> Manifest:
    """Return a condition."""
    return {"type": kind, "status": status, "reason": reason, "message": message}


def workload(
    *conditions: Manifest,
    name: str = NAME,
    sets: dict[str, int] | None = None,
    owner: str = "",
    age: float = 5,
    active: bool = True,
    **more: Any,
) -> Manifest:
    """Return a Workload; ``sets`` are its podSets, of so many pods with one accelerator each; ``more`` is metadata."""
    ask = {"containers": [{"name": "main", "resources": {"requests": {GPU: "1"}}}]}
    owners = [{"kind": "Pod", "name": owner, "uid": owner}] if owner else []
    return {
        "apiVersion": VERSION,
        "kind": "Workload",
        "metadata": {
            "name": name, "namespace": "team", "uid": f"uid-of-{name}", "resourceVersion": "7",
            "creationTimestamp": ago(age), "ownerReferences": owners, **more,
        },
        "spec": {
            "queueName": "team",
            "active": active,
            "podSets": [
                {"name": key, "count": count, "template": {"spec": ask}}
                for key, count in (sets or {"learner": 2}).items()
            ],
        },
        "status": {"conditions": list(conditions)},
    }  # fmt: skip


def queues(nominal: int = 8, used: int = 0, *, policy: str = "None", flavors: int = 1, **spec: Any) -> list[Manifest]:
    """Return the LocalQueue ``team`` with its ClusterQueue ``whole``, each of whose flavors gives ``nominal``; last."""
    names = [f"f{number}" for number in range(flavors)]
    quotas = [{"name": name, "resources": [{"name": GPU, "nominalQuota": str(nominal)}]} for name in names]
    reserved = [{"name": names[0], "resources": [{"name": GPU, "total": str(used)}]}]
    return [
        *({"apiVersion": VERSION, "kind": "ResourceFlavor", "metadata": {"name": name}} for name in names),
        {
            "apiVersion": VERSION, "kind": "LocalQueue", "metadata": {"name": "team", "namespace": "team"},
            "spec": {"clusterQueue": "whole"},
        },
        {
            "apiVersion": VERSION, "kind": "ClusterQueue", "metadata": {"name": "whole"},
            "spec": {
                "stopPolicy": policy, "resourceGroups": [{"coveredResources": [GPU], "flavors": quotas}], **spec,
            },
            "status": {"flavorsReservation": reserved},
        },
    ]  # fmt: skip
