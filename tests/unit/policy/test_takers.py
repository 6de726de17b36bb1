"""Who took the place of a gang's pod while it was replaced."""

from __future__ import annotations

from typing import Any

import pytest

from helm_roster import constants
from helm_roster.model.live import Live, LiveGroup
from helm_roster.policy import takers

SPEC = '{"members":{"worker":{"min":2}}}'
POOL = {"pool": "a"}
NODES = [
    {"metadata": {"name": name, "labels": {"pool": pool}}} for name, pool in (("n1", "a"), ("n2", "a"), ("x", "b"))
]


def pod(name: str, node: str = "", *, at: str = "10:00:00", gpu: bool = True, **metadata: str) -> dict[str, Any]:
    """Return a pod that was made at a time, and placed then if it has a node."""
    time = f"2026-01-01T{at}Z"
    limits = {"nvidia.com/gpu": "1"} if gpu else {"cpu": "1"}
    scheduled = [{"type": "PodScheduled", "status": str(bool(node)), "lastTransitionTime": time}]
    return {
        "metadata": {"name": name, "namespace": "team", "uid": name, "creationTimestamp": time, **metadata},
        "spec": {
            "nodeSelector": POOL,
            "containers": [{"resources": {"limits": limits}}],
            **({"nodeName": node} if node else {}),
        },
        "status": {"phase": "Running" if node else "Pending", "conditions": scheduled},
    }


def live(*pods: dict[str, Any]) -> Live:
    annotations = {constants.GANG_ANNOTATION: "step"}
    group = LiveGroup(name="worker", workload={"metadata": {"annotations": annotations}}, pods=pods)
    labels = {constants.GANG_LABEL: "step"}
    grouping = {"metadata": {"labels": labels, "annotations": {constants.GANG_SPEC_ANNOTATION: SPEC}}}
    return Live(name="op", namespace="team", groups={"worker": group}, grouping=[grouping])


def told(*others: dict[str, Any], node: str = "n1") -> str:
    found = live(pod("w-0", node, at="12:00:01"), pod("w-1", at="12:00:00"))
    (held,) = takers.waiting(found).values()
    return takers.told(found, held, [*found.groups["worker"].pods, *others], NODES)


@pytest.mark.parametrize("at", ["11:59:58", "12:00:30"])
def test_a_pod_that_came_to_a_node_of_the_gang_when_its_pod_went_is_named(at: str) -> None:
    assert told(pod("foreign", "n2", at=at)) == "lately others took places on its nodes: team/foreign on n2"


@pytest.mark.parametrize(
    "other",
    [
        pytest.param(pod("foreign", "n2", at="11:00:00"), id="was there before"),
        pytest.param(pod("foreign", "x", at="12:00:01"), id="stands on other nodes"),
        pytest.param(pod("foreign", "n2", at="12:00:01", gpu=False), id="takes no accelerator"),
        pytest.param(pod("foreign", at="12:00:01"), id="has no place"),
        pytest.param(pod("foreign", "n2", at="12:00:01", deletionTimestamp="2026-01-01T12:00:02Z"), id="goes"),
    ],
)
def test_a_pod_that_took_nothing_is_not_named(other: dict[str, Any]) -> None:
    assert not told(other)


def test_where_the_whole_gang_was_evicted_the_place_was_taken_well_before() -> None:
    """A scheduler may do that to a gang which is below its minimum for a while."""
    early = pod("foreign", "n2", at="11:59:00")
    assert (bool(told(early, node="")), told(early)) == (True, "")


@pytest.mark.parametrize(
    "pods",
    [
        pytest.param([pod("w-0", "n1"), pod("w-1", "n2")], id="all have"),
        pytest.param([pod("w-0", "n1"), pod("w-1", "n2"), pod("w-2")], id="an extra one waits"),
    ],
)
def test_nobody_took_a_place_where_the_gang_does_not_wait_for_one(pods: list[dict[str, Any]]) -> None:
    assert not takers.waiting(live(*pods))
