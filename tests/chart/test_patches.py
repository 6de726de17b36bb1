"""Patches by group and name: what the chart hands to the post-renderer, and what it refuses."""

from __future__ import annotations

from typing import Any

import pytest

from helm_roster import constants

from tests.chart.rendering import Chart, Values, operation

ADD = [{"op": "add", "path": "/spec/hostPID", "value": True}]
MERGE = {"spec": {"hostPID": True, "hostname": None, "priority": 1000000}}


def patched(**patches: Any) -> Values:
    return operation({"a": {}, "b": {}}, patches=patches)


def carried(chart: Chart, values: Values) -> Values | None:
    """Return the patches of the carrier; None where there is no carrier."""
    found = [entry["spec"] for entry in chart.render(values).all if entry["kind"] == constants.CARRIER_KIND]
    return found[0]["patches"] if found else None


def test_patches_reach_the_post_renderer_as_they_are(chart: Chart) -> None:
    values = patched(a={"x": {"json": ADD}, "z": {"merge": MERGE, "target": "workload"}})
    assert carried(chart, values) == {
        "a": {"x": {"json": ADD, "target": "pod"}, "z": {"merge": MERGE, "target": "workload"}}
    }


def test_a_number_in_a_patch_stays_whole(chart: Chart) -> None:
    assert "priority: 1000000\n" in chart.text(patched(a={"x": {"merge": MERGE}}))


@pytest.mark.parametrize("patches", [{}, {"a": None}, {"a": {}}, {"a": {"x": None}}, {"gone": None}])
def test_no_patch_needs_no_post_renderer(chart4: Chart, patches: Values) -> None:
    assert carried(chart4, patched(**patches)) is None


def test_a_null_form_is_absent(chart4: Chart) -> None:
    patch = {"json": ADD, "merge": None, "target": None}
    assert carried(chart4, patched(a={"x": patch})) == {"a": {"x": {"json": ADD, "target": "pod"}}}


@pytest.mark.parametrize(
    ("patches", "words"),
    [
        ({"c": {"x": {"json": ADD}}}, 'patches.c: there is no group "c"; known: a, b'),
        ({"a": {"x": {}}}, "patches.a.x: neither json nor merge; give either json, a list of RFC 6902 operations, or"),
        ({"a": {"x": {"json": ADD, "merge": MERGE}}}, "patches.a.x: json and merge; give either json, a list of"),
        ({"a": {"x": {"json": []}}}, "patches.a.x.json: empty, so it would change nothing; fill it, or leave the"),
        ({"a": {"x": {"merge": {}}}}, "patches.a.x.merge: empty, so it would change nothing"),
        ({"a": {"true": {"json": ADD}}}, 'patches.a: "true" cannot be a name: YAML reads'),
        ({"1e3": {"x": {"json": ADD}}}, 'patches: "1e3" cannot be a name: YAML reads it'),
        ({"a": {"x" * 64: {"json": ADD}}}, f'patches.a: "{"x" * 64}" has 64 characters; at most 63'),
    ],
)
def test_a_patch_that_nothing_could_apply_is_refused(chart4: Chart, patches: Values, words: str) -> None:
    assert chart4.refusal(patched(**patches)).startswith(words)


@pytest.mark.parametrize(
    ("patch", "words"),
    [
        ({"json": [{"op": "insert"}]}, "at '/patches/a/x/json/0/op': value must be one of"),
        ({"merge": {"spec": 1}, "target": "container"}, "at '/patches/a/x/target': 'container' does not match pattern"),
        ({"strategic": {}}, "at '/patches/a/x': additional properties 'strategic' not allowed"),
    ],
)
def test_a_patch_of_a_wrong_shape_is_refused_at_its_place(chart4: Chart, patch: Values, words: str) -> None:
    assert words in chart4.schema_refusal(patched(a={"x": patch}))


def test_a_patch_changes_no_object_of_the_chart(chart4: Chart) -> None:
    served = [
        entry for entry in chart4.render(patched(a={"x": {"json": ADD}})).all if "PostRenderer" not in entry["kind"]
    ]
    assert served == chart4.render(patched()).all
