"""What an upgrade must not do to running pods."""

from __future__ import annotations

from typing import Any

import pytest

from helm_roster.backends import native
from helm_roster.model.live import Live, LiveGroup
from helm_roster.model.plan import Plan
from helm_roster.policy import changes

from tests.unit.builders import gang, group, plan

GROUPS = {"learner": group(2), "actor": group(4)}
BEFORE = {"step": gang(learner=(2, False), actor=(1, True))}


def running(before: Plan, *, pods: int = 1) -> Live:
    """Return what the cluster holds after `before` was installed."""
    groups = {
        name: LiveGroup(name=name, workload=workload, pods=[{}] * pods) for name, workload in before.workloads.items()
    }
    return Live(name="op", namespace="default", groups=groups, grouping=native.objects(before))


def refusals(live: Live, after: Plan) -> list[str]:
    return changes.regrouped(live, after, native.objects(after))


def test_more_replicas_of_an_elastic_member_are_an_ordinary_change() -> None:
    after = plan(GROUPS | {"actor": group(8)}, BEFORE)
    assert refusals(running(plan(GROUPS, BEFORE)), after) == []


@pytest.mark.parametrize(
    "after",
    [
        pytest.param({"step": gang(learner=(2, False), actor=(4, False))}, id="fixed or elastic"),
        pytest.param({"step": gang(learner=(2, False))}, id="a member left"),
        pytest.param({"other": gang(learner=(2, False), actor=(1, True))}, id="renamed"),
    ],
)
def test_another_grouping_under_running_pods_is_refused(after: dict[str, Any]) -> None:
    (refusal,) = refusals(running(plan(GROUPS, BEFORE)), plan(GROUPS, after))
    assert "a rolling update into a new one never ends" in refusal
    assert "helm roster cancel op" in refusal


def test_a_gang_that_is_turned_on_under_running_pods_is_refused() -> None:
    assert refusals(running(plan(GROUPS)), plan(GROUPS, BEFORE)) != []


def test_a_gang_that_is_turned_off_is_an_ordinary_change() -> None:
    assert refusals(running(plan(GROUPS, BEFORE)), plan(GROUPS)) == []


def test_without_pods_nothing_has_to_move() -> None:
    after = plan(GROUPS, {"step": gang(learner=(2, False))})
    assert refusals(running(plan(GROUPS, BEFORE), pods=0), after) == []


def test_a_group_whose_kind_changes_is_replaced_and_not_moved() -> None:
    deployments: dict[str, Any] = {name: group(2, kind="Deployment") for name in GROUPS}
    assert refusals(running(plan(deployments)), plan(GROUPS, BEFORE)) == []


def test_for_a_job_the_way_out_is_a_new_run() -> None:
    jobs: dict[str, Any] = {name: group(2, kind="Job") for name in GROUPS}
    after = plan(jobs, {"step": gang(learner=(2, False), actor=(2, False))}, kind="job")
    (refusal,) = refusals(running(plan(jobs, BEFORE, kind="job")), after)
    assert "operation.run" in refusal


def test_a_new_run_of_a_job_moves_nothing() -> None:
    jobs: dict[str, Any] = {name: group(2, kind="Job") for name in GROUPS}
    after = plan(jobs, BEFORE, kind="job", run="2", name="op2")
    assert refusals(running(plan(jobs, BEFORE, kind="job")), after) == []
