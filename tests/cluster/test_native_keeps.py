"""What the native backend says that it keeps of a running gang (its KEEPS), on the real kube-scheduler.

What must hold on other schedulers too, as when members die, is in test_placement_sizes.py.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.cluster import operations
from tests.cluster.api import Json, stays, wait_for
from tests.cluster.namespaces import Namespace
from tests.support.runner import Runner

HELD = 3.0
BINDS = 60.0
WORKERS = "helm-roster.dev/group=worker"


def install(run: Runner, folder: Path, namespace: Namespace, replicas: int, **more: Any) -> None:
    """Install a gang of so many one-accelerator pods."""
    worker = operations.group(namespace, replicas, gpus=1)
    worker["environment"] |= more
    values = operations.values({"worker": worker}, gangs={"step": {"worker": {}}})
    operations.install(run, "train", operations.write(folder, values))


def bound(namespace: Namespace) -> dict[str, str]:
    """Return the uids of the gang's pods that have a node, by their names."""
    pods = [pod["metadata"] for pod in namespace.pods(WORKERS) if "nodeName" in pod["spec"]]
    return {pod["name"]: pod["uid"] for pod in pods if "deletionTimestamp" not in pod}


def placed(namespace: Namespace, count: int) -> dict[str, str]:
    wait_for(lambda: len(bound(namespace)), BINDS, f"{count} pods bound", until=lambda seen: seen == count)
    return bound(namespace)


def foreign(namespace: Namespace, name: str, priority: str = "") -> Json:
    """Return a pod outside of the operation that wants an accelerator here."""
    limits = {"limits": {"nvidia.com/gpu": "1"}}
    spec = {
        "nodeSelector": dict(namespace.node_selector),
        "containers": [{"name": "c", "image": "pause", "resources": limits}],
        "terminationGracePeriodSeconds": 1,
    }
    chosen = {"priorityClassName": priority} if priority else {}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name}, "spec": spec | chosen}


def test_a_foreign_pod_may_take_a_place_during_a_rolling_update_which_then_waits(
    namespace: Namespace, helm4: Runner, tmp_path: Path
) -> None:
    namespace.add_nodes(2)
    install(helm4, tmp_path, namespace, 2)
    before = placed(namespace, 2)
    namespace.create(foreign(namespace, "foreign"))
    workload = namespace.path("apps/v1", "StatefulSet", "train-worker")
    namespace.api.patch(workload, {"spec": {"template": {"metadata": {"annotations": {"new": "template"}}}}})
    wait_for(
        lambda: namespace.pod("foreign"), BINDS, "the foreign pod bound",
        until=lambda pod: bool(pod and pod["spec"].get("nodeName")),
    )  # fmt: skip
    # Of the old template, or of the new one where that came before the foreign pod.
    stays(lambda: len(bound(namespace)), HELD, "one member left", until=lambda seen: seen == 1)
    namespace.delete("v1", "Pod", "foreign", gracePeriodSeconds=0)
    wait_for(
        lambda: bound(namespace), BINDS, "the update ends",
        until=lambda seen: len(seen) == 2 and not seen.items() & before.items(),
    )  # fmt: skip


def test_a_gang_takes_the_places_of_pods_of_lower_priority_when_all_of_it_fits_then(
    namespace: Namespace, helm4: Runner, tmp_path: Path
) -> None:
    """With two of three places it takes none: they would go for nothing."""
    urgent = f"{namespace.name}-urgent"
    namespace.create(
        {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": urgent}, "value": 1000},
    )
    namespace.add_nodes(2)
    namespace.create(*(foreign(namespace, f"low-{number}") for number in range(2)))
    wait_for(namespace.bound, BINDS, "the low pods bound", until=lambda seen: seen == 2)
    install(helm4, tmp_path, namespace, 3, priorityClassName=urgent)
    wait_for(lambda: len(namespace.pods(WORKERS)), 30, "three pods", until=lambda seen: seen == 3)
    stays(namespace.bound, HELD, "the low pods left alone", until=lambda seen: seen == 2)
    assert bound(namespace) == {}
    namespace.add_node()
    placed(namespace, 3)
