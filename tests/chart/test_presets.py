"""Which presets apply to a group, and which are refused."""

from __future__ import annotations

from typing import Any

import pytest

from tests.chart.rendering import GPU, Chart, Values, layered, operation

H100 = {"accelerator": {"resource": "nvidia.com/gpu", "model": "NVIDIA H100"}}
SELECTS = {**GPU, "environment": {"nodeSelector": {"pool": "gpu"}}}


def chosen(chart: Chart, values: Values) -> tuple[list[str], list[str]]:
    group = chart.resolved(values)["groups"]["a"]
    return group["presets"], group["skippedPresets"]


def inherited(group: Values, *names: str, **presets: Values) -> Values:
    defaults = {"container": {"image": "example/app:1"}, "presets": list(names)}
    return {"defaults": defaults, "presets": presets, "groups": {"a": group}}


def test_presets_of_defaults_come_before_the_groups_own(chart: Chart) -> None:
    assert chosen(chart, inherited({"presets": ["q"]}, "p", p={}, q={})) == (["p", "q"], [])


def test_a_preset_that_is_listed_twice_applies_once(chart4: Chart) -> None:
    assert chosen(chart4, inherited({"presets": ["p", "q", "p"]}, "p", p={}, q={})) == (["p", "q"], [])


def test_a_group_without_accelerators_skips_an_inherited_accelerator(chart: Chart) -> None:
    values = inherited({}, "gpu", gpu=SELECTS)
    assert chosen(chart, values) == ([], ["gpu"])
    assert "nodeSelector" not in chart.render(values).pod()


def test_a_group_that_lists_it_itself_always_gets_it(chart4: Chart) -> None:
    values = inherited({"presets": ["gpu"]}, "gpu", gpu=SELECTS)
    assert chosen(chart4, values) == (["gpu"], [])
    assert chart4.render(values).pod()["nodeSelector"] == {"pool": "gpu"}


def test_a_group_with_accelerators_gets_it(chart4: Chart) -> None:
    assert chosen(chart4, inherited({"accelerators": 1}, "gpu", gpu=SELECTS)) == (["gpu"], [])


@pytest.mark.parametrize("group", [{"presets": None}, {"unset": ["presets"]}, {"unset": ["presets.p"]}])
def test_a_group_can_do_without_the_inherited_ones(chart4: Chart, group: Values) -> None:
    assert chosen(chart4, inherited(group, "p", p={})) == ([], [])


def test_adding_a_preset_never_changes_who_does_not_list_it(chart4: Chart) -> None:
    with_it = chart4.text(operation({"a": {}}, presets={"p": SELECTS}))
    assert with_it == chart4.text(operation({"a": {}}))


@pytest.mark.parametrize(
    ("values", "words"),
    [
        (
            layered({"presets": ["h300"]}, h200=GPU),
            'groups.a.presets: there is no preset "h300" (did you mean "h200"?); known: h200, image',
        ),
        (
            inherited({}, "h300", h200=GPU),
            'defaults.presets: there is no preset "h300" (did you mean "h200"?); known: h200',
        ),
        (operation({"a": {"presets": ["x"]}}), 'groups.a.presets: there is no preset "x"; known: none; pass a file'),
        (layered({}, p={"replicas": 2}), "presets.p.replicas: a preset selects hardware and never says how much"),
        (layered({}, p={"accelerators": 2}), "presets.p.accelerators: a preset selects hardware and never says"),
        (layered({}, p={"unset": ["replicas"]}), 'presets.p.unset: "replicas"; a preset never says how much'),
        (layered({}, p={"unset": ["accelerators"]}), 'presets.p.unset: "accelerators"; a preset never says how much'),
        (
            layered({}, p={"unset": ["presets.q"]}),
            'presets.p.unset: "presets.q"; a preset never says how much, nor which',
        ),
        (layered({}, p=GPU, q=H100), 'groups.a.presets: "p" selects the accelerator model "NVIDIA H200" and "q"'),
    ],
)
def test_presets_that_cannot_be_meant_are_refused(chart4: Chart, values: dict[str, Any], words: str) -> None:
    assert chart4.refusal(values).startswith(words)
