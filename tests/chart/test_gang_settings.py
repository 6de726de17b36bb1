"""What holds for a gang as a whole, beside its members and its locality."""

from __future__ import annotations

from typing import Any

import pytest

from tests.chart.rendering import Chart, Values, operation
from tests.support.turns import by_turns


def gang(**settings: Any) -> Values:
    step = {"members": {"a": {}}, **settings}
    scheduling = {"placement": {"backend": "native"}, "gangs": {"step": step}}
    return operation({"a": {"replicas": 4}}, scheduling=scheduling)


@by_turns(
    ("given", "carried"),
    [
        ({"minResources": True}, {"minResources": True}),
        ({"minResources": False}, {}),
        ({"stalenessGracePeriod": "60s"}, {"stalenessGracePeriod": 60}),
        ({"stalenessGracePeriod": "1h30m"}, {"stalenessGracePeriod": 5400}),
        ({"stalenessGracePeriod": "never"}, {"stalenessGracePeriod": -1}),
        ({"preemption": "pod"}, {"preemption": "pod"}),
        ({"preemption": "gang"}, {"preemption": "gang"}),
        ({"minResources": None, "stalenessGracePeriod": None, "preemption": None}, {}),
    ],
)
def test_what_a_gang_says_is_carried(chart: Chart, given: Values, carried: Values) -> None:
    found = chart.resolved(gang(**given))["scheduling"]["gangs"]["step"]
    assert {key: value for key, value in found.items() if key != "members"} == carried


@pytest.mark.parametrize(
    ("period", "words"),
    [
        ("a minute", '"a minute" is no duration; write hours, minutes and seconds, such as 45m or 1h30m, or never'),
        (60, "60 is no duration; write hours, minutes and seconds, such as 45m or 1h30m, or never"),
        ("0s", '"0s" is no time; write a second or more, such as 45m, or never'),
        ("-1s", '"-1s" is no duration; write hours, minutes and seconds, such as 45m or 1h30m, or never'),
    ],
)
def test_a_time_below_the_minimum_that_is_none_is_refused(chart4: Chart, period: object, words: str) -> None:
    refusal = chart4.refusal(gang(stalenessGracePeriod=period))
    assert refusal == f"scheduling.gangs.step.stalenessGracePeriod: {words}"


def test_a_preemption_of_something_else_is_refused(chart: Chart) -> None:
    refusal = chart.schema_refusal(gang(preemption="node"))
    assert "at '/scheduling/gangs/step/preemption': value must be one of 'pod', 'gang'" in refusal
