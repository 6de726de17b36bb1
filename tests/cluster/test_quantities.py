"""What the real controllers take for another pod template when a quantity is written in other words."""

from __future__ import annotations

from typing import Any

import pytest

from tests.cluster.api import Json, wait_for
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
