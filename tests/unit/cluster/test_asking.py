"""What is read of a cluster beyond the operation's own objects."""

from __future__ import annotations

from typing import Any

import pytest

from helm_roster.cluster import asking

from tests.unit.asks import Asked, nothing


def priority_class(name: str, value: int, **more: Any) -> dict[str, Any]:
    made = {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": name}}
    return {**made, "value": value, **more}


@pytest.mark.parametrize(("more", "default"), [({}, 0), ({"globalDefault": True}, -5)], ids=["none", "one"])
def test_pods_without_a_class_are_worth_what_the_default_class_is_else_nothing(
    more: dict[str, Any], default: int
) -> None:
    found = asking.priorities(Asked(["PriorityClass"], priority_class("high", 9), priority_class("low", -5, **more)))
    assert found == {"": default, "high": 9, "low": -5}


def test_priorities_that_may_not_be_read_are_not_known() -> None:
    assert asking.priorities(nothing()) is None
