"""Admission: the queue of the operation, and what is other for a group outside gangs."""

from __future__ import annotations

from typing import Any

import pytest

from tests.chart.rendering import Chart, Values, operation
from tests.support.turns import by_turns

IMAGE = {"container": {"image": "example/app:1"}}
TEAM = {"backend": "other", "queue": "team-a"}


def asked(group: Any = None, *, admission: Values | None = None, gangs: Values | None = None, **root: Any) -> Values:
    """Return an operation whose group `a` has this admission; `group` None leaves it out."""
    fields = {} if group is None else {"admission": group}
    scheduling = {"admission": TEAM if admission is None else admission, "gangs": gangs or {}}
    return operation({"a": {"replicas": 2, **fields}, "b": {}}, scheduling=scheduling, **root)


@by_turns(
    ("given", "carried"),
    [
        ({}, {}),
        ({"priorityClass": "high"}, {"priorityClass": "high"}),
        ({"maxRunTime": "1h30m"}, {"maxRunTime": 5400}),
        ({"priorityClass": None, "maxRunTime": None}, {}),
    ],
)
def test_what_the_operation_asks_for_is_carried(chart: Chart, given: Values, carried: Values) -> None:
    found = chart.resolved(asked(admission=TEAM | given))["scheduling"]["admission"]
    assert found == TEAM | carried


@by_turns(
    ("given", "carried"),
    [
        ("none", {"backend": "none"}),
        ({"queue": "spare"}, {"queue": "spare"}),
        ({"priorityClass": "low", "maxRunTime": "90s"}, {"priorityClass": "low", "maxRunTime": 90}),
        ({"queue": None}, None),
        ({}, None),
        (None, None),
    ],
)
def test_what_is_other_for_a_group_is_carried_with_it(chart: Chart, given: Any, carried: Values | None) -> None:
    groups = chart.resolved(asked(given))["groups"]
    assert groups["a"].get("admission") == carried
    assert "admission" not in groups["b"]


@pytest.mark.parametrize(
    ("defaults", "group", "carried"),
    [
        ({"queue": "spare"}, "none", {"backend": "none"}),
        ("none", {"queue": "spare"}, {"queue": "spare"}),
        ({"queue": "spare"}, {"priorityClass": "low"}, {"queue": "spare", "priorityClass": "low"}),
    ],
)
def test_a_groups_own_lies_over_that_of_lower_layers(chart4: Chart, defaults: Any, group: Any, carried: Values) -> None:
    groups = chart4.resolved(asked(group, defaults={"admission": defaults, **IMAGE}))["groups"]
    assert groups["a"]["admission"] == carried


def test_a_group_that_asks_for_nothing_needs_nobody_who_admits(chart4: Chart) -> None:
    groups = chart4.resolved(asked("none", admission={}))["groups"]
    assert "admission" not in groups["a"]


@by_turns(
    ("given", "words"),
    [({"queue": "spare"}, "queue"), ({"queue": "spare", "maxRunTime": "1h"}, "maxRunTime and queue")],
)
def test_what_nobody_would_read_of_a_group_is_refused(chart: Chart, given: Values, words: str) -> None:
    assert chart.refusal(asked(given, admission={})) == (
        f"groups.a.admission: {words}, but nobody admits the operation; set scheduling.admission.backend to one that "
        "your cluster runs, or leave this out, a lower layer's goes with `unset: [admission]`"
    )


@by_turns(("given", "words"), [("none", "none"), ({"queue": "spare"}, "queue")])
def test_a_member_of_a_gang_is_admitted_with_it(chart: Chart, given: Any, words: str) -> None:
    assert chart.refusal(asked(given, gangs={"step": {"members": {"a": {}}}})) == (
        f'groups.a.admission: {words}, but the group is in gang "step", which is admitted as a whole; say it under '
        "scheduling.admission, or leave this out, a lower layer's goes with `unset: [admission]`"
    )


def test_a_gang_whose_quota_is_asked_for_may_leave_its_placement_to_that_backend(chart4: Chart) -> None:
    found = chart4.resolved(asked(gangs={"step": {"members": {"a": {}}}}))["scheduling"]
    assert (found["placement"]["backend"], set(found["gangs"])) == ("default", {"step"})


@by_turns(
    ("given", "at"),
    [
        (asked(admission=TEAM | {"maxRunTime": "soon"}), "scheduling.admission.maxRunTime"),
        (asked({"maxRunTime": "soon"}), "groups.a.admission.maxRunTime"),
    ],
)
def test_a_run_time_that_is_no_duration_is_refused(chart: Chart, given: Values, at: str) -> None:
    refusal = chart.refusal(given)
    assert refusal == f'{at}: "soon" is no duration; write hours, minutes and seconds, such as 45m or 1h30m'


@pytest.mark.parametrize(
    ("key", "value", "word"),
    [("queue", "team-a", "queue"), ("priorityClass", "high", "priority class"), ("maxRunTime", "1h", "time")],
)
def test_what_no_backend_reads_is_refused(chart4: Chart, key: str, value: str, word: str) -> None:
    assert chart4.refusal(asked(admission={key: value})) == (
        f'scheduling.admission.{key}: "{value}", but scheduling.admission.backend is "none", which reads no {word}; '
        f"set the backend to one that your cluster runs, or leave the {word} out"
    )


def test_another_word_than_none_is_refused(chart: Chart) -> None:
    assert "at '/groups/a/admission': 'off' does not match pattern '^none$'" in chart.schema_refusal(asked("off"))
