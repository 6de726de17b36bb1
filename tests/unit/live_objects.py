"""Short ways to write live objects in a test: pods and workloads as the API server would return them."""

from __future__ import annotations

from typing import Any

from helm_roster import constants
from helm_roster.manifests.walk import Manifest
from helm_roster.model.live import Live, LiveGroup

GONE = "2026-11-29T12:00:00Z"


def container(name: str = "main", *, ready: bool = False, **state: Any) -> Manifest:
    """Return a container's status; ``state`` has waiting, running, terminated, last (a terminated state), restarts."""
    last, restarts = state.pop("last", None), state.pop("restarts", 0)
    return {
        "name": name,
        "ready": ready,
        "restartCount": restarts,
        "state": state or {"running": {}},
        "lastState": {"terminated": last} if last else {},
    }


def pod(
    name: str, *containers: Manifest, node: str = "n1", ready: bool = False, phase: str = "Running", **more: Any
) -> Manifest:
    """Return a pod; without a node it is unbound, and ``says`` is the scheduler's message."""
    scheduled = {"type": "PodScheduled", "status": "True" if node else "False", "message": more.pop("says", "")}
    return {
        "kind": "Pod",
        "metadata": {
            "name": name,
            "uid": f"uid-{name}",
            "labels": more.pop("labels", {}),
            **({"deletionTimestamp": GONE} if more.pop("terminating", False) else {}),
        },
        "spec": {**({"nodeName": node} if node else {}), "schedulingGates": more.pop("gates", [])},
        "status": {
            "phase": phase if node else "Pending",
            "conditions": [scheduled, {"type": "Ready", "status": "True" if ready else "False"}],
            "containerStatuses": list(containers),
            **more,
        },
    }


def ready_pod(name: str) -> Manifest:
    """Return a pod that is ready."""
    return pod(name, container(ready=True), ready=True)


def workload(name: str, replicas: int = 1, *, kind: str = "Deployment", of: str = "service", **more: Any) -> Manifest:
    """Return a group's workload; ``more``: conditions, terminating, suspend, and our annotations by their last part."""
    count = {"completions": replicas, "parallelism": replicas} if kind == "Job" else {"replicas": replicas}
    metadata: Manifest = {"name": f"op-{name}"}
    if more.pop("terminating", False):
        metadata["deletionTimestamp"] = GONE
    spec = {**count, "suspend": more.pop("suspend", False)}
    status = {"conditions": more.pop("conditions", [])}
    annotations = {f"{constants.API_GROUP}/{key}": text for key, text in {"kind": of, **more}.items()}
    return {"kind": kind, "metadata": metadata | {"annotations": annotations}, "spec": spec, "status": status}


def event(reason: str, message: str, about: str, **more: Any) -> Manifest:
    """Return a warning about the pod of that name."""
    involved = {"kind": "Pod", "name": about, "uid": f"uid-{about}"}
    return {"reason": reason, "message": message, "metadata": {}, "involvedObject": involved, **more}


def group(name: str, replicas: int, *pods: Manifest, **more: Any) -> LiveGroup:
    """Return a group with its workload (see ``workload``); ``events`` are warnings about it."""
    events = more.pop("events", ())
    return LiveGroup(name=name, workload=workload(name, replicas, **more), pods=pods, events=events)


def live(*groups: LiveGroup, grouping: tuple[Manifest, ...] = ()) -> Live:
    """Return an operation of these groups."""
    return Live(name="op", namespace="team", groups={found.name: found for found in groups}, grouping=grouping)
