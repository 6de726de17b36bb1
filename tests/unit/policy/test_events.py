"""Which warnings of the cluster count, and how they are folded."""

from __future__ import annotations

import pytest

from helm_roster.manifests.walk import Manifest
from helm_roster.policy import events

from tests.unit import live_objects as make

CREATING = make.pod("p", make.container(waiting={"reason": "ContainerCreating"}))
RUNNING = make.pod("p", make.container())
UNPLACED = make.pod("p", node="")


def dated(message: str, **fields: object) -> Manifest:
    return {"message": message, "metadata": {}, **fields}


@pytest.mark.parametrize(
    "newer",
    [
        dated("new", lastTimestamp="2026-01-02T00:00:00Z"),
        dated("new", lastTimestamp=None, eventTime="2026-01-02T00:00:00.000000Z"),
        dated(
            "new", series={"lastObservedTime": "2026-01-02T00:00:00.000000Z"}, eventTime="2025-01-01T00:00:00.000000Z"
        ),
        dated("new", metadata={"creationTimestamp": "2026-01-02T00:00:00Z"}),
    ],
    ids=["counted", "not counted", "series", "created"],
)
def test_an_event_is_dated_by_whatever_time_it_has(newer: Manifest) -> None:
    old = dated("old", lastTimestamp="2026-01-01T00:00:00Z")
    assert max([newer, old, dated("timeless", lastTimestamp=None, eventTime=None)], key=events.time) is newer


def test_messages_that_differ_in_their_pod_are_one_cause_with_all_counts() -> None:
    told = [
        make.event("BackOff", f"restarting container in pod {name}_team(uid-{name})", name, count=count)
        for name, count in (("op-a-0", 3), ("op-a-1", 2))
    ]
    (found,) = events.fold(told)
    assert (found.count, found.objects, found.message) == (5, ("Pod op-a-0", "Pod op-a-1"), told[1]["message"])


def test_other_messages_are_other_causes_and_the_most_frequent_comes_first() -> None:
    told = [make.event("Unhealthy", f"HTTP probe: {code}", "a", count=code) for code in (404, 503)]
    assert [found.count for found in events.fold(told)] == [503, 404]


def test_what_keeps_a_claim_from_a_volume_counts_while_pods_wait_for_it() -> None:
    told = make.event("FailedBinding", "x", "", involvedObject={"kind": "PersistentVolumeClaim", "uid": "c"})
    assert [found.reason for found in events.current([told], [UNPLACED], whole=True, ready=False)] == ["FailedBinding"]


def test_a_series_counts_as_often_as_it_says() -> None:
    assert events.fold([make.event("Unhealthy", "x", "a", series={"count": 7})])[0].count == 7


@pytest.mark.parametrize(
    ("pod", "reason", "told"),
    [
        (RUNNING, "Unhealthy", True),
        (make.ready_pod("p"), "Unhealthy", False),
        (make.pod("p", phase="Failed"), "Unhealthy", False),
        (UNPLACED, "FailedScheduling", True),
        (CREATING, "FailedScheduling", False),
        (CREATING, "FailedMount", True),
        (RUNNING, "FailedMount", False),
        (make.pod("other"), "Unhealthy", False),
    ],
    ids=["running", "ready", "ended", "unplaced", "placed", "creating", "created", "gone"],
)
def test_only_what_fits_the_state_of_its_pod_counts(pod: Manifest, reason: str, told: bool) -> None:  # noqa: FBT001
    assert bool(events.current([make.event(reason, "x", "p")], [pod], whole=False, ready=False)) is told


@pytest.mark.parametrize("whole", [True, False])
def test_what_is_said_of_a_workload_counts_while_pods_are_lacking(whole: bool) -> None:  # noqa: FBT001
    about = {"kind": "ReplicaSet", "name": "op-web-1", "uid": "r"}
    told = events.current(
        [{"reason": "FailedCreate", "message": "x", "involvedObject": about}], [], whole=whole, ready=False
    )
    assert bool(told) is not whole


@pytest.mark.parametrize("ready", [True, False])
def test_that_a_replica_was_made_anew_is_told_until_all_are_ready(*, ready: bool) -> None:
    about = {"kind": "LeaderWorkerSet", "name": "op-decode"}
    event = {"reason": "RecreateGroup", "message": "Worker pod x failed", "involvedObject": about}
    assert bool(events.current([event], [], whole=True, ready=ready)) is not ready
