"""What layers give pods with few words, and more than was meant."""

from __future__ import annotations

import json
from typing import Any

import pytest

from helm_roster.model.written import Written
from helm_roster.policy import careless

from tests.unit.builders import group, plan

PRESET = {"environment": {"hostNetwork": True}, "container": {"securityContext": {"privileged": True}}}


@pytest.mark.parametrize(
    ("handle", "entry", "warned"),
    [
        ("example.com/gpu", {"operator": "Exists"}, True),
        ("gpu", {"operator": "Exists", "effect": "NoSchedule"}, True),
        ("gpu", {"operator": "Exists", "key": "example.com/gpu"}, False),
        ("gpu", {"operator": "Exists", "key": ""}, False),
        ("/Exists//", {"operator": "Exists"}, False),
    ],
)
def test_a_toleration_whose_name_is_taken_for_its_key_is_told_once(
    handle: str, entry: dict[str, str], *, warned: bool
) -> None:
    composed = {"environment": {"tolerations": {"@order": [handle], "@names": {}, handle: entry}}}
    path = f"environment.tolerations.{handle}"
    layers = {name: {f"{path}.operator": "presets.p"} for name in ("a", "b")}
    made = plan({name: group(1) for name in layers}, backend="default")
    said = list(careless.keyless(made.operation, dict.fromkeys(layers, composed), layers))
    expected = (
        f'presets.p.{path}: no key, so it bears every taint; say key: {handle}, or, if every one is meant, key: ""'
    )
    assert said == ([expected] if warned else [])


def told(*, own: bool = False, **fields: Any) -> list[str]:
    """Return what is told of a group that takes a preset with the host's network and all rights."""
    written = Written()
    written.lay("v.yaml", {"groups": {"web": {"presets": ["p"] if own else []}}})
    paths = ("environment.hostNetwork", "container.securityContext.privileged")
    resolved = {"layers": {"web": dict.fromkeys(paths, "presets.p")}, "composed": {"web": json.dumps(PRESET)}}
    return list(careless.inherited(plan({"web": group(1, **fields)}, backend="default"), resolved, written))


def test_powers_that_a_preset_of_defaults_gives_a_group_without_accelerators_are_told() -> None:
    assert [line.removeprefix('group "web" asks for no accelerators, and preset "p" of ') for line in told()] == [
        "defaults gives it the host's network; list that preset in the groups that need it",
        "defaults gives it a privileged container; list that preset in the groups that need it",
    ]


def test_powers_of_a_group_that_lists_the_preset_or_has_accelerators_are_its_own() -> None:
    assert told(own=True) == told(accelerators=8) == []
