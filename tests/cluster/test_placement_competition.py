"""Gangs beside other work, on the real schedulers: hundreds of small pods, and workloads of other priority."""

from __future__ import annotations

from datetime import datetime

import pytest

from tests.cluster.api import Json
from tests.cluster.placing import BINDS, Placing

WAITING = 100


def workers(cpu: int, **more: object) -> Json:
    """Return a group of four pods of an accelerator and so many CPUs each."""
    return {"replicas": 4, "resources": {"requests": {"cpu": str(cpu)}}, **more}


def boxes(count: int, **more: object) -> Json:
    """Return a group of so many CPU sandboxes of half a CPU each."""
    return {"replicas": count, "gpus": 0, "resources": {"requests": {"cpu": "500m"}}, **more}


def crowd(op: Placing, **more: object) -> None:
    """Fill four nodes of an accelerator and eight CPUs each with sandboxes, but for half a CPU."""
    for _ in range(4):
        op.namespace.add_node(cpu="8")
    op.install({"box": boxes(60, **more)}, name="boxes")
    op.binds(60, name="boxes")


def on(kind: str) -> Json:
    return {"environment": {"nodeSelector": {"helm-roster.test/kind": kind}}}


def seconds_to_place(pods: list[Json]) -> float:
    """Return how long the pods waited for a node, by the API server's clock and the scheduler's."""
    placed = [item for pod in pods for item in pod["status"]["conditions"] if item["type"] == "PodScheduled"]
    last = max(datetime.fromisoformat(item["lastTransitionTime"]) for item in placed)
    first = min(datetime.fromisoformat(pod["metadata"]["creationTimestamp"]) for pod in pods)
    return (last - first).total_seconds()


def test_a_gang_is_placed_within_five_seconds_while_many_sandboxes_wait_for_other_nodes(op: Placing) -> None:
    op.namespace.add_node(gpus=0, labels={"helm-roster.test/kind": "cpu"}, cpu="16")
    op.namespace.add_nodes(4, labels={"helm-roster.test/kind": "gpu"})
    op.install({"box": boxes(WAITING, **on("cpu"))}, name="boxes")
    op.binds(32, name="boxes")
    op.install({"worker": workers(8, **on("gpu"))}, {"worker": {}})
    op.binds(4)
    assert seconds_to_place(op.pods()) <= 5


@pytest.mark.parametrize("placer", ["native", "kai"], indirect=True)
def test_a_gang_takes_the_places_of_many_sandboxes_of_lower_priority(op: Placing) -> None:
    """Volcano takes them one for one only (test_volcano.py): else those that replace them are first."""
    low, high = op.priorities()
    crowd(op, environment={"priorityClassName": low})
    op.install({"worker": workers(4, environment={"priorityClassName": high})}, {"worker": {}})
    op.binds(4, within=2 * BINDS)


def test_a_gang_waits_behind_sandboxes_of_its_own_priority_and_plan_says_so(op: Placing) -> None:
    crowd(op)
    op.install({"worker": workers(4)}, {"worker": {}})
    op.holds(0)
    values = op.values({"box": boxes(60), "worker": workers(4)}, {"worker": {}})
    warned = " ".join(op.roster("plan", "-f", values).stdout.split())
    assert 'gang "step" may never start beside "box"' in warned
