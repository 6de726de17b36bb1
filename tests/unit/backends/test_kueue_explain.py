"""What Kueue is said to decide, from Workloads as it leaves them."""

from __future__ import annotations

from typing import Any

import pytest

from helm_roster import constants
from helm_roster.backend_base import Decision
from helm_roster.backends.kueue.explaining import explain
from helm_roster.manifests.walk import Manifest
from helm_roster.model.live import LiveGroup

from tests.unit import live_objects
from tests.unit.asks import Asked
from tests.unit.backends.kueue_live import (
    GPU,
    KNOWN,
    NAME,
    ago,
    condition,
    group,
    pod,
    queues,
    workload,
)  # fmt: skip

FULL = f"couldn't assign flavors to pod set learner: insufficient unused quota for {GPU} in flavor f0, 1 more needed"
PENDING = condition("QuotaReserved", "False", "Pending", FULL)
RESERVED = condition("QuotaReserved", "True", "QuotaReserved", "Quota reserved in ClusterQueue whole")
ADMITTED = (RESERVED, condition("Admitted", "True", "Admitted", "The workload is admitted"))
EVICTED = condition("Evicted", "True", "Preempted", "Preempted to accommodate a workload (UID: 1)")
LEARNER = group("learner", 2, pod("l-0"), pod("l-1"))


def decide(*objects: Manifest, groups: tuple[LiveGroup, ...] = (LEARNER,), known: Any = KNOWN) -> list[Decision]:
    return list(explain(live_objects.live(*groups), Asked(known, *objects)))


def only(*objects: Manifest, **more: Any) -> Decision:
    (found,) = decide(*objects, **more)
    assert (found.stage, found.group) == ("quota", "learner")
    return found


@pytest.mark.parametrize(
    ("made", "state", "words"),
    [
        pytest.param(workload(PENDING), "waiting", FULL, id="full now"),
        pytest.param(
            workload(condition("QuotaReserved", "False", "WaitingForQuota", FULL)), "waiting", FULL, id="newer reason"
        ),
        pytest.param(workload(), "waiting", "has not decided on it yet", id="no word yet"),
        pytest.param(
            workload(condition("QuotaReserved", "False", "Inadmissible", "LocalQueue team is inactive")),
            "inadmissible", "LocalQueue team is inactive", id="closed",
        ),
        pytest.param(workload(*ADMITTED), "admitted", "", id="admitted"),
        pytest.param(
            workload(*ADMITTED, condition("Evicted", "False", "QuotaReserved", "Previously: …")),
            "admitted", "", id="admitted again",
        ),
        pytest.param(workload(EVICTED, *ADMITTED), "preempted", "Preempted to accommodate", id="being preempted"),
        pytest.param(workload(EVICTED, PENDING), "preempted", "Preempted to accommodate", id="preempted"),
        pytest.param(
            workload(condition("Evicted", "True", "ClusterQueueStopped", "The ClusterQueue is stopped"), PENDING),
            "evicted", "The ClusterQueue is stopped", id="drained",
        ),
        pytest.param(
            workload(PENDING, active=False), "deactivated",
            "the Workload is deactivated; helm roster resume has it admitted again", id="by hand",
        ),
        pytest.param(
            workload(condition("Evicted", "True", "ClusterQueueStopped", "The queue is stopped"), active=False),
            "deactivated", "the Workload is deactivated; The queue is stopped", id="evicted before",
        ),
        pytest.param(
            workload(condition("Evicted", "True", "Deactivated", "The workload is deactivated"), active=False),
            "deactivated", "The workload is deactivated", id="deactivated in its words",
        ),
        pytest.param(
            workload(condition("Evicted", "True", "Deactivated", "The workload is deactivated"), PENDING),
            "waiting", FULL, id="activated again",
        ),
        pytest.param(
            workload(*ADMITTED, condition("WaitingForReplacementPods", "True", "PodsFailed", "Some Failed pods")),
            "admitted", "Some Failed pods", id="a pod is replaced",
        ),
    ],
)  # fmt: skip
def test_a_workload_stands_as_the_condition_that_counts_says(made: Manifest, state: str, words: str) -> None:
    found = only(made, *queues())
    assert found.state == state
    assert words in found.message


@pytest.mark.parametrize(("gated", "state"), [(True, "inadmissible"), (False, "finished")])
def test_pods_that_wait_for_a_workload_that_is_over_wait_for_ever(gated: bool, state: str) -> None:  # noqa: FBT001
    over = condition("Finished", "True", "FailedToStart", "invalid admission check PodSetUpdate")
    found = only(workload(*ADMITTED, over), groups=(group("learner", 1, pod("l-0", gated=gated)),))
    assert (found.state, "pods are never admitted" in found.message) == (state, gated)
    assert "invalid admission check" in found.message


def test_checks_of_the_queue_hold_a_workload_that_has_its_quota() -> None:
    made = workload(RESERVED)
    made["status"]["admissionChecks"] = [
        {"name": "budget", "state": "Pending", "message": "asked"},
        {"name": "nodes", "state": "Ready", "message": "here"},
    ]
    found = only(made, *queues())
    assert (found.state, found.message) == ("waiting", "admission check budget is Pending: asked")


def test_each_member_of_a_gang_is_told_what_its_one_workload_is_told() -> None:
    groups = (LEARNER, group("rollout", 1, pod("r-0")))
    found = decide(workload(PENDING), *queues(), groups=groups)
    assert [(one.gang, one.group, one.message) for one in found] == [
        ("step", "learner", FULL), ("step", "rollout", FULL),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("objects", "words"),
    [
        pytest.param(queues(3), "it never fits into ClusterQueue whole: ",
                     id="too little"),
        pytest.param(queues(3, flavors=2), "", id="by two flavors"),
        pytest.param(queues(2, flavors=2), "it never fits into ClusterQueue whole: learner can take no flavor",
                     id="a podSet is of one flavor"),
    ],
)  # fmt: skip
def test_what_a_queue_can_never_give_is_told_apart_from_what_is_in_use(objects: list[Manifest], words: str) -> None:
    found = only(workload(PENDING, sets={"learner": 3, "rollout": 1}), *objects)
    assert ("never fits" in found.message) == bool(words)
    assert words in found.message
    assert FULL in found.message


@pytest.mark.parametrize(
    ("limit", "others", "fits"),
    [(None, 2, True), (None, 0, False), ("1", 2, False), ("2", 2, True)],
    ids=["borrows", "nothing to borrow", "may not borrow enough", "borrows within its limit"],
)
def test_a_queue_of_a_cohort_gives_what_it_may_borrow(limit: str | None, others: int, fits: bool) -> None:  # noqa: FBT001
    flavor, local, mine = queues(2, cohortName="all")
    mine["spec"]["resourceGroups"][0]["flavors"][0]["resources"][0]["borrowingLimit"] = limit
    other = queues(others, cohortName="all")[-1] | {"metadata": {"name": "other"}}
    found = only(workload(PENDING, sets={"learner": 4}), flavor, local, mine, other)
    assert ("never fits" not in found.message) == fits


def test_who_may_not_read_cluster_queues_is_told_kueues_own_words() -> None:
    found = only(workload(PENDING, sets={"learner": 9}), *queues(), known=("Workload", "LocalQueue"))
    assert found.message == FULL


def test_what_is_in_use_of_a_full_queue_is_told() -> None:
    found = only(workload(PENDING), *queues(3, 2))
    assert found.message == f"{FULL}; ClusterQueue whole has 2 of 3 {GPU} in use"


@pytest.mark.parametrize(
    ("objects", "words"),
    [
        pytest.param([], 'make LocalQueue "team" in namespace "team"', id="missing"),
        pytest.param(queues(policy="HoldAndDrain"), "ClusterQueue whole has stopPolicy HoldAndDrain", id="stopped"),
    ],
)
def test_a_queue_that_lets_nothing_in_is_told_with_the_way_out(objects: list[Manifest], words: str) -> None:
    said = condition("QuotaReserved", "False", "Inadmissible", "LocalQueue team doesn't exist")
    found = only(workload(said), *objects)
    assert found.state == "inadmissible"
    assert found.message.startswith("LocalQueue team doesn't exist; ")
    assert words in found.message


def test_a_flavor_that_is_missing_is_told_in_the_words_of_the_queue() -> None:
    *rest, cluster = queues()
    said = "Can't admit new workloads: references missing ResourceFlavor(s): [f0]."
    cluster["status"]["conditions"] = [condition("Active", "False", "FlavorNotFound", said)]
    assert said in only(workload(PENDING), *rest, cluster).message


def test_a_queue_that_is_being_deleted_is_told_which_kueue_calls_inactive_only() -> None:
    *rest, cluster = queues()
    cluster["metadata"]["deletionTimestamp"] = ago(3)
    said = workload(condition("QuotaReserved", "False", "Inadmissible", "ClusterQueue whole is inactive"))
    assert "ClusterQueue whole: it is being deleted, and goes once" in only(said, *rest, cluster).message


def test_a_lowered_quota_evicts_nobody_and_tells_what_a_restart_would_meet() -> None:
    running = group("learner", 2, pod("l-0", gated=False), pod("l-1", gated=False))
    found = only(workload(*ADMITTED), *queues(1, 2), groups=(running,))
    assert found.state == "admitted"
    assert f"ClusterQueue whole has 2 of 1 {GPU} in use; nobody is evicted, and all pods wait if" in found.message


def event(reason: str, message: str, *, uid: str = "before", seconds: float = 6) -> Manifest:
    return {
        "apiVersion": "v1", "kind": "Event", "reason": reason, "message": message, "lastTimestamp": ago(seconds),
        "metadata": {"name": f"{reason}{seconds}", "namespace": "team"},
        "involvedObject": {"kind": "Workload", "name": NAME, "uid": uid},
    }  # fmt: skip


@pytest.mark.parametrize(
    ("told", "state"),
    [
        pytest.param(event("EvictedDueToPreempted", "Preempted by another"), "preempted", id="preempted"),
        pytest.param(event("EvictedDueToClusterQueueStopped", "stopped"), "evicted", id="drained"),
        pytest.param(event("EvictedDueToPreempted", "long ago", seconds=300), "waiting", id="long ago"),
        pytest.param(event("QuotaReserved", "reserved"), "waiting", id="no eviction"),
    ],
)
def test_what_evicted_a_workload_that_was_collected_is_told_of_the_next_one(told: Manifest, state: str) -> None:
    found = only(workload(PENDING), *queues(), told)
    assert found.state == state
    assert (told["message"] in found.message) == (state != "waiting")


def test_an_eviction_of_before_is_nothing_to_one_that_is_admitted() -> None:
    assert only(workload(*ADMITTED), event("EvictedDueToPreempted", "Preempted by another")).state == "admitted"


@pytest.mark.parametrize(
    ("age", "total", "words"),
    [
        pytest.param(5, 2, "Kueue has not decided on it yet", id="just made"),
        pytest.param(90, 2, 'it does not manage namespace "team" (managedJobsNamespaceSelector)', id="nobody cares"),
        pytest.param(90, 3, "Kueue waits for all 3 pods of the gang, and there are 2 (2 of learner)", id="incomplete"),
    ],
)
def test_pods_without_a_workload_are_not_gated_unnoticed(age: float, total: int, words: str) -> None:
    held = (pod(name, age=age, total=total) for name in ("l-0", "l-1"))
    found = only(groups=(group("learner", 2, *held, total=total),))
    assert found.state == "waiting"
    assert words in found.message


def test_a_missing_class_is_told_of_which_kueue_says_nothing() -> None:
    held = pod("l-0")
    held["metadata"]["labels"] |= {"kueue.x-k8s.io/priority-class": "high"}
    found = only(groups=(group("learner", 2, held),), known=(*KNOWN, "WorkloadPriorityClass"))
    assert 'there is no WorkloadPriorityClass "high"' in found.message


@pytest.mark.parametrize(("kind", "name"), [("StatefulSet", "learner"), ("Job", "main")])
def test_admitted_pods_without_a_place_are_told_which_nodes_their_quota_is_of(kind: str, name: str) -> None:
    waits = group("learner", 1, live_objects.pod("l-0", node="", says="no node"), kind=kind)
    waits.pods[0]["metadata"]["creationTimestamp"] = ago(90)
    flavor, *rest = queues()
    made = workload(*ADMITTED, owner="uid-of-learner")
    made["status"]["admission"] = {"podSetAssignments": [{"name": name, "flavors": {GPU: "f0"}}]}
    flavor["spec"] = {"nodeLabels": {"example.org/kind": "a"}}
    found = only(made, flavor, *rest, groups=(waits,))
    assert found.message == "its quota is of flavor f0, of nodes with example.org/kind=a"


@pytest.mark.parametrize(("says", "words"), [("no node", "its quota is of flavor f0"), ("", "")])
def test_pods_of_a_job_or_on_their_own_are_told_so_once_a_scheduler_finds_no_place(says: str, words: str) -> None:
    waits = live_objects.pod("l-0", node="", says=says)
    waits["metadata"]["creationTimestamp"] = ago(5)
    flavor, *rest = queues()
    flavor["spec"] = {"nodeLabels": {"example.org/kind": "a"}}
    for kind, labels in (("Job", {"kueue.x-k8s.io/job-uid": "uid-of-learner"}), ("StatefulSet", {})):
        made = workload(*ADMITTED, name="one", owner=waits["metadata"]["uid"], labels=labels)
        made["status"]["admission"] = {"podSetAssignments": [{"name": "main", "flavors": {GPU: "f0"}}]}
        found = only(made, flavor, *rest, groups=(group("learner", 1, waits, kind=kind, gang=""),))
        assert words in found.message
        assert bool(words) is bool(found.message)


@pytest.mark.parametrize(
    ("more", "told"),
    [
        ({"suspend": True}, "manages the Jobs of learner by itself (manageJobsWithoutQueueName), and so never lets in"),
        ({"queue": "default"}, "manages the Jobs of learner by itself (LocalQueue default is in the namespace)"),
        ({}, "its Job has no pods: after an eviction its controller makes them after a pause"),
    ],
)
def test_jobs_of_a_gang_tell_why_there_is_no_workload(more: Manifest, told: str) -> None:
    """Kueue has taken one over, or its controller pauses."""
    made = group("learner", 2, kind="Job")
    held = made.workload or {}
    held["metadata"]["labels"] = {"kueue.x-k8s.io/queue-name": more["queue"]} if "queue" in more else {}
    held["spec"] |= {"template": group("learner", 2).workload["spec"]["template"], "suspend": "suspend" in more}  # type: ignore[index]
    if "queue" in more:
        made = made.replace(pods=(pod("l-0"),))
    assert told in only(groups=(made,)).message


def test_jobs_that_we_suspended_are_not_taken_for_kueues() -> None:
    made = group("learner", 2, kind="Job", suspend=True)
    held = made.workload or {}
    held["metadata"] |= {"labels": {}, "annotations": {constants.SUSPENDED_ANNOTATION: "true"}}
    held["spec"]["template"] = group("learner", 2).workload["spec"]["template"]  # type: ignore[index]
    assert "manages the Jobs" not in only(groups=(made,)).message


def test_pods_that_do_not_agree_on_their_number_are_told() -> None:
    held = (pod("l-0", age=90), pod("l-1", age=90, total=3))
    assert "do not agree on how many they are (2, 3)" in only(groups=(group("learner", 2, *held),)).message


@pytest.mark.parametrize(("age", "words"), [(5, ""), (90, "2 pods keep a gate: ask whether Kueue runs")])
def test_pods_that_stay_gated_though_they_are_admitted_are_told(age: float, words: str) -> None:
    held = group("learner", 2, pod("l-0", age=age), pod("l-1", age=age))
    assert only(workload(*ADMITTED), groups=(held,)).message == words


def test_kueue_that_says_nothing_of_a_workload_is_told() -> None:
    assert "has said nothing of Workload op-step-1a2b for 90 s" in only(workload(age=90), *queues()).message


@pytest.mark.parametrize(
    ("known", "words"),
    [((), "the cluster serves no Workload (kueue.x-k8s.io/v1beta2) any more")],
)
def test_workloads_that_cannot_be_read_are_told_where_pods_wait(known: Any, words: str) -> None:
    assert words in only(known=known).message
    running = group("learner", 1, pod("l-0", gated=False))
    assert decide(groups=(running,), known=known) == []


def single(name: str, *conditions: Manifest) -> Manifest:
    return workload(*conditions, name=f"pod-{name}", sets={"main": 1}, owner=f"uid-{name}")


def test_pods_that_are_admitted_one_by_one_are_counted_not_listed() -> None:
    found = group("extra", 3, *(pod(f"e-{n}", gated=n > 0, alone=True) for n in range(3)), gang="")
    objects = [single("e-0", *ADMITTED), single("e-1", PENDING), single("e-2", PENDING)]
    (one,) = decide(*objects, *queues(), groups=(found,))
    assert (one.gang, one.state, one.message) == ("", "waiting", f"{FULL}; 1 of 3 pods is admitted")


def test_a_group_whose_pods_are_all_admitted_is_admitted() -> None:
    found = group("extra", 1, pod("e-0", gated=False, alone=True), gang="")
    (one,) = decide(single("e-0", *ADMITTED), groups=(found,))
    assert (one.state, one.message) == ("admitted", "")


def test_a_group_whose_pods_are_still_to_come_is_not_admitted() -> None:
    assert [one.state for one in decide(groups=(group("extra", 2, gang=""),))] == ["waiting"]


def test_single_pods_that_nobody_looks_at_are_told() -> None:
    found = group("extra", 1, pod("e-0", age=90, alone=True), gang="")
    assert "Kueue has made no Workload for it for 90 s" in decide(groups=(found,))[0].message


def test_a_lowered_quota_tells_what_the_replacement_of_a_single_pod_would_meet() -> None:
    found = group("extra", 1, pod("e-0", gated=False, alone=True), gang="")
    (one,) = decide(single("e-0", *ADMITTED), *queues(0, 1), groups=(found,))
    assert "a pod that replaces one of these waits" in one.message


def test_a_job_is_known_by_its_uid() -> None:
    job = group("learner", 2, kind="Job", gang="step", suspend=True)
    labels = {"kueue.x-k8s.io/job-uid": "uid-of-learner"}
    found = only(workload(PENDING, name="job-learner-0", labels=labels), *queues(), groups=(job,))
    assert (found.state, found.message) == ("waiting", FULL)


@pytest.mark.parametrize(
    ("age", "labels", "words"),
    [
        (5, {}, "Kueue has not decided on it yet"),
        (90, {}, 'Kueue has made no Workload for it for 90 s: it does not run, its integration "batch/job" is off'),
        (5, {"kueue.x-k8s.io/priority-class": "high"}, 'there is no WorkloadPriorityClass "high"'),
    ],
    ids=["just made", "nobody cares", "no class"],
)
def test_a_job_without_a_workload_is_not_suspended_unnoticed(age: float, labels: dict[str, str], words: str) -> None:
    job = group("learner", 2, kind="Job", gang="step", suspend=True)
    metadata = (job.workload or {})["metadata"]
    metadata["creationTimestamp"] = ago(age)
    metadata["labels"] |= labels
    assert words in only(groups=(job,), known=(*KNOWN, "WorkloadPriorityClass")).message


def test_nothing_is_said_of_a_job_that_is_over() -> None:
    over = group("learner", 2, kind="Job", conditions=[condition("Complete", "True")])
    assert decide(groups=(over,)) == []


def test_nothing_is_asked_where_nothing_is_admitted() -> None:
    bare = live_objects.group("router", 1)
    assert decide(groups=(bare,), known=()) == []
