"""Environment variables: their names, and the order of those that refer to each other."""

from __future__ import annotations

import json

import pytest

from tests.chart.rendering import Chart, Values, layered, nested


def render(chart: Chart, group: Values, defaults: Values | None = None) -> list[str]:
    values = layered({"container": {"env": group}}, defaults={"container": {"env": defaults or {}}})
    return [entry["name"] for entry in chart.render(values).container()["env"]]


def test_a_name_comes_before_the_value_that_holds_it(chart: Chart) -> None:
    assert render(chart, {"A": "$(B):$(C)", "B": "$(C)", "C": "1"}) == ["C", "B", "A"]


def test_a_lower_layer_may_refer_to_a_higher_one(chart4: Chart) -> None:
    assert render(chart4, {"HOST": "h"}, {"URL": "http://$(HOST)"}) == ["HOST", "URL"]


def test_the_order_of_a_list_is_kept_otherwise(chart4: Chart) -> None:
    entries = [{"name": name, "value": value} for name, value in (("Z", "1"), ("B", "$(A)"), ("Y", "2"), ("A", "3"))]
    values = layered({"container": {"env": entries}})
    assert [entry["name"] for entry in chart4.render(values).container()["env"]] == ["Z", "A", "B", "Y"]


@pytest.mark.parametrize("value", ["$$(A)", "$(NOBODY)", "$A"])
def test_what_is_no_reference_moves_nothing(chart4: Chart, value: str) -> None:
    entries = [{"name": "B", "value": value}, {"name": "A", "value": "1"}]
    values = layered({"container": {"env": entries}})
    assert [entry["name"] for entry in chart4.render(values).container()["env"]] == ["B", "A"]


@pytest.mark.parametrize("env", [{"A": "$(B)", "B": "$(A)"}, {"A": "x$(A)"}])
def test_a_circle_is_refused(chart: Chart, env: Values) -> None:
    refusal = chart.refusal(layered({"container": {"env": env}}))
    assert refusal.startswith("groups.a.container.env.A: its value refers to itself")


@pytest.mark.parametrize(
    ("place", "name"),
    [
        ("container", "a=b"),
        ("container", ""),
        ("container", "é"),
        ("init.i", "a\nb"),
        ("sidecars.s", "="),
    ],
    ids=ascii,
)
def test_a_name_that_no_variable_has_is_refused(chart4: Chart, place: str, name: str) -> None:
    refusal = chart4.refusal(layered(nested(f"{place}.env", {"A": "1", name: "2"})))
    words = "cannot be the name of a variable; allowed: printable ASCII characters other than ="
    assert refusal == f"groups.a.{place}.env: {json.dumps(name, ensure_ascii=False)} {words}"


def test_any_other_name_may_be_one_and_a_deleted_one_may_be_any(chart4: Chart) -> None:
    names = ["1st", "<>", "A", "a b", "my.name"]
    assert render(chart4, dict.fromkeys(names, "x") | {"a=b": None}, {"a=b": "x"}) == names
