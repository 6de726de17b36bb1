"""What our status says of quota while Kueue waits, preempts, drains, is told by hand, or is down."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from tests.cluster import kueue_objects, raw
from tests.cluster.admission import QUEUE
from tests.cluster.admitting import Admitted
from tests.cluster.api import Json, stays, wait_for

FLAT = {"worker": {}}
ONE = pytest.mark.parametrize("kueue_placer", ["native"], indirect=True)
PLAIN = pytest.mark.parametrize("kueue_placer", ["default"], indirect=True)
WITHIN = 30.0
# For so long status bears that Kueue says nothing.
SILENT = 31.0


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


def runs(op: Admitted, replicas: int = 2, **more: Any) -> None:
    """Run a gang of so many pods, with quota for more of them and nodes."""
    op.namespace.add_nodes(replicas)
    op.install({"worker": replicas}, FLAT, **more)
    op.binds(replicas)


def youngest(op: Admitted) -> float:
    """Return the age of the youngest pod in seconds."""
    made = (datetime.fromisoformat(pod["metadata"]["creationTimestamp"]) for pod in op.pods())
    return (datetime.now(UTC) - max(made)).total_seconds()


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
def test_pods_that_are_admitted_one_by_one_are_counted(admitted: Admitted) -> None:
    op = admitted
    op.quota(1)
    op.namespace.add_nodes(2)
    op.install({"worker": 3})
    said = becomes(op, "waiting", words="has 1 of 1 nvidia.com/gpu in use; 1 of 3 pods is admitted")
    assert "insufficient unused quota for nvidia.com/gpu" in said["message"]


@ONE
def test_a_gang_that_is_preempted_is_told_so_and_comes_back(admitted: Admitted) -> None:
    op = admitted
    classes = op.kueue.priorities(op.namespace, low=1, high=2)
    op.admission["priorityClass"] = classes["low"]
    op.quota(2, preemption={"withinClusterQueue": "LowerPriority"})
    runs(op)
    high = raw.stateful_set("high", 2, raw.pod_spec(op.namespace.node_selector, gpus=1))
    high = kueue_objects.grouped(high, QUEUE, "high", 2)
    high["spec"]["template"]["metadata"]["labels"][f"{kueue_objects.MARK}/priority-class"] = classes["high"]
    op.namespace.create(high)
    becomes(op, "preempted", words="reempted")
    wait_for(lambda: op.namespace.bound("app=high"), WITHIN, "the other gang", until=lambda seen: seen == 2)
    stays(lambda: quota(op)["state"], 1.0, "the same word", until=lambda it: it == "preempted")
    op.namespace.delete("apps/v1", "StatefulSet", "high")
    becomes(op, "admitted")
    op.binds(2)


@ONE
def test_a_queue_that_is_drained_is_told_with_what_opens_it(admitted: Admitted) -> None:
    op = admitted
    op.quota(2)
    runs(op)
    op.kueue.change(op.namespace, stopPolicy="HoldAndDrain")
    becomes(op, "evicted", "inadmissible", words="has stopPolicy HoldAndDrain")
    op.gates(2)
    said = becomes(op, "evicted", "inadmissible", words="has stopPolicy HoldAndDrain")
    assert said["verdict"] == "WaitingForQuota"
    op.kueue.change(op.namespace, stopPolicy="None")
    op.binds(2)
    becomes(op, "admitted")


@ONE
def test_a_workload_that_was_deactivated_by_hand_is_told_so(admitted: Admitted) -> None:
    op = admitted
    op.quota(1)
    op.install({"worker": 2}, FLAT)
    op.gates(2)
    deactivate(op, active=False)
    becomes(op, "deactivated", words="is deactivated")
    op.quota(2)
    stays(op.gated, 1.0, "two gated pods", until=lambda seen: seen == 2)
    deactivate(op, active=True)
    becomes(op, "admitted")


@ONE
def test_a_gang_whose_workload_was_deleted_by_hand_comes_back(admitted: Admitted) -> None:
    op = admitted
    op.quota(2)
    runs(op)
    before = op.uids()
    (found,) = op.workloads()
    op.namespace.delete(kueue_objects.VERSION, "Workload", found["metadata"]["name"])
    wait_for(op.uids, WITHIN, "two other pods", until=lambda seen: len(seen) == 2 and not seen.items() & before.items())
    becomes(op, "admitted")


@ONE
def test_a_lowered_quota_evicts_nobody_and_is_told(admitted: Admitted) -> None:
    op = admitted
    op.quota(2)
    runs(op)
    with op.untouched("worker"):
        op.quota(1)
        said = becomes(op, "admitted", words="the quota was lowered: ClusterQueue")
        assert "2 of 1 nvidia.com/gpu in use; nobody is evicted" in said["message"]


@ONE
def test_a_queue_that_is_not_there_is_told_with_the_way_out(admitted: Admitted) -> None:
    op = admitted
    op.namespace.add_nodes(2)
    op.install({"worker": 2}, FLAT)
    said = becomes(op, "inadmissible", words=f'make LocalQueue "{QUEUE}"')
    assert f"LocalQueue {QUEUE} doesn't exist" in said["message"]
    op.quota(2)
    op.binds(2)


@ONE
def test_while_kueue_is_down_cancel_works_and_install_says_why_it_does_not(admitted: Admitted) -> None:
    op = admitted
    op.quota(1)
    op.install({"worker": 2}, FLAT)
    op.gates(2)
    with op.kueue.down():
        op.roster("cancel", "op", "--timeout", "60s")
        assert op.pods() == []
        done = op.roster.attempt("install", "op", "-f", op.values({"worker": 2}, FLAT))
        assert done.returncode in {1, 4}
        (line,) = [line for line in done.stderr.splitlines() if "webhook" in line]
        assert line.startswith("Error: ")
        assert "Traceback" not in done.stderr
        assert op.namespace.items("apps/v1", "StatefulSet") == []


@ONE
def test_pods_that_kueue_gates_and_never_looks_at_are_not_gated_unnoticed(admitted: Admitted) -> None:
    op = admitted
    op.quota(2)
    others = {"matchExpressions": [{"key": "managed", "operator": "Exists"}]}
    with op.kueue.configured(managedJobsNamespaceSelector=others):
        op.install({"worker": 2}, FLAT)
        wait_for(lambda: youngest(op), 60, "time to say something", until=lambda seconds: seconds > SILENT)
        said = quota(op)
        assert f'does not manage namespace "{op.namespace.name}"' in said["message"]
        assert said["verdict"] == "WaitingForQuota"
