"""What one pod's status says."""

from __future__ import annotations

import pytest

from helm_roster.manifests.walk import Manifest
from helm_roster.policy import pods
from helm_roster.policy.pods import Hold, Problem

from tests.unit import live_objects as make

CRASH = {"exitCode": 1, "reason": "Error"}
KILLED = {"exitCode": 137, "reason": "OOMKilled"}


@pytest.mark.parametrize(
    ("status", "problem"),
    [
        (
            make.container(waiting={"reason": "CrashLoopBackOff"}, last=KILLED),
            Problem(reason="CrashLoopBackOff", ended="OOMKilled", exit_code=137),
        ),
        (make.container(terminated=CRASH), Problem(reason="Error", exit_code=1)),
        (
            make.container(waiting={"reason": "ErrImagePull", "message": "no such image"}),
            Problem(reason="ErrImagePull", message="no such image"),
        ),
        (make.container(running={}, last=KILLED), Problem(reason="OOMKilled", exit_code=137, recovered=True)),
        (
            make.container(running={}, last=KILLED, ready=True),
            Problem(reason="OOMKilled", exit_code=137, recovered=True),
        ),
    ],
    ids=["crash loop", "ended", "image", "restarted, not ready yet", "restarted and ready"],
)
def test_a_container_in_trouble_is_a_problem(status: Manifest, problem: Problem) -> None:
    found = pods.problems(make.pod("p", status))
    assert found == [Problem(**{**vars(problem), "container": "main", "pods": ("p",)})]


@pytest.mark.parametrize(
    "status",
    [
        make.container(waiting={"reason": "ContainerCreating"}),
        make.container(terminated={"exitCode": 0, "reason": "Completed"}),
        make.container(ready=True),
    ],
    ids=["creating", "ended well", "ready"],
)
def test_a_container_that_does_well_is_none(status: Manifest) -> None:
    assert pods.problems(make.pod("p", status)) == []


def test_an_evicted_pod_names_its_own_reason() -> None:
    evicted = make.pod("p", phase="Failed", reason="Evicted", message="low on memory")
    assert pods.problems(evicted) == [Problem(reason="Evicted", message="low on memory", pods=("p",))]


@pytest.mark.parametrize(
    ("pod", "hold"),
    [
        (make.pod("p", node="", gates=[{"name": "queue"}]), Hold(stage="quota", message="scheduling gate queue")),
        (make.pod("p", node="", says="0/3 nodes"), Hold(stage="placement", message="0/3 nodes")),
        (
            make.pod("p", node="", says="no place was found for it, no place was found for it"),
            Hold(stage="placement", message="no place was found for it"),
        ),
        (make.pod("p"), Hold(stage="readiness", message="its containers are not created yet")),
        (
            make.pod("p", make.container(waiting={"reason": "ContainerCreating"})),
            Hold(stage="readiness", message="container main: ContainerCreating"),
        ),
        (make.pod("p", make.container()), Hold(stage="readiness", message="container main runs and is not ready")),
        (
            make.pod("p", initContainerStatuses=[make.container("load")]),
            Hold(stage="readiness", message="init container load runs"),
        ),
    ],
    ids=["gated", "unbound", "repeated", "bound", "creating", "not ready", "init"],
)
def test_a_pod_waits_at_one_stage(pod: Manifest, hold: Hold) -> None:
    assert pods.hold(pod) == Hold(stage=hold.stage, message=hold.message, pods=("p",))


def test_a_pod_whose_gates_are_gone_waits_for_a_place_though_its_condition_is_older() -> None:
    found = make.pod("p", node="", says="blocked due to non-empty scheduling gates")
    found["status"]["conditions"][0]["reason"] = "SchedulingGated"
    assert pods.hold(found) == Hold(stage="placement", message="", pods=("p",))


def test_a_ready_pod_waits_for_nothing() -> None:
    assert pods.hold(make.ready_pod("p")) is None


def test_problems_of_one_cause_are_one_with_all_pods() -> None:
    crash = [Problem(reason="CrashLoopBackOff", container="main", exit_code=1, pods=(name,)) for name in ("a", "b")]
    other = Problem(reason="ErrImagePull", container="main", pods=("c",))
    assert [found.pods for found in pods.fold_problems([crash[0], other, crash[1]])] == [("a", "b"), ("c",)]


def test_holds_of_one_message_are_one_with_all_pods() -> None:
    held = [Hold(stage="placement", message="full", pods=(name,)) for name in ("a", "b")]
    assert pods.fold_holds(held) == (Hold(stage="placement", message="full", pods=("a", "b")),)


def test_a_pod_on_a_node_keeps_its_claims_in_use() -> None:
    pod = make.pod("p")
    pod["spec"]["volumes"] = [
        {"name": "data", "persistentVolumeClaim": {"claimName": "data-p"}},
        {"name": "scratch", "ephemeral": {}},
        {"name": "tmp", "emptyDir": {}},
    ]
    assert pods.claims(pod) == {"data-p", "p-scratch"}
    del pod["spec"]["nodeName"]
    assert pods.claims(pod) == set()


def test_a_pod_that_would_fit_alone_does_not_say_what_it_waits_for() -> None:
    """Else a gang of a hundred would tell a hundred times where each of its pods would go."""
    waiting = make.pod("w-0", node="", says="Pod w-0 can possibly be assigned to n1")
    waiting["status"]["conditions"][0]["reason"] = "Schedulable"
    assert pods.hold(waiting) == Hold(stage="placement", message="", pods=("w-0",))


def test_holds_that_differ_in_the_name_of_their_pod_are_one() -> None:
    held = [pods.hold(make.pod(name, node="", says=f"Task {name} has already failed, skip")) for name in ("w-0", "w-1")]
    wanted = Hold(stage="placement", message="Task w-0 has already failed, skip", pods=("w-0", "w-1"))
    assert pods.fold_holds(hold for hold in held if hold) == (wanted,)
