"""Short manifests written by hand, for tests of the cluster itself: no chart, no post-renderer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tests.cluster.api import Json
from tests.cluster.namespaces import Namespace
from tests.cluster.nodes import GPU
from tests.cluster.schedulers import Scheduler

IMAGE = "registry.example/worker:1"


def pod_spec(
    selector: Mapping[str, str],
    *,
    gpus: int = 0,
    cpu: str = "1",
    group: str = "",
    restart: str = "Always",
    scheduler: str = "",
) -> Json:
    """Return a pod spec of one container `worker` kept on the nodes that `selector` names.

    `group` is a native PodGroup, `scheduler` the name of another scheduler.
    """
    resources = {"cpu": cpu, **({GPU: str(gpus)} if gpus else {})}
    return {
        "nodeSelector": dict(selector),
        "restartPolicy": restart,
        "terminationGracePeriodSeconds": 1,
        "containers": [{"name": "worker", "image": IMAGE, "resources": {"requests": resources, "limits": resources}}],
        **({"schedulingGroup": {"podGroupName": group}} if group else {}),
        **({"schedulerName": scheduler} if scheduler else {}),
    }


def pod(name: str, spec: Json, annotations: Mapping[str, str] | None = None) -> Json:
    """Return a bare pod."""
    metadata = {"name": name, "annotations": dict(annotations or {})}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec}


def _workload(api_version: str, kind: str, name: str, replicas: int, spec: Json, **more: object) -> Json:
    template = {"metadata": {"labels": {"app": name}}, "spec": spec}
    selector = {"matchLabels": {"app": name}}
    return {
        "apiVersion": api_version,
        "kind": kind,
        "metadata": {"name": name},
        "spec": {"replicas": replicas, "selector": selector, "template": template, **more},
    }


def deployment(name: str, replicas: int, spec: Json) -> Json:
    """Return a Deployment whose pods carry the label app."""
    return _workload("apps/v1", "Deployment", name, replicas, spec)


def stateful_set(name: str, replicas: int, spec: Json) -> Json:
    """Return a StatefulSet that creates its pods at once."""
    return _workload("apps/v1", "StatefulSet", name, replicas, spec, serviceName=name, podManagementPolicy="Parallel")


def job(name: str, workers: int, spec: Json, annotations: Mapping[str, str] | None = None) -> Json:
    """Return an Indexed Job that runs all of its workers together and retries none."""
    metadata = {"labels": {"app": name}, "annotations": dict(annotations or {})}
    counts = {"completionMode": "Indexed", "completions": workers, "parallelism": workers, "backoffLimit": 0}
    template = {"metadata": metadata, "spec": {**spec, "restartPolicy": "Never"}}
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {"name": name},
        "spec": {**counts, "template": template},
    }


def config_map(name: str, labels: Mapping[str, str] | None = None) -> Json:
    """Return an empty ConfigMap."""
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name, "labels": dict(labels or {})}}


def pod_group(name: str, minimum: int) -> Json:
    """Return a native PodGroup that binds nothing before `minimum` pods fit."""
    return {
        "apiVersion": "scheduling.k8s.io/v1beta1",
        "kind": "PodGroup",
        "metadata": {"name": name},
        "spec": {"schedulingPolicy": {"gang": {"minCount": minimum}}},
    }


def grouping(scheduler: Scheduler, namespace: Namespace, name: str, minimum: int) -> Json:
    """Return the object by which a scheduler holds a gang of `minimum` pods of `member`."""
    if scheduler.name == "native":
        return pod_group(name, minimum)
    spec: Json = {"queue": scheduler.queue}
    if scheduler.name == "volcano":
        version, spec["minMember"] = "scheduling.volcano.sh/v1beta1", minimum
    else:
        version, spec["subGroups"] = "scheduling.run.ai/v2alpha2", [{"name": "worker", "minMember": minimum}]
    # KAI 0.17 takes groups of one name in two namespaces for one.
    metadata = {"name": f"{namespace.name}-{name}"}
    return {"apiVersion": version, "kind": "PodGroup", "metadata": metadata, "spec": spec}


def gang(scheduler: Scheduler, namespace: Namespace, name: str, replicas: int) -> list[Json]:
    """Return a StatefulSet of one-accelerator pods, after the object by which its scheduler holds it, if any does."""
    grouped = [] if scheduler.name == "default" else [grouping(scheduler, namespace, name, replicas)]
    return [*grouped, member(scheduler, namespace, name, replicas)]


def member(scheduler: Scheduler, namespace: Namespace, name: str, replicas: int, *, gpus: int = 1) -> Json:
    """Return a StatefulSet whose pods belong to the object of `grouping`."""
    if scheduler.name in {"default", "native"}:
        group = name if scheduler.name == "native" else ""
        return stateful_set(name, replicas, pod_spec(namespace.node_selector, gpus=gpus, group=group))
    made = stateful_set(name, replicas, pod_spec(namespace.node_selector, gpus=gpus, scheduler=scheduler.pods))
    group, metadata = f"{namespace.name}-{name}", made["spec"]["template"]["metadata"]
    if scheduler.name == "volcano":
        metadata["annotations"] = {"scheduling.k8s.io/group-name": group}
    else:
        metadata["annotations"] = {"kai.scheduler/skip-podgrouper": "true", "pod-group-name": group}
        metadata["labels"]["kai.scheduler/subgroup-name"] = "worker"
    return made


def hyper_node(name: str, tier: int, nodes: Sequence[str], *, tier_name: str = "") -> Json:
    """Return Volcano's object for a part of the network that holds the named nodes."""
    members = [{"type": "Node", "selector": {"exactMatch": {"name": node}}} for node in nodes]
    spec = {"tier": tier, "members": members, **({"tierName": tier_name} if tier_name else {})}
    return {"apiVersion": "topology.volcano.sh/v1alpha1", "kind": "HyperNode", "metadata": {"name": name}, "spec": spec}


def topology(name: str, *labels: str) -> Json:
    """Return KAI's object that names the node labels of the levels, the broadest first."""
    spec = {"levels": [{"nodeLabel": label} for label in labels]}
    return {"apiVersion": "kai.scheduler/v1alpha1", "kind": "Topology", "metadata": {"name": name}, "spec": spec}
