"""How an explanation reads, for people and for programs."""

from __future__ import annotations

from typing import Any

import pytest

from helm_roster.model.written import Source
from helm_roster.policy.origins import Origin
from helm_roster.report import explanation

from tests.unit import builders


def document(*found: Origin, patches: tuple[str, ...] = (), **more: Any) -> dict[str, Any]:
    group = builders.plan({"a": builders.group(1, **more)}).operation.groups["a"]
    return explanation.document(group, "x", found, patches)


def row(origin: Origin) -> list[str]:
    """Return the cells of the table's one row."""
    return [str(next(iter(column.cells))) for column in explanation.table(document(origin)).columns]


SOURCE = Source(name="v.yaml", line=3)


@pytest.mark.parametrize(
    ("origin", "cells"),
    [
        pytest.param(
            Origin(path="x", value=1, layer="defaults", key="defaults.x", source=SOURCE),
            ["x", "1", "defaults", "v.yaml:3"], id="a key",
        ),
        pytest.param(
            Origin(path="x.b", value="", layer="defaults", key="defaults.x[0]", source=SOURCE),
            ["x.b", '""', "defaults", "v.yaml:3 (defaults.x[0])"], id="another key than the path",
        ),
        pytest.param(
            Origin(path="x", value=["a"], layer="groups.a", key="groups.a.x", source=Source(name="--set …")),
            ["x", '["a"]', "groups.a", "--set …"], id="a flag",
        ),
        pytest.param(
            Origin(path="x", value=True, layer="chart"), ["x", "true", "chart", "the chart itself"], id="the chart"
        ),
        pytest.param(
            Origin(path="x", value=1, layer="unknown"), ["x", "1", "unknown", "not read here"], id="not read"
        ),
    ],
)  # fmt: skip
def test_a_value_has_one_row(origin: Origin, cells: list[str]) -> None:
    assert row(origin) == cells


@pytest.mark.parametrize(("value", "shown"), [("a\nb", "a…"), ("x" * 61, "x" * 60 + "…"), ("x" * 60, "x" * 60)])
def test_of_a_long_text_the_beginning_is_shown(value: str, shown: str) -> None:
    assert row(Origin(path="x", value=value, layer="chart"))[1] == shown


def test_presets_that_apply_or_not_and_patches_are_told_below() -> None:
    made = document(patches=("q", "r"), presets=["p", "o"], skippedPresets=["gpu"])
    assert list(explanation.lines(made)) == [
        "presets, in order: p, o",
        "preset gpu of defaults is left out: the group asks for no accelerators, or lists its own",
        "patches change the objects after all this: q, r",
    ]


def test_where_there_is_nothing_to_tell_nothing_stands_below() -> None:
    assert list(explanation.lines(document())) == []


def test_programs_get_the_whole_value_and_its_source() -> None:
    made = document(Origin(path="x", value="y" * 99, layer="defaults", key="defaults.x", source=SOURCE))
    assert made["path"] == "a.x"
    assert made["values"] == [
        {"path": "x", "value": "y" * 99, "layer": "defaults", "key": "defaults.x", "source": "v.yaml", "line": 3}
    ]
