"""The name that was probably meant, in refusals of an unknown one."""

from __future__ import annotations

import pytest

from tests.chart.rendering import Chart, layered, operation
from tests.support.turns import by_turns


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("h300", "h200"),
        ("H-200", "h200"),
        ("platform-h100", "platform/h100"),
        ("plaform/h100", "platform/h100"),
        ("h100", "platform/h100"),
        ("engien", "engine"),
        ("engines", "engine"),
    ],
)
def test_a_name_that_is_like_a_known_one_is_asked_for(chart4: Chart, name: str, meant: str) -> None:
    values = layered({"presets": [name]}, **{"h200": {}, "platform/h100": {}, "engine": {}})
    assert chart4.refusal(values).startswith(
        f'groups.a.presets: there is no preset "{name}" (did you mean "{meant}"?);'
    )


@by_turns("name", ["x", "", "volcano-queue", "z9z9"])
def test_a_name_that_is_like_none_is_not(chart: Chart, name: str) -> None:
    refusal = chart.refusal(layered({"presets": [name]}, h200={}, engine={}))
    assert refusal.startswith(f'groups.a.presets: there is no preset "{name}"; known:')


def test_the_nearest_of_several_is_taken_whatever_their_order(chart4: Chart) -> None:
    values = layered({"presets": ["decod"]}, **{"decode-large": {}, "recode": {}, "decode": {}})
    assert '(did you mean "decode"?)' in chart4.refusal(values)


def test_groups_are_named_likewise(chart4: Chart) -> None:
    group = {"readiness": {"requires": ["decod"]}}
    assert '"decod" is no other group (did you mean "decode"?); known:' in chart4.refusal(
        operation({"a": group, "decode": {}})
    )


def test_members_of_gangs_are_named_likewise(chart4: Chart) -> None:
    gangs = {"step": {"members": {"learnr": {}}}}
    values = operation({"learner": {}}, scheduling={"placement": {"backend": "other"}, "gangs": gangs})
    assert 'there is no group "learnr" (did you mean "learner"?); known: learner' in chart4.refusal(values)
