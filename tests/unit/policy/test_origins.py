"""Who set a value: paths of the chart's trace, looked up in the values as they were written."""

from __future__ import annotations

from typing import Any

import pytest

from helm_roster.manifests import door
from helm_roster.model.written import Written
from helm_roster.policy import origins
from helm_roster.policy.origins import Composed, Origin

SHAPE = {
    "unset": {"@apart": True},
    "container": {"env": {"@by": ["name"]}, "ports": {"@by": ["name"]}, "extraArgs": {"@append": True}},
    "tolerations": {"@by": ["key", "operator"]},
    "caps": {"@by": []},
    "claimed": {"@each": {"selectors": {"@append": True}}},
    "init": {"@by": ["name"], "env": {"@by": ["name"]}},
}


def written(text: str) -> Written:
    found = Written()
    (data,) = door.load_all(text)
    assert isinstance(data, door.Mapping)
    found.lay("v", data)
    return found


def composed(layers: dict[str, str], values: dict[str, Any] | None = None) -> Composed:
    return Composed(stack=["groups.a", "presets.p/q", "defaults"], layers=layers, values=values or {}, shape=SHAPE)


def origin(path: str, layer: str, text: str, values: dict[str, Any] | None = None) -> Origin:
    (found,) = origins.origins(composed({path: layer}, values), path, [written(text)])
    return found


PLACES = [
    pytest.param("groups.a", "x.u", "groups:\n  a:\n    x:\n      u: 1\n", "groups.a.x.u", 4, id="a map"),
    pytest.param("presets.p/q", "x", "presets:\n  p/q:\n    x: 1\n", "presets.p/q.x", 3, id="a preset with a slash"),
    pytest.param("defaults", "x.k.io/u", "defaults:\n  x:\n    k.io/u: 1\n", "defaults.x.k.io/u", 3, id="a dotted key"),
    pytest.param(
        "defaults", "container.env.B", "defaults: {container: {env: [{name: A},\n {name: B}]}}",
        "defaults.container.env[1]", 2, id="an entry of a list",
    ),
    pytest.param(
        "defaults", "container.ports.http.containerPort", "defaults:\n  container:\n    ports: {http: 80}\n",
        "defaults.container.ports.http", 3, id="a short form",
    ),
    pytest.param("defaults", "caps.X", "defaults:\n  caps:\n  - Z\n  - X\n", "defaults.caps[1]", 4, id="a bare entry"),
    pytest.param(
        "defaults", "init.i.env.E", "defaults:\n  init:\n    i:\n      env:\n      - name: E\n",
        "defaults.init.i.env[0]", 5, id="a list in an entry",
    ),
    pytest.param("connections.c", "volumes.c", "connections:\n  c: {claim: m}\n", "connections.c", 2, id="made of it"),
]  # fmt: skip


@pytest.mark.parametrize(("layer", "path", "text", "key", "line"), PLACES)
def test_the_place_is_where_the_layer_says_it(layer: str, path: str, text: str, key: str, line: int) -> None:
    found = origin(path, layer, text)
    assert (found.key, str(found.source)) == (key, f"v:{line}")


@pytest.mark.parametrize("handle", ["k/Exists", "named"])
def test_an_entry_with_a_key_of_several_fields_is_found_by_them(handle: str) -> None:
    text = "groups:\n  a:\n    tolerations:\n    - {key: z, operator: Exists}\n    - {key: k, operator: Exists, s: 1}\n"
    values = {"tolerations": {handle: {"key": "k", "operator": "Exists", "s": 1}}}
    found = origin(f"tolerations.{handle}.s", "groups.a", text, values)
    assert (found.value, found.key, str(found.source)) == (1, "groups.a.tolerations[1].s", "v:5")


@pytest.mark.parametrize(
    ("entry", "value"),
    [("1", "1"), ({"name": "E", "value": "1"}, "1"), ({"name": "E", "valueFrom": {}}, {"valueFrom": {}})],
)
def test_a_variable_has_one_value_however_it_was_written(entry: object, value: object) -> None:
    found = origin("container.env.E", "defaults", "{}", {"container": {"env": {"E": entry}}})
    assert found.value == value


def test_what_the_chart_makes_has_no_place() -> None:
    found = origin("replicas", "chart", "groups: {a: {replicas: 2}}", {"replicas": 1})
    assert (found.value, found.key, found.source) == (1, None, None)


def test_all_values_below_a_path_are_given_and_none_beside_it() -> None:
    known = composed({"x.b": "defaults", "x.a": "defaults", "xx": "defaults"})
    assert [found.path for found in origins.origins(known, "x", [Written()])] == ["x.a", "x.b"]
    assert len(origins.origins(known, "", [Written()])) == 3


def test_a_path_into_a_value_that_is_set_whole_gives_that_value() -> None:
    known = composed({"container.env.E": "defaults"})
    assert [found.path for found in origins.origins(known, "container.env.E.valueFrom", [Written()])] == [
        "container.env.E"
    ]


def test_an_entry_that_a_flag_changed_names_the_flag() -> None:
    values = written("groups: {a: {container: {env: [{name: E, value: a}]}}}")
    values.assign("--set …", ("groups", "a", "container", "env", 0, "value"), "b")
    (found,) = origins.origins(composed({"container.env.E": "groups.a"}), "container.env", [values])
    assert str(found.source) == "--set …"


def test_the_charts_own_values_are_looked_up_last() -> None:
    known = composed({"x": "defaults"})
    (found,) = origins.origins(known, "x", [written("groups: {}"), written("\ndefaults: {x: 1}")])
    assert str(found.source) == "v:2"


def test_what_is_read_apart_is_given_as_each_layer_says_it() -> None:
    found = origins.origins(composed({}), "unset", [written("groups: {a: {unset: [x]}}\ndefaults: {unset: [z]}\n")])
    assert [(entry.layer, entry.value) for entry in found] == [("groups.a", ["x"]), ("defaults", ["z"])]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("groups: {a: {x: {u: null}}}", "groups.a.x.u is null (v:1)"),
        ("groups: {a: {x: null}}", "groups.a.x is null (v:1)"),
        ("groups:\n  a:\n    unset: [z, x]\n", "groups.a.unset names x (v:3)"),
        ("presets: {p/q: {unset: [x.u]}}", "presets.p/q.unset names x.u (v:1)"),
    ],
)
def test_who_deleted_a_value_is_told(text: str, said: str) -> None:
    assert list(origins.deletions(composed({}), "x.u", [written(text)])) == [said]


def test_what_is_still_there_was_not_deleted() -> None:
    assert list(origins.deletions(composed({}), "x.u", [written("groups: {a: {x: {z: 1}, unset: [x.z]}}")])) == []


@pytest.mark.parametrize(
    ("asked", "near"), [("container.env.FOOO", "container.env.FOO"), ("container.zzz", "container"), ("zzz", None)]
)
def test_the_nearest_path_with_a_value_is_known(asked: str, near: str | None) -> None:
    assert origins.nearest(composed({"container.env.FOO": "defaults"}), asked) == near


APPENDED = """\
defaults: {container: {extraArgs: [--a, --b]}}
presets:
  p/q: {container: {extraArgs: [--b]}}
groups:
  a: {container: {extraArgs: [--c]}}
"""


def appended(value: list[str], text: str = APPENDED, last: str = "groups.a") -> list[tuple[str, object, str]]:
    """Return layer, part and place of the parts of such a list that the chart attributes to its last layer."""
    known = composed({"container.extraArgs": last}, {"container": {"extraArgs": value}})
    found = origins.origins(known, "container", [written(text)])
    return [(entry.layer, entry.value, str(entry.source)) for entry in found]


def test_of_a_list_to_which_layers_add_each_layers_part_is_told() -> None:
    assert appended(["--a", "--b", "--b", "--c"]) == [
        ("defaults", ["--a", "--b"], "v:1"),
        ("presets.p/q", ["--b"], "v:3"),
        ("groups.a", ["--c"], "v:5"),
    ]


def test_a_layer_whose_part_was_deleted_adds_nothing() -> None:
    assert [layer for layer, *_ in appended(["--c"])] == ["groups.a"]


def test_a_preset_above_the_group_adds_behind_it() -> None:
    text = APPENDED.replace("p/q: {", "p/q: {patchStrategy: post_merge, ")
    found = appended(["--a", "--b", "--c", "--b"], text, last="presets.p/q")
    assert [layer for layer, *_ in found] == ["defaults", "groups.a", "presets.p/q"]


def test_each_layer_adds_to_the_list_of_an_entry_whose_name_is_the_users() -> None:
    path, text = "claimed.nics.selectors", "{claimed: {nics: {selectors: [%s]}}}"
    values = written(f"groups: {{a: {text % 'b'}}}\npresets: {{p/q: {text % 'a'}}}\n")
    found = composed({path: "groups.a"}, {"claimed": {"nics": {"selectors": ["a", "b"]}}})
    parts = origins.origins(found, path, [values])
    assert [(part.layer, part.value) for part in parts] == [("presets.p/q", ["a"]), ("groups.a", ["b"])]


def test_what_stands_in_a_file_that_is_not_read_is_of_an_unknown_layer() -> None:
    found = appended(["--z", "--c"])
    assert [(layer, part) for layer, part, _ in found] == [("unknown", ["--z"]), ("groups.a", ["--c"])]


def test_a_value_of_the_charts_own_defaults_is_found_beside_the_users() -> None:
    known = composed({"x.k": "defaults"})
    sources = [written("defaults: {x: {l: 1}}"), written("\n\ndefaults: {x: {k: 1}}")]
    assert str(origins.origins(known, "x", sources)[0].source) == "v:3"
