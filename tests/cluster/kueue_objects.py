"""What a cluster's people make for Kueue, and the marks by which pods belong to it, written by hand for tests."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence

from tests.cluster.api import Json
from tests.cluster.nodes import GPU

VERSION = "kueue.x-k8s.io/v1beta2"
MARK = "kueue.x-k8s.io"
# What a test does not ask about must not hold it.
ENOUGH = {"cpu": "10000", "memory": "100Ti"}


def _object(kind: str, name: str, **content: object) -> Json:
    return {"apiVersion": VERSION, "kind": kind, "metadata": {"name": name}, **content}


def flavor(name: str, node_labels: Mapping[str, str] | None = None, topology: str = "") -> Json:
    """Return a ResourceFlavor: nodes with such labels, and the Topology by which they are placed."""
    labels = {"nodeLabels": dict(node_labels)} if node_labels else {}
    return _object("ResourceFlavor", name, spec={**labels, **({"topologyName": topology} if topology else {})})


def topology(name: str, *labels: str) -> Json:
    """Return Kueue's Topology of the node labels of the levels, the broadest first."""
    return _object("Topology", name, spec={"levels": [{"nodeLabel": label} for label in labels]})


def cluster_queue(name: str, flavors: Mapping[str, Mapping[str, str]], **spec: object) -> Json:
    """Return a ClusterQueue with quota by flavor and resource, open to all namespaces; `spec` is added to its own."""
    covered = list(next(iter(flavors.values())))
    quotas = [
        {"name": name, "resources": [{"name": key, "nominalQuota": value} for key, value in quota.items()]}
        for name, quota in flavors.items()
    ]
    groups = [{"coveredResources": covered, "flavors": quotas}]
    return _object("ClusterQueue", name, spec={"namespaceSelector": {}, "resourceGroups": groups, **spec})


def local_queue(name: str, of: str) -> Json:
    """Return a LocalQueue of a ClusterQueue."""
    return _object("LocalQueue", name, spec={"clusterQueue": of})


def priority(name: str, value: int) -> Json:
    """Return a WorkloadPriorityClass."""
    return _object("WorkloadPriorityClass", name, value=value)


def quota(gpus: int, more: Mapping[str, str] | None = None) -> dict[str, str]:
    """Return a quota of accelerators, and of all else enough; an empty quantity leaves a resource out."""
    asked = {GPU: str(gpus), **ENOUGH, **(more or {})}
    return {key: value for key, value in asked.items() if value}


def grouped(workload: Json, queue: str, group: str, total: int, role: str = "worker", **more: str) -> Json:
    """Return a workload whose pods are `total` pods of one group of pods, admitted as one, without finalizers.

    `more` are annotations of Kueue without their prefix, with _ for -.
    """
    made = copy.deepcopy(workload)
    metadata = made["spec"]["template"]["metadata"]
    labels = {"queue-name": queue, "managed": "true", "pod-group-name": group}
    marks = {"pod-group-total-count": str(total), "role-hash": role, "pod-suspending-parent": "by-hand"}
    marks |= {"pod-group-serving": "true"} if workload["kind"] != "Job" else {}
    marks |= {key.replace("_", "-"): value for key, value in more.items()}
    metadata["labels"] = {**metadata.get("labels", {}), **_prefixed(labels)}
    metadata["annotations"] = {**metadata.get("annotations", {}), **_prefixed(marks)}
    return made


def single(workload: Json, queue: str, **labels: str) -> Json:
    """Return a workload each of whose pods is admitted alone; `labels` are Kueue's, without prefix, with _ for -."""
    made = copy.deepcopy(workload)
    metadata = made["spec"]["template"]["metadata"]
    marks = {"queue-name": queue, "managed": "true", **{key.replace("_", "-"): value for key, value in labels.items()}}
    metadata["labels"] = {**metadata.get("labels", {}), **_prefixed(marks)}
    metadata["annotations"] = {**metadata.get("annotations", {}), **_prefixed({"pod-suspending-parent": "by-hand"})}
    return made


def _prefixed(marks: Mapping[str, str]) -> dict[str, str]:
    return {f"{MARK}/{key}": value for key, value in marks.items()}


def gated(pods: Sequence[Json]) -> int:
    """Count the pods that Kueue holds back."""
    gates = ([gate["name"] for gate in pod["spec"].get("schedulingGates", [])] for pod in pods)
    return sum(f"{MARK}/admission" in found for found in gates)


def condition(workload: Json, kind: str) -> Json:
    """Return a condition of an object, with an empty status if it has none of that type."""
    found = (item for item in workload.get("status", {}).get("conditions", []) if item["type"] == kind)
    return next(found, {"type": kind, "status": "", "reason": "", "message": ""})
