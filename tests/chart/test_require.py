"""Numbers and booleans where Kubernetes wants strings."""

from __future__ import annotations

import pytest

from tests.chart.rendering import Chart, Values, layered


@pytest.mark.parametrize(
    ("group", "words"),
    [
        ({"container": {"env": {"A": 1000000}}}, "groups.a.container.env.A: 1000000 is a number"),
        ({"container": {"env": {"A": True}}}, "groups.a.container.env.A: true is a boolean"),
        ({"container": {"env": [{"name": "A", "value": 1.5}]}}, "groups.a.container.env.A: 1.5 is a number"),
        ({"container": {"args": ["--port", 80]}}, "groups.a.container.args: 80 is a number"),
        ({"container": {"extraArgs": [False]}}, "groups.a.container.extraArgs: false is a boolean"),
        ({"container": {"command": [1]}}, "groups.a.container.command: 1 is a number"),
        ({"cmd": [1]}, "groups.a.cmd: 1 is a number"),
        ({"environment": {"labels": {"x": 1}}}, "groups.a.environment.labels.x: 1 is a number"),
        ({"environment": {"annotations": {"x": True}}}, "groups.a.environment.annotations.x: true is a boolean"),
        ({"environment": {"nodeSelector": {"x": True}}}, "groups.a.environment.nodeSelector.x: true is a boolean"),
    ],
)
def test_they_are_refused_with_the_way_out(chart4: Chart, group: Values, words: str) -> None:
    assert (
        chart4.refusal(layered(group)) == f"{words} where Kubernetes wants text; quote it, or set it with --set-string"
    )


@pytest.mark.parametrize(
    ("values", "words"),
    [
        (layered({}, defaults={"container": {"env": {"A": 1}}}), "defaults.container.env.A"),
        (layered({}, p={"container": {"env": {"A": 1}}}), "presets.p.container.env.A"),
        ({**layered({}), "labels": {"x": 1}}, "labels.x"),
    ],
)
def test_the_layer_that_holds_them_is_named(chart4: Chart, values: Values, words: str) -> None:
    assert chart4.refusal(values).startswith(f"{words}: 1 is a number")


def test_both_majors_refuse_in_the_same_words(chart: Chart) -> None:
    refusal = chart.refusal(layered({"container": {"env": {"A": 1000000}}}))
    assert refusal.startswith("groups.a.container.env.A: 1000000 is a number where Kubernetes wants text; quote it")
