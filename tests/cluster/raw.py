"""Short manifests written by hand, for tests of the cluster itself: no chart, no post-renderer."""

from __future__ import annotations

from collections.abc import Mapping

from tests.cluster.api import Json
from tests.cluster.nodes import GPU

IMAGE = "registry.example/worker:1"


def pod_spec(
    selector: Mapping[str, str], *, gpus: int = 0, cpu: str = "1", group: str = "", restart: str = "Always"
) -> Json:
    """Return a pod spec of one container `worker` kept on the nodes that `selector` names; `group`: a PodGroup."""
    resources = {"cpu": cpu, **({GPU: str(gpus)} if gpus else {})}
    return {
        "nodeSelector": dict(selector),
        "restartPolicy": restart,
        "terminationGracePeriodSeconds": 1,
        "containers": [{"name": "worker", "image": IMAGE, "resources": {"requests": resources, "limits": resources}}],
        **({"schedulingGroup": {"podGroupName": group}} if group else {}),
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
