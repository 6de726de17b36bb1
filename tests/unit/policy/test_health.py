"""The verdict on an operation, rule by rule."""

from __future__ import annotations

import pytest

from helm_roster.manifests.walk import Manifest
from helm_roster.model.live import Live, LiveGroup
from helm_roster.policy import health

from tests.unit import live_objects as make

CRASHING = make.pod(
    "x", make.container(waiting={"reason": "CrashLoopBackOff"}, last={"exitCode": 1, "reason": "Error"})
)
UNBOUND = make.pod("u", node="", says="0/3 nodes are available")
STARTING = make.pod("s", make.container())
READY = make.ready_pod("r")
COMPLETE = {"type": "Complete", "status": "True"}
FAILED = {"type": "Failed", "status": "True", "reason": "BackoffLimitExceeded", "message": "too often"}


def router(*requires: str, ready: bool = True) -> LiveGroup:
    return make.group("router", 1, READY if ready else STARTING, router="true", requires=",".join(requires))


def job(name: str, *conditions: dict[str, str], **more: str) -> LiveGroup:
    return make.group(name, 1, kind="Job", of="job", conditions=list(conditions), **more)


def owned_by(uid: str) -> Manifest:
    return {"name": "o", "ownerReferences": [{"kind": "Job", "uid": uid, "controller": True}]}


def deployment(name: str, serving: Manifest, workers: Manifest, **more: str) -> list[LiveGroup]:
    """Return a router and the group that it requires, with one pod each."""
    front = make.group(f"front-{name}", 1, serving, router="true", requires=name)
    return [front, make.group(name, 1, workers, **more)]


ASLEEP = make.group("decode", 0, autoscaler="keda")

SERVICES = {
    "all ready": (make.live(router("decode"), make.group("decode", 1, READY)), "Ready", True),
    "one of two ready": (make.live(router("decode"), make.group("decode", 2, READY, STARTING)), "Degraded", True),
    "required group not ready": (make.live(router("decode"), make.group("decode", 1, STARTING)), "Starting", False),
    "router not ready": (make.live(router("d", ready=False), make.group("d", 1, READY)), "Starting", False),
    "required group crashes": (make.live(router("decode"), make.group("decode", 1, CRASHING)), "Failing", False),
    "required group is gone": (make.live(router("decode")), "Failing", False),
    "required group has no replicas": (make.live(router("decode"), make.group("decode", 0)), "Failing", False),
    "required group is scaled to none by an autoscaler": (
        make.live(router("decode", ready=False), ASLEEP),
        "Starting",
        False,
    ),
    "one of two routers waits": (
        make.live(*deployment("a", READY, READY), *deployment("b", STARTING, STARTING)),
        "Degraded",
        False,
    ),
    "a worker of one of two routers crashes": (
        make.live(*deployment("a", READY, READY), *deployment("b", STARTING, CRASHING)),
        "Degraded",
        False,
    ),
    "none of two routers has all that it requires": (
        make.live(*deployment("a", READY, STARTING), *deployment("b", STARTING, READY)),
        "Starting",
        False,
    ),
    "both of two routers serve": (
        make.live(*deployment("a", READY, READY), *deployment("b", READY, READY)),
        "Ready",
        True,
    ),
    "another group crashes": (
        make.live(router("d"), make.group("d", 1, READY), make.group("e", 1, CRASHING)),
        "Degraded",
        True,
    ),
    "no router, all ready": (make.live(make.group("a", 1, READY), make.group("b", 1, READY)), "Ready", True),
    "no router, some ready": (make.live(make.group("a", 2, READY, UNBOUND)), "Degraded", False),
    "no router, one group waits": (
        make.live(make.group("a", 1, READY), make.group("b", 1, UNBOUND)),
        "WaitingForPlacement",
        False,
    ),
    "no router, an auxiliary group crashes": (
        make.live(make.group("a", 1, READY), make.group("b", 1, CRASHING, lifecycle="auxiliary")),
        "Degraded",
        True,
    ),
    "no router, a primary group crashes beside an auxiliary one": (
        make.live(make.group("a", 1, CRASHING), make.group("b", 1, READY, lifecycle="auxiliary")),
        "Failing",
        False,
    ),
    "no node": (make.live(router("decode"), make.group("decode", 1, UNBOUND)), "WaitingForPlacement", False),
    "no pods yet": (make.live(make.group("a", 1)), "Starting", False),
    "scaled to zero": (make.live(make.group("a", 0)), "Ready", True),
    "being deleted": (make.live(make.group("a", 1, READY, terminating=True)), "Terminating", False),
    "nothing": (make.live(), "NotFound", False),
    "only a grouping object": (make.live(grouping=({"kind": "Group"},)), "Terminating", False),
}

JOBS = {
    "all complete": (make.live(job("a", COMPLETE), job("b", COMPLETE)), "Complete"),
    "one complete": (make.live(job("a", COMPLETE), make.group("b", 1, STARTING, kind="Job", of="job")), "Starting"),
    "one failed": (make.live(job("a", COMPLETE), job("b", FAILED)), "Failed"),
    "an auxiliary one failed": (make.live(job("a", COMPLETE), job("b", FAILED, lifecycle="auxiliary")), "Complete"),
    "what serves it still runs": (
        make.live(job("a", COMPLETE), make.group("b", 1, READY, of="job", lifecycle="auxiliary")),
        "Complete",
    ),
    "what serves it crashes": (
        make.live(
            make.group("a", 1, READY, kind="Job", of="job"),
            make.group("b", 1, CRASHING, of="job", lifecycle="auxiliary"),
        ),
        "Failing",
    ),
    "running": (make.live(make.group("a", 1, READY, kind="Job", of="job")), "Running"),
    "one pod done, one running": (
        make.live(make.group("a", 2, READY, make.pod("d", phase="Succeeded"), kind="Job", of="job")),
        "Running",
    ),
    "suspended": (make.live(make.group("a", 1, kind="Job", of="job", suspend=True)), "WaitingForQuota"),
}


@pytest.mark.parametrize(("live", "verdict", "ready"), SERVICES.values(), ids=SERVICES)
def test_a_service_is_judged_by_its_router_and_what_that_requires(live: Live, verdict: str, ready: bool) -> None:  # noqa: FBT001
    found = health.assess(live)
    assert (found.verdict, found.ready) == (verdict, ready)


@pytest.mark.parametrize(("live", "verdict"), JOBS.values(), ids=JOBS)
def test_a_job_is_judged_by_its_primary_groups(live: Live, verdict: str) -> None:
    assert health.assess(live).verdict == verdict


def test_a_failed_job_tells_why() -> None:
    problem = health.assess(make.live(job("a", FAILED))).groups[0].problems[0]
    assert (problem.reason, problem.message) == ("BackoffLimitExceeded", "too often")


def test_a_gang_that_cannot_go_on_fails_what_does_not_serve() -> None:
    found = health.assess(make.live(make.group("a", 1, UNBOUND)), broken=["its group is gone"])
    assert (found.verdict, found.broken) == ("Failing", ("its group is gone",))


def test_quota_that_forbids_pods_is_waited_for() -> None:
    found = health.assess(make.live(make.group("a", 1)), notes={"a": "pods is forbidden: exceeded quota: none"})
    assert found.verdict == "WaitingForQuota"
    assert [hold.message for _, hold in found.held("quota")] == ["pods is forbidden: exceeded quota: none"]


def test_pods_that_cannot_be_created_are_a_problem() -> None:
    found = health.assess(make.live(make.group("a", 1)), notes={"a": "serviceaccount x not found"})
    assert (found.verdict, found.groups[0].problems[0].reason) == ("Failing", "FailedCreate")


def test_an_old_failure_to_create_pods_that_are_there_now_does_not_count() -> None:
    found = health.assess(make.live(make.group("a", 1, READY)), notes={"a": "exceeded quota"})
    assert found.verdict == "Ready"


def test_a_failed_pod_whose_place_is_taken_is_over() -> None:
    failed = make.pod("old", make.container(terminated={"exitCode": 1, "reason": "Error"}), phase="Failed")
    found = health.assess(make.live(make.group("a", 1, READY, failed, kind="Job", of="job")))
    assert (found.verdict, found.groups[0].problems[0].recovered) == ("Running", True)


FAILED_POD = make.pod("old", make.container(terminated={"exitCode": 1, "reason": "Error"}), phase="Failed")
PASSING = {
    "a container that runs again and is not ready yet": make.group(
        "a", 1, make.pod("p", make.container(running={}, last={"exitCode": 137, "reason": "OOMKilled"}))
    ),
    "an init container that runs again": make.group(
        "a", 1, make.pod("p", initContainerStatuses=[make.container(last={"exitCode": 1, "reason": "Error"})])
    ),
    "a container that is about to be created again": make.group(
        "a", 1, make.pod("p", make.container(waiting={"reason": "ContainerCreating"}, last={"exitCode": 1}))
    ),
    "a Job's failed pod before the next": make.group("a", 1, FAILED_POD, kind="Job", of="job"),
    "one of a Job's failed pods": make.group("a", 2, FAILED_POD, STARTING, kind="Job", of="job"),
}
FAILING = {
    "a crash loop": make.group("a", 1, CRASHING),
    "a Job that is about to fail": make.group(
        "a", 1, FAILED_POD, kind="Job", of="job", conditions=[{"type": "FailureTarget", "status": "True"}]
    ),
    "an auxiliary Job that failed": make.group(
        "a", 1, FAILED_POD, kind="Job", of="job", conditions=[FAILED], lifecycle="auxiliary"
    ),
}


@pytest.mark.parametrize("group", PASSING.values(), ids=PASSING)
def test_what_passes_by_itself_does_not_fail_an_operation(group: LiveGroup) -> None:
    assert health.assess(make.live(group)).verdict == "Starting"


@pytest.mark.parametrize("group", FAILING.values(), ids=FAILING)
def test_what_does_not_pass_by_itself_fails_it(group: LiveGroup) -> None:
    assert health.assess(make.live(group)).verdict == "Failing"


STALE = {"type": "Progressing", "reason": "ProgressDeadlineExceeded"}
NO_PODS = {"type": "ReplicaFailure", "status": "True", "message": "serviceaccount x not found"}


@pytest.mark.parametrize("condition", [STALE, NO_PODS], ids=["progress", "pods"])
def test_a_condition_of_an_older_spec_does_not_count(condition: dict[str, str]) -> None:
    group = make.group("a", 1, conditions=[condition])
    assert health.assess(make.live(group)).verdict == "Failing"
    assert group.workload is not None
    group.workload["metadata"]["generation"] = 2
    assert health.assess(make.live(group)).verdict == "Starting"


@pytest.mark.parametrize("pod", [make.ready_pod("o"), make.pod("o", phase="Succeeded"), FAILED_POD])
def test_pods_of_an_earlier_run_do_not_count_for_the_new_one(pod: Manifest) -> None:
    group = make.group("a", 1, {**pod, "metadata": owned_by("first")}, STARTING, kind="Job", of="job")
    assert group.workload is not None
    group.workload["metadata"]["uid"] = "second"
    found = health.assess(make.live(group)).groups[0]
    assert (found.pods, found.ready, found.succeeded, found.problems) == (1, 0, 0, ())


def test_a_pod_that_ended_well_and_is_deleted_does_not_count_as_done() -> None:
    done = make.pod("d", phase="Succeeded", terminating=True)
    assert health.assess(make.live(make.group("a", 1, done, kind="Job", of="job"))).verdict == "Starting"


def test_what_a_router_requires_that_is_being_deleted_is_not_missing() -> None:
    router = make.group("router", 1, READY, router="true", requires="decode", terminating=True)
    assert health.assess(make.live(router)).verdict == "Terminating"


def test_a_removed_group_whose_pods_still_end_is_not_missing() -> None:
    leaving = LiveGroup(name="old", workload=None, pods=(make.pod("o", terminating=True),))
    assert health.assess(make.live(make.group("a", 1, READY), leaving)).verdict == "Ready"


def test_counts_leave_out_pods_that_ended_or_are_deleted() -> None:
    others = (make.pod("gone", terminating=True), make.pod("done", phase="Succeeded"))
    found = health.assess(make.live(make.group("a", 2, READY, UNBOUND, *others))).groups[0]
    assert (found.desired, found.pods, found.placed, found.ready, found.succeeded, found.terminating) == (
        2,
        2,
        1,
        1,
        1,
        1,
    )


def test_an_old_failure_to_create_pods_of_a_job_that_has_ended_does_not_count() -> None:
    found = health.assess(make.live(job("a", COMPLETE)), notes={"a": "serviceaccount x not found"})
    assert found.groups[0].problems == ()


def test_a_paused_rollout_is_told_with_the_command_that_resumes_it() -> None:
    found = make.group("web", 1, READY)
    assert found.workload is not None
    found.workload["spec"]["paused"] = True
    found.workload["status"] |= {"replicas": 1, "updatedReplicas": 0}
    (group,) = health.assess(make.live(found)).groups
    name = found.workload["metadata"]["name"]
    told = f"its rollout is paused, with 1 pod of an old template: kubectl rollout resume deployment/{name}"
    assert [(hold.stage, hold.message) for hold in group.holds] == [("readiness", told)]
    found.workload["status"]["updatedReplicas"] = 1
    assert health.assess(make.live(found)).groups[0].holds == ()


SCALED = make.group("extra", 0, suspended="6")
GATED = make.pod("g", node="", gates=[{"name": "example.org/quota"}])


def test_a_gated_pod_waits_in_the_words_of_who_admits_it() -> None:
    live = make.live(make.group("decode", 1, GATED))
    found = health.assess(live, quota={"decode": "1 of 2 nvidia.com/gpu is free", "other": "nothing"})
    assert [hold.message for _, hold in found.held("quota")] == ["1 of 2 nvidia.com/gpu is free"]
    assert found.verdict == "WaitingForQuota"


@pytest.mark.parametrize(
    ("suspended", "quota", "told"),
    [("", {}, 1), ("", {"learner": "full"}, 0), ("true", {}, 0)],
    ids=["nobody says why", "its quota", "kept out"],
)
def test_events_of_a_pod_that_waits_for_quota_count_only_where_nobody_says_why(
    suspended: str, quota: dict[str, str], told: int
) -> None:
    said = [make.event("ErrCompose", "fewer pods than expected", "g")]
    found = health.assess(make.live(make.group("learner", 1, GATED, suspended=suspended, events=said)), quota=quota)
    assert len(found.groups[0].events) == told


@pytest.mark.parametrize(
    ("groups", "verdict"),
    [
        pytest.param([make.group("learner", 1, GATED, suspended="true")], "Suspended", id="kept out"),
        pytest.param([SCALED], "Suspended", id="scaled to none"),
        pytest.param([make.group("learner", 1, suspended="true", kind="Job", suspend=True)], "Suspended", id="a Job"),
        pytest.param([make.group("learner", 1, READY, suspended="true")], "Ready", id="let in by hand"),
        pytest.param([make.group("extra", 1, READY, suspended="6")], "Ready", id="scaled by hand"),
        pytest.param([router("d"), make.group("d", 1, READY), SCALED], "Degraded", id="part"),
        pytest.param([router("extra"), SCALED], "Suspended", id="what a router requires"),
    ],
)  # fmt: skip
def test_an_operation_that_is_kept_out_is_suspended_as_long_as_it_is(groups: list[LiveGroup], verdict: str) -> None:
    assert health.assess(make.live(*groups)).verdict == verdict


def test_a_suspended_group_tells_to_how_many_replicas_it_goes_back() -> None:
    found = health.assess(make.live(SCALED))
    assert [hold.message for _, hold in found.held("quota")] == ["suspended (6 replicas)"]


def test_a_required_group_that_is_scaled_to_zero_is_named_as_what_is_waited_for() -> None:
    found = health.assess(make.live(router("decode"), make.group("decode", 0), make.group("spare", 0)))
    (told,) = [(group.name, hold.message) for group, hold in found.held("readiness") if group.name != "router"]
    assert (found.verdict, told) == ("Failing", ("decode", "it is required, and scaled to zero"))
    assert not list(health.assess(make.live(router("decode"))).held("readiness"))
