"""When a wait ends, rule by rule; ``now`` is in seconds."""

from __future__ import annotations

from typing import Any

import pytest

from helm_roster.constants import Goal
from helm_roster.manifests.walk import Manifest
from helm_roster.model.live import LiveGroup
from helm_roster.policy.waiting import Seen, Waiting

from tests.unit import live_objects as make

READY = make.ready_pod("r")
STARTING = make.pod("s", make.container())
UNBOUND = make.pod("u", node="", says="0/3 nodes are available")
COMPLETE = {"type": "Complete", "status": "True"}
FAILED = {"type": "Failed", "status": "True", "reason": "BackoffLimitExceeded"}
NO_IMAGE = {"reason": "ImagePullBackOff", "message": "Back-off pulling image: ErrImagePull: x: not found"}
BUSY_REGISTRY = {"reason": "ImagePullBackOff", "message": "Back-off pulling image: i/o timeout"}


def down(name: str, restarts: int) -> Manifest:
    last = {"exitCode": 1, "reason": "Error"}
    return make.pod(name, make.container(waiting={"reason": "CrashLoopBackOff"}, last=last, restarts=restarts))


def waiting(name: str, state: dict[str, str]) -> Manifest:
    return make.pod(name, make.container(waiting=state))


def router(*requires: str, ready: bool = True) -> LiveGroup:
    return make.group("router", 1, READY if ready else STARTING, router="true", requires=",".join(requires))


def job(*pods: Manifest, replicas: int = 1, conditions: tuple[dict[str, str], ...] = (), **more: Any) -> LiveGroup:
    return make.group("worker", replicas, *pods, kind="Job", of="job", conditions=list(conditions), **more)


def deployment(name: str, front: Manifest, worker: Manifest) -> list[LiveGroup]:
    """Return a router and the group that it requires, with one pod each."""
    return [make.group(f"front-{name}", 1, front, router="true", requires=name), make.group(name, 1, worker)]


def seen(*groups: LiveGroup, **more: Any) -> Seen:
    return Seen(live=make.live(*groups), **{"helm": "deployed", **more})


def ends(found: Seen | None, goal: Goal = "ready", *, after: float = 0, **more: Any) -> str:
    """Return how a wait is that sees the same now and ``after`` so many seconds."""
    task = Waiting(goal=goal, met=True, **more)
    task.judge(found, 100.0)
    return task.judge(found, 100.0 + after).state


REACHED: dict[str, tuple[Seen | None, Goal]] = {
    "a usable service": (seen(router("d"), make.group("d", 2, READY, STARTING)), "ready"),
    "a service without router": (seen(make.group("a", 1, READY)), "ready"),
    "two routers": (seen(*deployment("a", READY, READY), *deployment("b", READY, READY)), "ready"),
    "a job whose pods run": (seen(job(READY)), "ready"),
    "all pods placed, none ready": (seen(make.group("a", 1, STARTING), job(STARTING)), "placed"),
    "a crash loop has its place": (seen(make.group("a", 1, down("p", 9))), "placed"),
    "a complete job": (seen(job(conditions=(COMPLETE,))), "complete"),
    "nothing is left": (None, "deleted"),
    "only a record that Helm keeps is left": (Seen(live=make.live(), helm="uninstalled"), "deleted"),
}
# Helm 3, and Helm 4: its own waiting for the pods ended, and nothing else.
ONLY_WAITED = (
    'Release "op" failed: context deadline exceeded',
    'Upgrade "op" failed: timed out waiting for the condition',
    'Upgrade "op" failed: resource Deployment/team/op-web not ready. message: context deadline exceeded',
)
NOT_APPLIED = (
    'Upgrade "op" failed: pre-upgrade hooks failed: timed out waiting for the condition',
    'Upgrade "op" failed: pre-upgrade hooks failed: resource Job/team/x not ready. message: context deadline exceeded',
    'Release "op" failed: failed post-install: timed out waiting for the condition',
    'Upgrade "op" failed: cannot patch "op-web" with kind Deployment: Patch "https://c": context deadline exceeded',
    'Upgrade "op" failed: Patch "https://c/x": context deadline exceeded',
    'Release "op" failed: resource Job/team/op-a not ready. status: Failed, message: too often',
)
WAITING: dict[str, tuple[Seen | None, Goal]] = {
    "one pod of two without router": (seen(make.group("a", 2, READY, STARTING)), "ready"),
    "the second of two routers": (seen(*deployment("a", READY, READY), *deployment("b", STARTING, READY)), "ready"),
    "a group of the second of two routers": (
        seen(*deployment("a", READY, READY), *deployment("b", STARTING, STARTING)),
        "ready",
    ),
    "a required group without a ready pod": (seen(router("d"), make.group("d", 1, STARTING)), "ready"),
    "pods without a node": (seen(make.group("a", 2, READY, UNBOUND)), "placed"),
    "quota": (seen(make.group("a", 1), notes={"a": "exceeded quota: q"}), "ready"),
    "a pod that never gets ready": (seen(make.group("a", 1, STARTING)), "ready"),
    "Helm is at work": (seen(make.group("a", 1, READY), helm="pending-install"), "ready"),
    "Helm has made no object yet": (Seen(live=make.live(), helm="pending-install"), "ready"),
    "only the first grouping object is made": (Seen(live=make.live(grouping=({"kind": "Group"},))), "placed"),
    "a missing group while Helm is at work": (seen(router("d"), helm="pending-upgrade"), "ready"),
    "a job that runs": (seen(job(READY)), "complete"),
    "pods are left": (seen(make.group("a", 1, READY)), "deleted"),
    "a Job retries a pod that crashes": (seen(job(down("p", 9))), "complete"),
    "one of two workers crashes, one starts": (seen(router("d"), make.group("d", 2, down("p", 9), STARTING)), "ready"),
    "a group crashes that nobody needs": (
        seen(router("d"), make.group("d", 1, STARTING), make.group("x", 1, down("p", 9))),
        "ready",
    ),
    "a placed pod crashes and another has no node": (seen(make.group("a", 2, down("p", 9), UNBOUND)), "placed"),
    "pods are left of which Helm keeps only a record": (seen(make.group("a", 1, READY), helm="uninstalled"), "deleted"),
    "few restarts": (seen(make.group("a", 1, down("p", 4))), "ready"),
    "a required group that its autoscaler has at zero": (
        seen(router("d"), make.group("d", 0, autoscaler="x")),
        "ready",
    ),
}
OLD = {"labels": {"pod-template-hash": "old"}}


@pytest.mark.parametrize(("found", "goal"), REACHED.values(), ids=REACHED)
def test_what_is_so_is_reached(found: Seen | None, goal: Goal) -> None:
    assert ends(found, goal) == "reached"


@pytest.mark.parametrize(("found", "goal"), WAITING.values(), ids=WAITING)
def test_what_may_become_so_is_waited_for_however_long(found: Seen | None, goal: Goal) -> None:
    assert ends(found, goal, after=10_000) == "waiting"


@pytest.mark.parametrize("failure", ONLY_WAITED)
def test_where_only_helms_own_waiting_ended_the_pods_decide(failure: str) -> None:
    assert ends(seen(make.group("a", 1, READY), helm="failed", failure=failure)) == "reached"


@pytest.mark.parametrize("failure", NOT_APPLIED)
def test_a_revision_that_failed_otherwise_is_a_fault_though_the_time_was_over_too(failure: str) -> None:
    assert ends(seen(make.group("a", 1, READY), helm="failed", failure=failure)) == "failed"


NAMED = 'Back-off pulling image "r.io/denied/x:not found": ErrImagePull: r.io/unauthorized:v1: i/o timeout'


def test_the_name_of_an_image_says_nothing_of_whether_it_is_there() -> None:
    pod = waiting("p", {"reason": "ImagePullBackOff", "message": NAMED})
    assert ends(seen(make.group("a", 1, pod)), after=119) == "waiting"


CREATING = {"reason": "ContainerCreating"}
NO_CLAIM = make.pod("u", node="", says='0/3 nodes are available: persistentvolumeclaim "models" not found')
FAULTS: dict[str, tuple[Seen, float]] = {
    "a failed Job": (seen(job(conditions=(FAILED,))), 0),
    "an image that is not there": (seen(make.group("a", 1, waiting("p", NO_IMAGE))), 0),
    "an image whose name is none": (seen(make.group("a", 1, waiting("p", {"reason": "InvalidImageName"}))), 0),
    "an image that cannot be pulled now": (seen(make.group("a", 1, waiting("p", BUSY_REGISTRY))), 120),
    "five restarts": (seen(make.group("a", 1, down("p", 5))), 0),
    "all workers of one of two routers crash": (
        seen(*deployment("a", READY, READY), *deployment("b", STARTING, down("p", 5))),
        0,
    ),
    "all workers of a router crash": (seen(router("d"), make.group("d", 2, down("p", 5), down("q", 5))), 0),
    "a rollout past its deadline": (
        seen(make.group("a", 1, STARTING, conditions=[{"type": "Progressing", "reason": "ProgressDeadlineExceeded"}])),
        0,
    ),
    "a failed revision": (seen(make.group("a", 1, READY), helm="failed", failure="exceeded quota"), 0),
    "a workload that is gone": (seen(router("d")), 5),
    "a gang that cannot go on": (seen(make.group("a", 1, UNBOUND), broken={"a": "its group is gone"}), 5),
    "a required group without replicas": (seen(router("d"), make.group("d", 0)), 5),
    "objects that are gone although Helm has a record": (Seen(live=make.live(), helm="deployed"), 5),
    "a key that is missing": (
        seen(
            make.group("a", 1, waiting("p", {"reason": "CreateContainerConfigError", "message": "couldn't find key"}))
        ),
        30,
    ),
    "a claim that is missing": (seen(make.group("a", 1, NO_CLAIM)), 30),
    "pods that cannot be created": (seen(make.group("a", 1), notes={"a": "serviceaccount x not found"}), 30),
    "an evicted pod that nobody replaces": (seen(make.group("a", 1, make.pod("p", phase="Failed"))), 120),
}


@pytest.mark.parametrize(("found", "grace"), FAULTS.values(), ids=FAULTS)
def test_what_does_not_heal_fails_after_its_grace_and_no_sooner(found: Seen, grace: float) -> None:
    assert ends(found, after=grace) == "failed"
    assert not grace or ends(found, after=grace - 1) == "waiting"


def unmounted(last: str) -> Seen:
    """Return a pod whose volume was told to be missing, the last time in that second."""
    text = 'MountVolume.SetUp failed for volume "x" : secret "key" not found'
    event = make.event("FailedMount", text, "p", lastTimestamp=f"2026-11-29T12:00:{last}Z")
    return seen(make.group("a", 1, waiting("p", CREATING), events=[event]))


def test_a_volume_that_cannot_be_mounted_is_a_fault_once_it_was_told_again_after_the_grace() -> None:
    task = Waiting(goal="ready")
    states = [task.judge(unmounted(last), now).state for last, now in (("00", 0), ("29", 29), ("29", 90), ("31", 91))]
    assert states == ["waiting", "waiting", "waiting", "failed"]


def test_a_fault_that_was_gone_meanwhile_begins_anew() -> None:
    task, fault = Waiting(goal="ready"), seen(router("d"))
    task.judge(fault, 0.0)
    task.judge(seen(router("d"), make.group("d", 1, STARTING)), 3.0)
    assert [task.judge(fault, now).state for now in (4.0, 8.0, 9.0)] == ["waiting", "waiting", "failed"]


def test_a_back_off_and_the_pull_before_it_are_one_fault() -> None:
    task = Waiting(goal="ready")
    states = [seen(make.group("a", 1, waiting("p", {**BUSY_REGISTRY, "reason": reason})))
              for reason in ("ErrImagePull", "ImagePullBackOff")]  # fmt: skip
    assert [task.judge(states[now % 2], now).state for now in (0, 61, 120)] == ["waiting", "waiting", "failed"]


def test_the_number_of_restarts_may_be_chosen() -> None:
    assert ends(seen(make.group("a", 1, down("p", 1))), restarts=1) == "failed"


@pytest.mark.parametrize(
    "found",
    [
        seen(make.group("a", 1, READY), helm="uninstalling"),
        seen(make.group("a", 1, READY, terminating=True), helm=""),
        seen(make.group("a", 1, make.pod("p", terminating=True)), helm="uninstalled"),
        seen(make.group("r", 1, READY, router="true", requires="d", terminating=True), helm=""),
        None,
    ],
    ids=["Helm uninstalls", "its workload is being deleted", "pods are left", "a router after its workers", "gone"],
)
def test_what_is_deleted_meanwhile_ends_the_wait_for_anything_else(found: Seen | None) -> None:
    assert ends(found) == "cancelled"


def test_what_was_never_there_is_absent() -> None:
    assert Waiting(goal="ready").judge(None, 0.0).state == "absent"


def upgraded(*pods: Manifest) -> Seen:
    """Return a service in a rollout: pods with ``OLD`` are of the old template."""
    found = make.group("a", 1, *pods)
    return Seen(
        live=make.live(LiveGroup(name="a", workload=found.workload, pods=pods, template="new")), helm="deployed"
    )


def test_pods_of_an_old_template_are_neither_ready_nor_at_fault() -> None:
    old_ready = make.pod("o", make.container(ready=True), ready=True, **OLD)
    old_down = {**down("o", 9), "metadata": old_ready["metadata"]}
    new_down = {**waiting("n", NO_IMAGE), "metadata": {"name": "n", "labels": {"pod-template-hash": "new"}}}
    assert [ends(upgraded(old)) for old in (old_ready, old_down)] == ["waiting", "waiting"]
    assert ends(upgraded(old_ready, new_down)) == "failed"
    assert Waiting(goal="ready").judge(upgraded(old_ready, new_down), 0.0).old == {"a": 1}


@pytest.mark.parametrize("goal", ["ready", "placed"])
def test_a_suspended_operation_is_waited_for_until_somebody_resumes_it(goal: Goal) -> None:
    out = make.group("decode", 0, suspended="4")
    assert ends(seen(router("decode"), out), goal, after=3600) == "waiting"


def test_replicas_that_are_made_anew_again_and_again_are_a_fault_and_those_of_an_hour_ago_are_not() -> None:
    def look(last: int) -> Seen:
        event = make.event("RecreateGroup", "Worker pod x failed", "p", lastTimestamp=f"2026-11-29T12:{last:02}:00Z")
        return seen(make.group("d", 1, STARTING, events=[event]))

    task = Waiting(goal="ready", met=True)
    assert [task.judge(look(0), now).state for now in (0.0, 60.0, 300.0)] == ["waiting"] * 3
    assert [task.judge(look(minute), 60.0 * minute).state for minute in (6, 7, 8)] == ["failed"] * 3
