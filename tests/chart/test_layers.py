"""The ranks of composition: chart, defaults, isnull and pre_merge presets, group, post_merge and replace presets."""

from __future__ import annotations

from typing import Any

import pytest

from tests.chart.rendering import Chart, Values, layered, operation
from tests.support.turns import by_turns


def label(value: str) -> Values:
    return {"environment": {"labels": {"from": value}}}


def labels(chart: Chart, values: Values) -> dict[str, str]:
    return chart.render(values).workload()["spec"]["template"]["metadata"]["labels"]


def strategy(name: str, fields: Values) -> Values:
    return {"patchStrategy": name, **fields}


@pytest.mark.parametrize(
    ("values", "winner"),
    [
        (layered({}, defaults=label("defaults")), "defaults"),
        (layered({}, defaults=label("defaults"), p=label("preset")), "preset"),
        (layered(label("group"), defaults=label("defaults"), p=label("preset")), "group"),
        (layered({}, p=label("first"), q=label("second")), "second"),
        (layered({}, p=strategy("pre_merge", label("first")), q=label("second")), "second"),
        (layered(label("group"), p=strategy("post_merge", label("preset"))), "preset"),
        (layered(label("group"), p=strategy("replace", label("preset"))), "preset"),
        (layered({}, p=strategy("post_merge", label("post")), q=label("pre")), "post"),
        (layered({}, p=strategy("replace", label("first")), q=strategy("post_merge", label("second"))), "second"),
        (layered(label("group"), p=strategy("isnull", label("preset"))), "group"),
        (layered({}, defaults=label("defaults"), p=strategy("isnull", label("preset"))), "defaults"),
        (layered({}, p=strategy("isnull", label("isnull")), q=label("preset")), "preset"),
        (layered({}, p=strategy("isnull", label("first")), q=strategy("isnull", label("second"))), "first"),
        (layered({}, p=strategy("isnull", label("preset"))), "preset"),
    ],
)
def test_the_later_rank_wins(chart4: Chart, values: Values, winner: str) -> None:
    assert labels(chart4, values)["from"] == winner


def test_both_majors_compose_alike(chart: Chart) -> None:
    values = layered(label("group"), defaults=label("defaults"), p=strategy("post_merge", label("preset")))
    assert labels(chart, values)["from"] == "preset"


def test_maps_of_all_layers_are_merged(chart4: Chart) -> None:
    values = layered(
        {"environment": {"labels": {"c": "3"}}},
        defaults={"environment": {"labels": {"a": "1"}}},
        p={"environment": {"labels": {"b": "2"}}},
    )
    assert labels(chart4, values).items() >= {"a": "1", "b": "2", "c": "3"}.items()


def test_replace_drops_what_the_group_has_in_that_field_only(chart4: Chart) -> None:
    group = {"environment": {"labels": {"a": "1"}}, "resources": {"requests": {"cpu": 1}}}
    objects = chart4.render(layered(group, p=strategy("replace", {"environment": {"labels": {"b": "2"}}})))
    assert "a" not in objects.workload()["spec"]["template"]["metadata"]["labels"]
    assert objects.container()["resources"] == {"requests": {"cpu": 1}}


def test_isnull_never_sets_part_of_a_field(chart4: Chart) -> None:
    preset = strategy("isnull", {"environment": {"priorityClassName": "low"}})
    values = layered({"environment": {"serviceAccountName": "x"}}, p=preset)
    assert "priorityClassName" not in chart4.render(values).pod()


@pytest.mark.parametrize(
    ("field", "lower", "upper"),
    [("hostNetwork", True, False), ("terminationGracePeriodSeconds", 30, 0), ("serviceAccountName", "x", "")],
)
def test_false_zero_and_empty_text_win(chart4: Chart, field: str, lower: object, upper: object) -> None:
    values = layered({"environment": {field: upper}}, defaults={"environment": {field: lower}})
    assert chart4.render(values).pod()[field] == upper


@by_turns(
    "group",
    [
        {"environment": {"priorityClassName": None}},
        {"environment": None},
        {"unset": ["environment"]},
        {"unset": ["environment.priorityClassName"]},
    ],
)
def test_null_and_unset_delete_what_lower_layers_set(chart: Chart, group: Values) -> None:
    values = layered(group, defaults={"environment": {"priorityClassName": "low"}})
    assert "priorityClassName" not in chart.render(values).pod()


def test_a_preset_may_delete_too(chart4: Chart) -> None:
    values = layered({}, defaults={"environment": {"priorityClassName": "low"}}, p={"unset": ["environment"]})
    assert "priorityClassName" not in chart4.render(values).pod()


def test_what_is_unset_can_be_set_anew_in_the_same_layer(chart4: Chart) -> None:
    defaults = {"environment": {"nodeSelector": {"a": "1", "b": "2"}}}
    group = {"unset": ["environment.nodeSelector"], "environment": {"nodeSelector": {"c": "3"}}}
    assert chart4.render(layered(group, defaults=defaults)).pod()["nodeSelector"] == {"c": "3"}


def test_a_path_reaches_a_key_that_holds_dots(chart4: Chart) -> None:
    defaults = {"environment": {"nodeSelector": {"nvidia.com/gpu.product": "H200", "nvidia.com/gpu": "yes"}}}
    group = {"unset": ["environment.nodeSelector.nvidia.com/gpu.product"]}
    assert chart4.render(layered(group, defaults=defaults)).pod()["nodeSelector"] == {"nvidia.com/gpu": "yes"}


def test_a_path_that_begins_with_no_field_is_refused(chart: Chart) -> None:
    refusal = chart.refusal(layered({"unset": ["enviroment.labels"]}))
    assert refusal.startswith('groups.a.unset: "enviroment.labels" begins with no field of a group; a path begins with')


@pytest.mark.parametrize(
    ("defaults", "group", "command"),
    [
        ({"command": ["x"]}, {"cmd": ["a", "b"]}, {"command": ["a", "b"]}),
        ({"command": ["x"], "args": ["y"]}, {"cmd": "echo $A && b"}, {"command": ["sh", "-c", "echo $A && b"]}),
        ({"command": ["x"], "args": ["y"]}, {"container": {"args": ["z"]}}, {"command": ["x"], "args": ["z"]}),
        ({"args": ["x"], "extraArgs": ["y"]}, {"container": {"extraArgs": ["z"]}}, {"args": ["x", "y", "z"]}),
        ({"extraArgs": ["y"]}, {"cmd": ["a"]}, {"command": ["a"], "args": ["y"]}),
        ({"command": ["x"], "args": ["y"]}, {"cmd": []}, {}),
        ({"command": ["x"], "args": ["y"]}, {"cmd": ""}, {}),
        ({"command": ["x"], "args": ["y"]}, {"cmd": None}, {"command": ["x"], "args": ["y"]}),
        ({"command": ["x"], "args": ["y"]}, {"container": {"command": []}}, {"args": ["y"]}),
        ({"command": ["x"], "args": ["y"]}, {"container": {"args": []}}, {"command": ["x"]}),
        ({"args": ["x"], "extraArgs": ["y"]}, {"container": {"args": []}}, {"args": ["y"]}),
    ],
)
def test_command_and_args_are_replaced_and_extra_args_appended(
    chart4: Chart, defaults: Values, group: Values, command: dict[str, Any]
) -> None:
    container = chart4.render(layered(group, defaults={"container": defaults})).container()
    assert {key: container[key] for key in ("command", "args") if key in container} == command


@pytest.mark.parametrize("command", [["x"], []])
def test_a_command_takes_the_place_of_a_lower_cmd(chart4: Chart, command: list[str]) -> None:
    values = layered({"container": {"command": command}}, defaults={"cmd": ["a"]})
    assert chart4.render(values).container().get("command", []) == command


@pytest.mark.parametrize(
    ("preset", "other"),
    [
        ({"cmd": ["a"]}, {"container": {"command": ["b"], "image": "example/app:1"}}),
        ({"cmd": ["a"]}, {"cmd": ["b"], "container": {"image": "example/app:1"}}),
        ({"container": {"command": ["a"], "image": "example/app:1"}}, {"cmd": ["b"]}),
    ],
)
def test_isnull_gives_no_command_where_another_layer_does(chart4: Chart, preset: Values, other: Values) -> None:
    presets = {"p": strategy("isnull", preset)}
    listed = {"presets": ["p"]}
    ways = {"lower": {"defaults": other, "groups": {"a": listed}}, "upper": {"groups": {"a": {**listed, **other}}}}
    found = {name: chart4.render({"presets": presets, **values}).container() for name, values in ways.items()}
    assert {name: container["command"] for name, container in found.items()} == {"lower": ["b"], "upper": ["b"]}


def test_isnull_takes_no_args_from_lower_layers(chart4: Chart) -> None:
    defaults = {"container": {"args": ["b"], "extraArgs": ["c"]}}
    container = chart4.render(layered({}, defaults=defaults, p=strategy("isnull", {"cmd": ["a"]}))).container()
    assert (container["command"], container["args"]) == (["a"], ["b", "c"])


@by_turns(
    ("group", "words"),
    [
        ({"cmd": ["a"], "container": {"command": ["b"]}}, "groups.a: cmd and container.command both say what runs"),
        ({"cmd": "a", "container": {"args": ["b"]}}, "groups.a.cmd: a shell line takes no args, and"),
    ],
)
def test_two_answers_to_what_runs_are_refused(chart: Chart, group: Values, words: str) -> None:
    assert chart.refusal(layered(group)).startswith(words)


def test_a_group_without_an_image_is_refused(chart: Chart) -> None:
    assert chart.refusal({"groups": {"a": {}}}).startswith("groups.a.container.image: no layer gives an image")


def test_one_group_never_leaks_into_another(chart: Chart) -> None:
    group = {
        "container": {"env": {"A": "1"}},
        "environment": {"labels": {"x": "y"}},
        "volumes": {"v": {"emptyDir": {}}},
    }
    together = chart.render(operation({"a": group, "b": {}})).workload("b")
    assert together == chart.render(operation({"b": {}})).workload("b")
