"""Which operations without a running release are on their way out."""

from __future__ import annotations

from typing import Any

import pytest

from helm_roster.policy import ending


def thing(kind: str, *, ends: bool = False) -> dict[str, Any]:
    return {"kind": kind, "metadata": {"name": "x", **({"deletionTimestamp": "2026-01-01T00:00:00Z"} if ends else {})}}


POD, ENDING_POD = thing("Pod"), thing("Pod", ends=True)


@pytest.mark.parametrize(
    ("objects", "state", "ends"),
    [
        pytest.param([ENDING_POD], None, True, id="pods are left"),
        pytest.param([ENDING_POD, POD], None, True, id="a pod is not yet collected"),
        pytest.param([thing("Deployment", ends=True), POD], None, True, id="a workload waits for its pods"),
        pytest.param([thing("Deployment"), ENDING_POD], None, False, id="a rollout without Helm"),
        pytest.param([thing("Deployment"), POD], None, False, id="applied without Helm"),
        pytest.param([], None, False, id="nothing is there"),
        pytest.param([thing("Deployment")], "uninstalling", True, id="Helm is at it"),
        pytest.param([ENDING_POD], "deployed", False, id="installed again"),
    ],
)
def test_what_is_left_tells_whether_an_operation_ends(
    objects: list[dict[str, Any]],
    state: str | None,
    ends: bool,  # noqa: FBT001
) -> None:
    assert ending.is_ending(objects, state) == ends


@pytest.mark.parametrize(
    ("objects", "way"),
    [
        pytest.param([POD, ENDING_POD], "wait until it is gone (helm roster wait op", id="Helm is at it"),
        pytest.param([thing("Deployment"), POD], "helm roster cancel op ends it", id="Helm was killed"),
        pytest.param([], "helm roster cancel op ends it", id="only the record is left"),
    ],
)
def test_where_nothing_is_being_deleted_the_way_is_a_cancellation(objects: list[dict[str, Any]], way: str) -> None:
    assert way in ending.sentence("op", objects)
