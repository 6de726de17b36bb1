"""What a Job that fills a connection means for the groups whose pods wait for it."""

from __future__ import annotations

import pytest

from helm_roster.manifests.walk import Manifest
from helm_roster.model.live import LiveGroup
from helm_roster.policy import health
from helm_roster.policy.waiting import Seen, Waiting

from tests.unit import live_objects as make

FAILED = {"type": "Failed", "status": "True", "reason": "BackoffLimitExceeded", "message": "too often"}
WAITS = make.pod("p", make.container())
FETCHED = make.pod(
    "f", make.container(), initContainerStatuses=[{"name": "models-filled", "state": {"terminated": {"exitCode": 0}}}]
)
READY = make.ready_pod("r")


def group(pod: Manifest, *conditions: Manifest) -> LiveGroup:
    """Return a group of one pod, whose connection `models` a Job fills."""
    job = {"kind": "Job", "metadata": {"name": "op-models-fill"}, "status": {"conditions": list(conditions)}}
    return make.group("a", 1, pod).replace(fills={"models": job})


def test_a_job_that_failed_is_the_problem_of_the_group_that_waits_for_it() -> None:
    found = health.assess(make.live(group(WAITS, FAILED), make.group("b", 1, READY)))
    problems = {one.name: [(problem.reason, problem.container) for problem in one.problems] for one in found.groups}
    assert (found.verdict, problems) == ("Failing", {"a": [("FillFailed", "models-filled")], "b": []})
    assert found.groups[0].problems[0].message == (
        'Job op-models-fill, which fills connection "models", failed: too often; its pods tell why (kubectl logs '
        "job/op-models-fill); mend that, then kubectl delete job/op-models-fill, then upgrade"
    )


def test_it_ends_a_wait_at_once() -> None:
    seen = Seen(live=make.live(group(WAITS, FAILED)), helm="deployed")
    outcome = Waiting(goal="ready").judge(seen, 0.0)
    assert (outcome.state, [fault.group for fault in outcome.faults]) == ("failed", ["a"])
    assert Waiting(goal="placed").judge(seen, 0.0).state == "reached"


@pytest.mark.parametrize(
    ("pod", "told"), [(WAITS, [("p",)]), (FETCHED, []), (READY, [])], ids=["waits", "has what it needs", "ready"]
)
def test_what_pods_wait_for_is_told_of_those_that_wait(pod: Manifest, told: list[tuple[str, ...]]) -> None:
    (running,) = health.assess(make.live(group(pod))).groups
    assert [hold.pods for hold in running.holds if "has not filled" in hold.message] == told
    (failed,) = health.assess(make.live(group(pod, FAILED))).groups
    assert len(failed.problems) == len(told)
