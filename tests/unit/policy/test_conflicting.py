"""Presets of one group that ask for different nodes."""

from __future__ import annotations

import json
from typing import Any

import pytest

from helm_roster.manifests import door
from helm_roster.model.written import Written
from helm_roster.policy import conflicting

from tests.unit.builders import group, plan

GPU = {"model": "NVIDIA H200", "resource": "nvidia.com/gpu"}


def told(one: dict[str, Any], other: dict[str, Any], selector: dict[str, str] | None = None) -> list[str]:
    """Return what is told of a group that takes two presets and whose pods select nodes so."""
    written = Written()
    (data,) = door.load_all(json.dumps({"presets": {"t/one": one, "t/two": other}}))
    assert isinstance(data, dict)
    written.lay("v.yaml", data)
    entry = group(1, presets=["t/one", "t/two"], pod={"nodeSelector": selector or {}})
    return list(conflicting.warnings(plan({"web": entry}, backend="default"), written))


def nodes(accelerator: dict[str, str] | None = None, **labels: str) -> dict[str, Any]:
    return {"environment": {"nodeSelector": labels}, **({"accelerator": accelerator} if accelerator else {})}


def test_different_values_of_one_label_are_told_with_the_one_that_is_left() -> None:
    assert told(nodes(pool="a"), nodes(pool="b"), {"pool": "b"}) == [
        (
            'group "web": presets "t/one" and "t/two" select nodes by different values of pool ("a", "b"), of which '
            '"b" is left; keep one of them'
        )
    ]


@pytest.mark.parametrize(
    ("one", "other", "selector"),
    [
        (nodes(pool="a"), nodes(pool="a"), {"pool": "a"}),
        (nodes(pool="a"), nodes(zone="b"), {"pool": "a", "zone": "b"}),
        (nodes(pool="a"), nodes(pool="b"), {"pool": "own"}),
        (nodes(GPU, pool="a"), nodes(GPU, pool="a", zone="b"), {"pool": "a", "zone": "b"}),
        (nodes(GPU, pool="a"), nodes(GPU), {"pool": "a"}),
    ],
    ids=["equal", "of different labels", "the group's own wins", "one holds the other", "one without labels"],
)
def test_presets_that_go_together_are_not(one: dict[str, Any], other: dict[str, Any], selector: dict[str, str]) -> None:
    assert told(one, other, selector) == []


def test_one_model_on_two_platforms_is_told() -> None:
    eks = {"accelerator": GPU, "environment": {"requireNodes": {"type": {"key": "t", "operator": "Exists"}}}}
    (warning,) = told(nodes(GPU, gke="h200"), eks, {"gke": "h200"})
    assert warning.startswith(
        'group "web": presets "t/one" and "t/two" both select NVIDIA H200, each by its own labels'
    )


@pytest.mark.parametrize(
    ("preset", "now", "warned"),
    [(nodes(GPU, pool="h200"), "h100", True), (nodes(GPU, pool="h200"), "h200", False), (nodes(pool="a"), "b", False)],
)
def test_a_label_of_the_model_that_the_group_overrides_is_told(
    preset: dict[str, Any], now: str, *, warned: bool
) -> None:
    said = told(preset, {}, {"pool": now})
    expected = 'group "web": preset "t/one" selects NVIDIA H200 by pool=h200, but "h100" is put over that, and the sums'
    assert [line.startswith(expected) for line in said] == [True] * warned
