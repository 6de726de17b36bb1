"""What presets select, for people."""

from __future__ import annotations

import io
from typing import Any

import pytest
from rich.console import Console

from helm_roster.report import preset_tables


def requirement(operator: str, *values: str) -> dict[str, Any]:
    return {"key": "zone", "operator": operator, "values": list(values)}


def row(selects: dict[str, Any], *, library: bool = True) -> list[str]:
    entry = {"name": "p", "file": "/library/p.yaml", "library": library, "selects": selects}
    return [str(*column.cells) for column in preset_tables.listed({"presets": [entry]}).columns]


@pytest.mark.parametrize(
    ("selects", "words"),
    [
        ({"model": "M", "resource": "r.com/x"}, "M (r.com/x)"),
        ({"model": "M", "deviceClass": "c"}, "M (class c)"),
        ({"resource": "r.com/x"}, "r.com/x"),
        ({"role": "decode", "sets": ["container"]}, "role decode"),
        ({"router": True, "sets": ["router"]}, "router"),
        ({"sets": ["container", "volumes"]}, "sets container, volumes"),
        ({"levels": {"rack": "a", "host": "b"}}, "levels rack, host"),
    ],
)
def test_what_is_selected_is_told_in_a_few_words(selects: dict[str, Any], words: str) -> None:
    assert row(selects)[1] == words


@pytest.mark.parametrize(
    ("selects", "words"),
    [
        ({}, "-"),
        ({"nodeSelector": {"a": "b"}, "requireNodes": {"x": requirement("In", "p", "q", "r")}},
         "a=b, zone=p|q and 1 more"),
        ({"requireNodes": [requirement("Exists")]}, "zone"),
        ({"requireNodes": {"x": requirement("NotIn", "p"), "y": requirement("Gt", "3")}}, "zone not p, zone Gt 3"),
    ],
)  # fmt: skip
def test_nodes_are_told_by_their_labels(selects: dict[str, Any], words: str) -> None:
    assert row(selects)[2] == words


def test_what_comes_along_is_told_and_where_the_preset_is() -> None:
    selects = {"devices": ["r.com/nic"], "networks": ["n"], "claims": ["imex"], "topology": "4x4", "fillsNode": True}
    assert row(selects)[3:] == ["r.com/nic, network n, claim imex, slice 4x4, whole nodes", "p.yaml"]
    assert row({}, library=False)[4] == "/library/p.yaml"


def test_names_are_whole_also_where_the_terminal_is_narrow() -> None:
    terminal = Console(width=60, file=io.StringIO())
    with terminal.capture() as shown:
        terminal.print(preset_tables.made(("name", "nodes"), [("roster/mig-h200-1g-18gb-single", "x" * 80)]))
    assert "roster/mig-h200-1g-18gb-single " in shown.get()
