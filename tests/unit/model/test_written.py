"""The values as they were written: Helm's way of laying sources over each other, with sources."""

from __future__ import annotations

from typing import Any

import pytest

from helm_roster.manifests import door
from helm_roster.model.written import Source, Written


def written(**texts: str) -> Written:
    """Return what files of these names and texts make."""
    found = Written()
    for name, text in texts.items():
        (data,) = door.load_all(text)
        assert isinstance(data, door.Mapping)
        found.lay(name, data)
    return found


def test_maps_merge_and_each_key_knows_its_own_file() -> None:
    found = written(a="x:\n  k: 1\n  l: 2\n", b="x:\n  l: 3\n")
    assert found.values == {"x": {"k": "1", "l": "3"}}
    assert (str(found.source("x", "k")), str(found.source("x", "l"))) == ("a:2", "b:2")


@pytest.mark.parametrize("second", ["x: 1\n", "x: null\n", "x: [1]\n"])
def test_anything_but_a_map_takes_the_place_of_what_was_there(second: str) -> None:
    found = written(a="x: {k: 1}\n", b=second)
    assert (found.source("x", "k"), str(found.source("x"))) == (None, "b:1")


def test_a_flag_comes_over_files_and_is_its_own_source() -> None:
    found = written(a="x: {k: 1}\n")
    found.assign("--set x.k=2", ("x", "k"), "2")
    assert (found.values, str(found.source("x", "k"))) == ({"x": {"k": "2"}}, "--set x.k=2")


def test_a_flag_changes_one_entry_of_a_list() -> None:
    found = written(a="x: [a, b]\n")
    found.assign("--set", ("x", 1), "c")
    assert (found.values, found.replaced) == ({"x": ["a", "c"]}, [])
    assert (found.source("x", 0), found.source("x", 1)) == (Source(name="a", line=1), Source(name="--set"))


def test_a_flag_makes_the_maps_and_lists_on_its_way() -> None:
    found = written(a="x: 1\n")
    found.assign("--set", ("x", "y", 1, "z"), "1")
    assert found.values == {"x": {"y": [None, {"z": "1"}]}}


def test_an_entry_of_a_list_knows_its_line() -> None:
    assert str(written(a="x:\n- k: 1\n- k: 2\n").source("x", 1, "k")) == "a:3"


@pytest.mark.parametrize(
    ("path", "value", "now"),
    [(("x", "l"), ["--set"], ["list"]), (("x", "l"), {"k": 1}, ["map"]), (("x",), {"l": 1}, []), (("x", "l"), "1", [])],
)
def test_a_list_that_a_flag_replaces_is_noted_if_a_list_or_map_follows(
    path: tuple[str, ...], value: Any, now: list[str]
) -> None:
    found = written(a="x:\n  l: [a]\n")
    found.assign("--set", path, value)
    assert [lost.now for lost in found.replaced] == now
    assert all((lost.path, str(lost.old), lost.was) == (path, "a:2", "list") for lost in found.replaced)


@pytest.mark.parametrize(("first", "second", "lost"), [("[a]", "[b]", 1), ("[a]", "[a]", 0), ("[]", "[b]", 0)])
def test_a_list_is_lost_where_another_one_takes_its_place(first: str, second: str, lost: int) -> None:
    found = written(a=f"x: {first}\n", b=f"\nx: {second}\n")
    assert [(entry.path, str(entry.old), str(entry.new)) for entry in found.replaced] == [(("x",), "a:1", "b:2")] * lost


def test_a_preset_in_two_files_is_doubled() -> None:
    (found,) = written(a="presets: {p: {}}\n", b="presets: {p: {}, q: {}}\n").doubled
    assert (found.name, str(found.first), str(found.second)) == ("p", "a:1", "b:1")
