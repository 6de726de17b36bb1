"""Characters that YAML cannot carry: a text comes out equal, or is refused, and never takes its map along."""

from __future__ import annotations

import pytest

from tests.chart.rendering import Chart, Values, nested, operation

LOST = ("\x7f", "\x80", "\x85", "\x9f", "\u2028", "\u2029", "\ufffe", "\uffff")
CARRIED = ("\x00", "\x07", "\x1b", "\r", "\xa0", "\xad", "\ufeff", "\ufffd", "é", "日")
FORMS = ("x{}y", "x{}y\nz", "x\n{}y", "{}y\nz\n", "x{}")


@pytest.mark.parametrize("lost", LOST, ids=ascii)
def test_a_text_that_yaml_would_lose_is_refused(chart: Chart, lost: str) -> None:
    refusal = chart.refusal(operation({"a": {"container": {"args": ["x", f"x{lost}\ny"]}}}))
    assert refusal.startswith("groups.a.container.args.1: holds the character ")
    assert refusal.endswith(", which YAML cannot carry; take it out")


def test_all_other_texts_come_out_equal(chart: Chart) -> None:
    texts = [form.format(character) for character in CARRIED for form in FORMS]
    texts += ["<<", "=", "~"]
    notes = {f"example.org/n{index}": text for index, text in enumerate(texts)}
    env = {f"N{index}": text for index, text in enumerate(texts)}
    objects = chart.render(operation({"a": {"container": {"args": texts, "env": env}}}, annotations=notes))
    assert objects.container()["args"] == texts
    assert objects.env() == env
    assert objects.workload()["metadata"]["annotations"].items() >= notes.items()


@pytest.mark.parametrize(
    ("root", "place"),
    [
        (nested("files.f.content.a", "x\x7f"), "files.f.content.a"),
        (nested("patches.a.p.merge.spec.hostname", "x\x7f"), "patches.a.p.merge.spec.hostname"),
        ({"extraObjects": [{"data": {"a": "x\x7f"}}]}, "extraObjects.0.data.a"),
    ],
)
def test_no_place_lets_it_through(chart4: Chart, root: Values, place: str) -> None:
    assert chart4.refusal(operation({"a": {}}, **root)).startswith(f'{place}: holds the character "\\x7f"')


def test_a_key_is_refused_too(chart4: Chart) -> None:
    refusal = chart4.refusal(operation({"a": {}}, annotations={"a\u2028": "x"}))
    assert refusal.startswith('annotations: the key "a\\u2028" holds the character "\\u2028"')


def test_what_only_looks_like_one_is_text(chart4: Chart) -> None:
    written = r"x\u2028"
    assert chart4.render(operation({"a": {"container": {"args": [written]}}})).container()["args"] == [written]


@pytest.mark.parametrize(
    ("root", "place"),
    [
        ({"annotations": {"<<": "x"}}, "annotations"),
        (nested("defaults.environment.nodeSelector", {"<<": "x"}), "defaults.environment.nodeSelector"),
        (nested("patches.a.p.merge.metadata", {"<<": {}}), "patches.a.p.merge.metadata"),
    ],
)
def test_the_key_by_which_yaml_merges_is_refused(chart: Chart, root: Values, place: str) -> None:
    assert chart.refusal({**operation({"a": {}}), **root}).startswith(f'{place}: the key "<<" is YAML\'s own')
