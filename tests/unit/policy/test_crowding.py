"""When plan warns that small pods beside a gang may keep it from starting."""

from __future__ import annotations

from typing import Any

import pytest

from helm_roster.policy import crowding
from helm_roster.policy.crowding import Priorities

from tests.unit.builders import gang, group, plan

TAINT = {"tolerations": [{"key": "nvidia.com/gpu", "operator": "Exists"}]}
ANY = {"tolerations": [{"operator": "Exists"}]}


HIGH, LOW = {"priorityClassName": "high"}, {"priorityClassName": "low"}
VALUES = {"": 0, "low": -10, "high": 1000}


def told(
    sandboxes: dict[str, Any],
    learner: dict[str, Any] | None = None,
    pods: int = 300,
    known: Priorities = crowding.UNKNOWN,
    **more: Any,
) -> list[str]:
    groups = {"learner": group(4, pod=learner or {}), "sandbox": group(pods, pod=sandboxes, **more)}
    return [*crowding.warnings(plan(groups, {"step": gang(learner=(4, False))}), known)]


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
        pytest.param({"nodeSelector": {"pool": "cpu"}}, {"nodeSelector": {"pool": "gpu"}}, id="other nodes"),
        pytest.param({}, TAINT, id="a taint that they do not tolerate"),
    ],
)
def test_pods_that_the_gang_does_not_meet_are_not_warned_of(sandboxes: dict[str, Any], learner: dict[str, Any]) -> None:
    assert told(sandboxes, learner) == []


@pytest.mark.parametrize(
    ("sandboxes", "learner", "words"),
    [
        pytest.param(LOW, HIGH, "unless PriorityClass low of the group is lower than PriorityClass high of", id="two"),
        pytest.param(LOW, {}, "than the priority without a class of the gang", id="the gang has none"),
    ],
)
def test_without_a_cluster_a_class_that_differs_is_said_to_have_to_be_lower(
    sandboxes: dict[str, Any], learner: dict[str, Any], words: str
) -> None:
    for values in (None, {"high": 1000}):
        (line,) = told(sandboxes, learner, known=Priorities(values=values))
        assert words in line
        assert "(not checked)" in line


@pytest.mark.parametrize(
    ("sandboxes", "learner", "warned"),
    [
        pytest.param(LOW, HIGH, False, id="lower"),
        pytest.param(LOW, {}, False, id="lower than none"),
        pytest.param(HIGH, LOW, True, id="higher"),
        pytest.param({}, LOW, True, id="none is higher than a low one"),
        pytest.param(HIGH, {"priorityClassName": "also-high"}, True, id="of one value"),
    ],
)
def test_where_a_cluster_says_what_classes_are_worth_only_those_that_are_not_lower_are_warned_of(
    sandboxes: dict[str, Any], learner: dict[str, Any], *, warned: bool
) -> None:
    found = told(sandboxes, learner, known=Priorities(values=VALUES | {"also-high": 1000}))
    assert ["is not lower than" in line for line in found] == [True] * warned


def test_a_condition_of_the_backend_is_said_beside_the_advice() -> None:
    (line,) = told({}, known=Priorities(condition="it rains"))
    assert "a lower environment.priorityClassName than the gang (which helps where it rains), or nodes" in line


def test_few_pods_are_not_warned_of_but_those_that_may_become_many_are() -> None:
    assert told({}, pods=49) == []
    assert len(told({}, pods=1, autoscaling={"owner": "hpa", "min": 1, "max": 50})) == 1


def test_members_of_gangs_wait_as_gangs_do() -> None:
    groups = {"learner": group(4), "rollout": group(300)}
    gangs = {"a": gang(learner=(4, False)), "b": gang(rollout=(2, True))}
    assert [*crowding.warnings(plan(groups, gangs))] == []
