"""When plan warns that small pods beside a gang may keep it from starting."""

from __future__ import annotations

from typing import Any

import pytest

from helm_roster.policy import crowding

from tests.unit.builders import gang, group, plan

TAINT = {"tolerations": [{"key": "nvidia.com/gpu", "operator": "Exists"}]}
ANY = {"tolerations": [{"operator": "Exists"}]}


def told(sandboxes: dict[str, Any], learner: dict[str, Any] | None = None, pods: int = 300, **more: Any) -> list[str]:
    groups = {"learner": group(4, pod=learner or {}), "sandbox": group(pods, pod=sandboxes, **more)}
    return [*crowding.warnings(plan(groups, {"step": gang(learner=(4, False))}))]


def test_many_pods_of_the_same_priority_on_the_same_nodes_are_warned_of() -> None:
    (line,) = told({})
    assert 'gang "step" may never start beside "sandbox": its 300 pods may come to the same nodes' in line


@pytest.mark.parametrize(
    ("sandboxes", "learner"),
    [
        pytest.param({"priorityClassName": "high"}, {"priorityClassName": "high"}, id="one class"),
        pytest.param({"nodeSelector": {"zone": "a"}}, {"nodeSelector": {"pool": "gpu"}}, id="selectors that both fit"),
        pytest.param(TAINT, TAINT, id="both tolerate it"),
        pytest.param(ANY, TAINT, id="they tolerate all"),
        pytest.param(TAINT, {}, id="they tolerate more"),
    ],
)
def test_pods_that_may_share_the_gangs_nodes_at_its_priority_are_warned_of(
    sandboxes: dict[str, Any], learner: dict[str, Any]
) -> None:
    assert len(told(sandboxes, learner)) == 1


@pytest.mark.parametrize(
    ("sandboxes", "learner"),
    [
        pytest.param({"priorityClassName": "low"}, {"priorityClassName": "high"}, id="classes differ"),
        pytest.param({"priorityClassName": "low"}, {}, id="they have a class, the gang none"),
        pytest.param({"nodeSelector": {"pool": "cpu"}}, {"nodeSelector": {"pool": "gpu"}}, id="other nodes"),
        pytest.param({}, TAINT, id="a taint that they do not tolerate"),
    ],
)
def test_pods_that_the_gang_wins_over_or_does_not_meet_are_not_warned_of(
    sandboxes: dict[str, Any], learner: dict[str, Any]
) -> None:
    assert told(sandboxes, learner) == []


def test_few_pods_are_not_warned_of_but_those_that_may_become_many_are() -> None:
    assert told({}, pods=49) == []
    assert len(told({}, pods=1, autoscaling={"owner": "hpa", "min": 1, "max": 50})) == 1


def test_members_of_gangs_wait_as_gangs_do() -> None:
    groups = {"learner": group(4), "rollout": group(300)}
    gangs = {"a": gang(learner=(4, False)), "b": gang(rollout=(2, True))}
    assert [*crowding.warnings(plan(groups, gangs))] == []
