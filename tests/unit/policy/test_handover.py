"""Replicas that pass from the values to an autoscaler."""

from __future__ import annotations

from typing import Any

import pytest

from helm_roster.manifests.walk import Manifest
from helm_roster.policy import handover

from tests.unit import builders

HPA = {"owner": "hpa", "min": 1, "max": 8}


def held(replicas: int | None, **changes: Any) -> Manifest:
    """Return the workload of group `a` as the release holds it; None for one that was autoscaled already."""
    made = builders.workload("op-a", builders.group(1 if replicas is None else replicas))
    if replicas is None:
        del made["spec"]["replicas"]
    return {**made, **changes}


def resets(before: Manifest, autoscaling: dict[str, Any] | None = HPA, live: dict[str, int] | None = None) -> list[str]:
    more = {"autoscaling": autoscaling} if autoscaling else {}
    return handover.resets([before], builders.plan({"a": builders.group(1, **more)}), live or {}, way_out="say please")


def test_a_group_that_the_release_held_at_a_number_would_be_reset() -> None:
    (refusal,) = resets(held(4))
    assert refusal.startswith('group "a": autoscaling takes "replicas: 4" out of StatefulSet op-a, and what runs would')
    assert "reset to 1" in refusal
    assert refusal.endswith("say please, or leave autoscaling out")


def test_so_would_one_of_an_external_autoscaler() -> None:
    assert resets(held(4), {"owner": "external", "min": 1})


@pytest.mark.parametrize("replicas", [0, 1])
def test_a_single_replica_or_none_has_nothing_to_lose(replicas: int) -> None:
    assert resets(held(replicas)) == []


@pytest.mark.parametrize(("running", "refused"), [(0, False), (1, False), (5, True)])
def test_what_runs_now_counts_more_than_what_the_release_holds(running: int, refused: bool) -> None:  # noqa: FBT001
    for replicas in (1, 4):
        assert bool(resets(held(replicas), live={"a": running})) == refused


def test_a_group_that_was_autoscaled_before_goes_on() -> None:
    assert resets(held(None)) == []


def test_a_group_that_is_not_autoscaled_is_no_matter() -> None:
    assert resets(held(4), None) == []


def test_a_workload_of_another_kind_is_replaced_and_not_reset() -> None:
    assert resets(held(4, kind="Deployment")) == []
