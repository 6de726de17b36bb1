"""What our status says of quota while Kueue waits, preempts, drains, or is told by hand, and that all comes back."""

from __future__ import annotations

from typing import Any

import pytest

from tests.cluster import kueue_objects, raw
from tests.cluster.admission import QUEUE
from tests.cluster.admitting import Admitted
from tests.cluster.api import Json, stays, wait_for
from tests.cluster.placing_adapters import RACK

FLAT = {"worker": {}}
ONE = pytest.mark.parametrize("kueue_placer", ["native"], indirect=True)
EACH = pytest.mark.parametrize("kueue_placer", ["default", "native", "volcano", "kai"], indirect=True)
PLAIN = pytest.mark.parametrize("kueue_placer", ["default"], indirect=True)
WITHIN = 30.0


def quota(op: Admitted, group: str = "worker") -> Json:
    """Return what our status says of a group's quota, with its verdict."""
    found = op.status()
    said = [one for one in found["gangs"] if (one["stage"], one["group"]) == ("quota", group)]
    assert len(said) == 1, found["gangs"]
    return {**said[0], "verdict": found["verdict"]}


def becomes(op: Admitted, *states: str, words: str = "", group: str = "worker") -> Json:
    """Wait until our status says one of the states, in such words."""
    return wait_for(
        lambda: quota(op, group), WITHIN, f"{' or '.join(states)}: {words}",
        until=lambda said: said["state"] in states and words in said["message"],
    )  # fmt: skip


def runs(op: Admitted, replicas: int = 2, **queue: Any) -> None:
    """Run a gang of so many pods; where there is no scheduler of gangs, Kueue places it in one rack."""
    more: Json = {}
    if op.scheduler.name == "default":
        queue["levels"] = (RACK, "kubernetes.io/hostname")
        more = {"topology": {"rack": RACK}, "gang": {"locality": {"within": "rack"}}}
    op.quota(replicas, **queue)
    for _ in range(replicas):
        op.add_to_rack("a")
    op.install({"worker": replicas}, FLAT, **more)
    op.binds(replicas)


def deactivate(op: Admitted, *, active: bool) -> None:
    (found,) = op.workloads()
    path = op.namespace.path(kueue_objects.VERSION, "Workload", found["metadata"]["name"])
    op.namespace.api.patch(path, {"spec": {"active": active}})


@ONE
def test_quota_is_told_apart_from_room_and_what_never_fits_from_what_is_in_use(admitted: Admitted) -> None:
    op = admitted
    op.quota(3)
    op.install({"worker": 4}, FLAT)
    said = becomes(op, "waiting", words="it never fits into ClusterQueue")
    assert said["verdict"] == "WaitingForQuota"
    assert "maximum capacity (3)" in said["message"]
    op.quota(4)
    becomes(op, "admitted")
    wait_for(
        lambda: op.status()["verdict"], WITHIN, "the scheduler's turn", until=lambda it: it == "WaitingForPlacement"
    )
    assert op.status()["quota"]["state"] == "clear"


@PLAIN
def test_pods_that_are_admitted_one_by_one_are_counted_and_come_back_when_their_queue_opens(admitted: Admitted) -> None:
    op = admitted
    op.quota(1)
    op.namespace.add_nodes(3)
    op.install({"worker": 3})
    said = becomes(op, "waiting", words="has 1 of 1 nvidia.com/gpu in use; 1 of 3 pods is admitted")
    assert "insufficient unused quota for nvidia.com/gpu" in said["message"]
    op.quota(3)
    op.binds(3)
    with op.untouched("worker"):
        op.quota(2)
        becomes(op, "admitted", words="nobody is evicted, and a pod that replaces one of these waits")
    op.quota(3)
    op.kueue.change(op.namespace, stopPolicy="HoldAndDrain")
    op.gates(3, seconds=0)
    becomes(op, "evicted", "inadmissible", words="has stopPolicy HoldAndDrain")
    op.kueue.change(op.namespace, stopPolicy="None")
    op.binds(3)


def preempted(op: Admitted, priority: str) -> None:
    """Let another gang push it aside, and go again."""
    high = raw.stateful_set("high", 2, raw.pod_spec(op.namespace.node_selector, gpus=1))
    high = kueue_objects.grouped(high, QUEUE, "high", 2)
    high["spec"]["template"]["metadata"]["labels"][f"{kueue_objects.MARK}/priority-class"] = priority
    op.namespace.create(high)
    becomes(op, "preempted", words="reempted")
    wait_for(lambda: op.namespace.bound("app=high"), WITHIN, "the other gang", until=lambda seen: seen == 2)
    stays(lambda: quota(op)["state"], 1.0, "the same word", until=lambda it: it == "preempted")
    op.namespace.delete("apps/v1", "StatefulSet", "high")


def drained(op: Admitted) -> None:
    """Drain its queue; somebody who deactivates it meanwhile is told of too; open the queue again."""
    op.kueue.change(op.namespace, stopPolicy="HoldAndDrain")
    becomes(op, "evicted", "inadmissible", words="has stopPolicy HoldAndDrain")
    op.gates(2, seconds=0)
    said = becomes(op, "evicted", "inadmissible", words="has stopPolicy HoldAndDrain")
    assert said["verdict"] == "WaitingForQuota"
    deactivate(op, active=False)
    becomes(op, "deactivated", words="is deactivated")
    op.kueue.change(op.namespace, stopPolicy="None")
    stays(op.gated, 1.0, "two gated pods", until=lambda seen: seen == 2)
    deactivate(op, active=True)


def forgotten(op: Admitted) -> None:
    """Delete its Workload, and wait until other pods are there."""
    before = op.uids()
    (found,) = op.workloads()
    op.namespace.delete(kueue_objects.VERSION, "Workload", found["metadata"]["name"])
    wait_for(op.uids, WITHIN, "two other pods", until=lambda seen: len(seen) == 2 and not seen.items() & before.items())


@EACH
def test_a_gang_that_loses_its_quota_is_told_why_and_comes_back_when_it_can(admitted: Admitted) -> None:
    """By another of higher priority, with its queue, by hand; a lowered quota takes it from nobody."""
    op = admitted
    classes = op.kueue.priorities(op.namespace, low=1, high=2)
    op.admission["priorityClass"] = classes["low"]
    runs(op, preemption={"withinClusterQueue": "LowerPriority"})
    with op.untouched("worker"):
        op.quota(1)
        said = becomes(op, "admitted", words="the quota was lowered: ClusterQueue")
        assert "2 of 1 nvidia.com/gpu in use; nobody is evicted, and all pods wait if they are ever" in said["message"]
    op.quota(2)
    preempted(op, classes["high"])
    op.binds(2)
    drained(op)
    op.binds(2)
    forgotten(op)
    op.binds(2)
    becomes(op, "admitted")
