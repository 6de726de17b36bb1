"""Running pods that would have to move into another gang."""

from __future__ import annotations

from typing import Any

import pytest

from helm_roster.backends import native
from helm_roster.model.plan import Plan
from helm_roster.policy import regrouping

from tests.unit.builders import gang, group, plan

GROUPS = {"learner": group(2), "actor": group(4)}
BEFORE = {"step": gang(learner=(2, False), actor=(1, True))}


def refusals(before: Plan, after: Plan, *, pods: bool = True) -> list[str]:
    """Return what is refused when `after` comes upon `before`, whose groups all have pods or none."""
    running = before.workloads if pods else {}
    return regrouping.refusals(running, native.objects(before), after, native.objects(after))


def test_more_replicas_of_an_elastic_member_are_an_ordinary_change() -> None:
    after = plan(GROUPS | {"actor": group(8)}, BEFORE)
    assert refusals(plan(GROUPS, BEFORE), after) == []


@pytest.mark.parametrize(
    "after",
    [
        pytest.param({"step": gang(learner=(2, False), actor=(4, False))}, id="fixed or elastic"),
        pytest.param({"step": gang(learner=(2, False))}, id="a member left"),
        pytest.param({"other": gang(learner=(2, False), actor=(1, True))}, id="renamed"),
    ],
)
def test_another_grouping_under_running_pods_is_refused(after: dict[str, Any]) -> None:
    (refusal,) = refusals(plan(GROUPS, BEFORE), plan(GROUPS, after))
    assert "a rolling update into a new one never ends" in refusal
    assert "helm roster cancel op" in refusal


def test_a_gang_that_is_turned_on_under_running_pods_is_refused() -> None:
    assert refusals(plan(GROUPS), plan(GROUPS, BEFORE)) != []


def test_a_gang_that_is_turned_off_is_an_ordinary_change() -> None:
    assert refusals(plan(GROUPS, BEFORE), plan(GROUPS)) == []


def test_without_pods_nothing_has_to_move() -> None:
    after = plan(GROUPS, {"step": gang(learner=(2, False))})
    assert refusals(plan(GROUPS, BEFORE), after, pods=False) == []


def test_a_group_whose_kind_changes_is_replaced_and_not_moved() -> None:
    deployments: dict[str, Any] = {name: group(2, kind="Deployment") for name in GROUPS}
    assert refusals(plan(deployments), plan(GROUPS, BEFORE)) == []


def test_for_a_job_the_way_out_is_a_new_run() -> None:
    jobs: dict[str, Any] = {name: group(2, kind="Job") for name in GROUPS}
    after = plan(jobs, {"step": gang(learner=(2, False), actor=(2, False))}, kind="job")
    (refusal,) = refusals(plan(jobs, BEFORE, kind="job"), after)
    assert "set operation.run to" in refusal


def test_below_a_chart_that_wraps_ours_the_way_out_begins_at_its_root() -> None:
    jobs: dict[str, Any] = {name: group(2, kind="Job") for name in GROUPS}
    after = plan(jobs, {"step": gang(learner=(2, False), actor=(2, False))}, kind="job")
    wrapped = after.replace(operation=after.operation.replace(wrapped=True))
    (refusal,) = refusals(plan(jobs, BEFORE, kind="job"), wrapped)
    assert "set replica-operation.operation.run to" in refusal


def test_a_new_run_of_a_job_moves_nothing() -> None:
    jobs: dict[str, Any] = {name: group(2, kind="Job") for name in GROUPS}
    after = plan(jobs, BEFORE, kind="job", run="2", name="op2")
    assert refusals(plan(jobs, BEFORE, kind="job"), after) == []


def test_a_member_at_its_minimum_may_stay_elastic() -> None:
    after = plan(GROUPS | {"actor": group(1)}, {"step": gang(learner=(2, False), actor=(1, False))})
    (refusal,) = refusals(plan(GROUPS, BEFORE), after)
    way = "if actor was elastic and is at its minimum now, say elastic: true of it in the gang; else helm roster cancel"
    assert way in refusal


def test_only_a_member_that_loses_replicas_may_have_been_elastic() -> None:
    (refusal,) = refusals(plan(GROUPS, BEFORE), plan(GROUPS, {"step": gang(learner=(2, False), actor=(4, False))}))
    assert "elastic: true" not in refusal
