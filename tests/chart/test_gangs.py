"""Scheduling: gangs with their members, minimum, elasticity and order; and queues."""

from __future__ import annotations

from typing import Any

import pytest

from tests.chart.rendering import Chart, Values, operation
from tests.support.turns import by_turns


def gangs(gangs: Values, placement: Values | None = None) -> Values:
    groups = {"a": {"replicas": 4}, "b": {"replicas": 8}}
    return operation(groups, scheduling={"placement": placement or {"backend": "native"}, "gangs": gangs})


def one(**members: Any) -> Values:
    return gangs({"step": {"members": members}})


@pytest.mark.parametrize(
    ("member", "expected"),
    [
        ({}, {"min": 4, "elastic": False, "order": 0}),
        ({"min": 2, "order": 1}, {"min": 2, "elastic": True, "order": 1}),
        ({"min": 4}, {"min": 4, "elastic": False, "order": 0}),
        ({"min": 4, "elastic": True}, {"min": 4, "elastic": True, "order": 0}),
        ({"min": None, "elastic": None, "order": None}, {"min": 4, "elastic": False, "order": 0}),
    ],
)
def test_what_a_member_leaves_out_follows_from_its_group(chart4: Chart, member: Values, expected: Values) -> None:
    assert chart4.resolved(one(a=member))["scheduling"]["gangs"] == {"step": {"members": {"a": expected}}}


@pytest.mark.parametrize(
    ("given", "members"),
    [
        ({"w": None}, {}),
        ({"x": None, "z": {"members": {"b": {}}}}, {"z": {"b"}}),
    ],
)
def test_a_null_gang_is_absent(chart4: Chart, given: Values, members: dict[str, set[str]]) -> None:
    found = chart4.resolved(gangs(given))["scheduling"]["gangs"]
    assert {name: set(gang["members"]) for name, gang in found.items()} == members


@pytest.mark.parametrize(
    ("values", "words"),
    [
        (one(c={}), 'scheduling.gangs.step.members: there is no group "c"; known: a, b'),
        (gangs({"x": {"members": {"a": {}}}, "z": {"members": {"a": {}}}}), 'scheduling.gangs.z.members: group "a" is'),
        (gangs({"x": {"members": {"a": None, "b": {}}}}), "scheduling.gangs.x.members.a: null; write {} for a member"),
        (gangs({"x": {"members": {}}}), "scheduling.gangs.x.members: none; name the groups that start together"),
        (gangs({"true": {"members": {"a": {}}}}), 'scheduling.gangs: "true" cannot be a name'),
        (one(false={}), 'scheduling.gangs.step.members: "false" cannot be a name: YAML reads'),
        (one(a={"min": 5}), "scheduling.gangs.step.members.a.min: 5, but the group has 4 replicas; allowed: 1 to"),
        (gangs({"x": {"members": {"a": {}}}}, {"backend": "default"}), "scheduling.gangs: a gang needs a placement"),
        (gangs({"x": {"members": {"a": {}}}}, {"backend": "none"}), "scheduling.gangs: a gang needs a placement"),
        (gangs({"x": {"members": {"a": {}}}}, {"backend": None}), "scheduling.gangs: a gang needs a placement"),
    ],
)
def test_a_gang_that_cannot_be_meant_is_refused(chart4: Chart, values: Values, words: str) -> None:
    assert chart4.refusal(values).startswith(words)


def test_a_member_without_pods_is_refused(chart4: Chart) -> None:
    values = one(a={})
    values["groups"]["a"]["replicas"] = 0
    assert chart4.refusal(values).startswith("scheduling.gangs.step.members.a.min: 0, but the group has 0 replicas")


@by_turns(
    ("part", "chosen", "backend"),
    [
        ("placement", {}, "default"),
        ("placement", {"backend": "default"}, "default"),
        ("placement", {"backend": "none"}, "none"),
        ("placement", {"backend": None}, "default"),
        ("admission", {}, "none"),
        ("admission", {"backend": "none"}, "none"),
        ("admission", {"backend": None}, "none"),
    ],
)
def test_a_queue_that_nobody_reads_is_refused(chart: Chart, part: str, chosen: Values, backend: str) -> None:
    refusal = chart.refusal(operation({"a": {}}, scheduling={part: {"queue": "research", **chosen}}))
    assert refusal == (
        f'scheduling.{part}.queue: "research", but scheduling.{part}.backend is "{backend}", which reads no queue; '
        "set the backend to one that your cluster runs, or leave the queue out"
    )


@pytest.mark.parametrize("queue", ["", None])
@pytest.mark.parametrize("part", ["placement", "admission"])
def test_no_queue_is_no_fault(chart4: Chart, part: str, queue: object) -> None:
    assert chart4.render(operation({"a": {}}, scheduling={part: {"queue": queue}})).kinds() == {"Deployment", "Service"}
