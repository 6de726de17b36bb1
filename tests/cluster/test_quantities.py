"""What the real controllers take for another pod template when a quantity is written in other words."""

from __future__ import annotations

from typing import Any

import pytest

from tests.cluster.api import ApiError, Json, wait_for
from tests.cluster.namespaces import Namespace

STORED = {"Deployment": "ReplicaSet", "StatefulSet": "ControllerRevision"}
CONTAINERS = "/spec/template/spec/containers/0/resources/limits"


def workload(kind: str) -> Json:
    """Return a workload without pods."""
    limits = {"cpu": 1.5, "memory": "1Gi"}
    pod = {"containers": [{"name": "main", "image": "registry.example/engine:1", "resources": {"limits": limits}}]}
    template = {"metadata": {"labels": {"app": "q"}}, "spec": pod}
    spec = {"replicas": 0, "selector": {"matchLabels": {"app": "q"}}, "template": template}
    return {"apiVersion": "apps/v1", "kind": kind, "metadata": {"name": "q"}, "spec": spec}


@pytest.mark.parametrize(("kind", "bytes_roll"), [("Deployment", False), ("StatefulSet", True)])
def test_only_a_stateful_set_rolls_for_an_equal_quantity_and_only_in_another_notation(
    namespace: Namespace,
    kind: str,
    bytes_roll: bool,  # noqa: FBT001
) -> None:
    def templates() -> int:
        return len(namespace.items("apps/v1", STORED[kind]))

    def put(name: str, value: Any) -> None:
        change = {"op": "replace", "path": f"{CONTAINERS}/{name}", "value": value}
        namespace.api.patch(namespace.path("apps/v1", kind, "q"), [change], "json")

    namespace.create(workload(kind))
    wait_for(templates, 20, "the first template")
    for name, value in (("cpu", "1.5"), ("cpu", "1500m"), ("memory", "1024Mi"), ("memory", "1073741824")):
        put(name, value)
    if bytes_roll:
        assert wait_for(templates, 20, "the second template", until=lambda count: count > 1) == 2
    put("cpu", 2)
    wanted = 3 if bytes_roll else 2
    assert wait_for(templates, 20, "the last template", until=lambda count: count >= wanted) == wanted


@pytest.mark.parametrize(
    ("limits", "words"),
    [
        ({"hugepages-2Mi": "4Mi"}, "HugePages require cpu or memory"),
        ({"hugepages-2Mi": "0"}, "HugePages require cpu or memory"),
        ({"hugepages-2Mi": "3Mi", "memory": "1Gi"}, "3Mi is not positive integer multiple of hugepages-2Mi"),
        ({"hugepages-2Mi": "4Mi", "cpu": 1}, None),
        ({"example.com/nic": "1k"}, None),
    ],
)
def test_huge_pages_are_taken_whole_and_beside_cpu_or_memory(
    namespace: Namespace, limits: Json, words: str | None
) -> None:
    made = workload("Deployment")
    made["spec"]["template"]["spec"]["containers"][0]["resources"] = {"limits": limits}
    if words is None:
        namespace.create(made)
        return
    with pytest.raises(ApiError, match=words):
        namespace.create(made)
