"""Accelerators that patches make more, or fewer, than nodes offer."""

from __future__ import annotations

from typing import Any

import pytest

from helm_roster.policy import warnings

from tests.unit.builders import group, plan


@pytest.mark.parametrize(
    ("accelerators", "more", "why"),
    [
        (16, {}, "each pod has 16 NVIDIA H200, but no node offers more than 8, so it stays Pending"),
        (4, {"fillsNode": True}, "each pod takes a whole node, which has 8 NVIDIA H200, and uses 4 of them"),
        (8, {"fillsNode": True}, ""),
        (4, {}, ""),
    ],
)
def test_pods_that_no_node_offers_enough_for_are_told(accelerators: int, more: dict[str, Any], why: str) -> None:
    entry = group(1, accelerators=accelerators, **more)
    entry["accelerator"]["perNode"] = 8
    found = [line for line in warnings.of_plan(plan({"w": entry}, backend="default")) if "with its patches" in line]
    assert found == [f'group "w": with its patches {why}'] * bool(why)
