"""Who took the place of a gang's pod while it was replaced."""

from __future__ import annotations

from typing import Any

import pytest

from helm_roster import constants
from helm_roster.model.live import Live, LiveGroup
from helm_roster.policy import takers

SPEC = '{"members":{"worker":{"min":2}}}'
POOL = {"pool": "a"}
TAINTS = {"taints": [{"key": "own", "value": "other", "effect": "NoSchedule"}]}
NODES = [
    {
        "metadata": {"name": name, "labels": {"pool": pool}},
        "spec": TAINTS if name == "tainted" else {},
        "status": {"allocatable": {"nvidia.com/gpu": "1"}},
    }
    for name, pool in (("n1", "a"), ("n2", "a"), ("tainted", "a"), ("x", "b"))
]


def pod(name: str, node: str = "", *, at: str = "10:00:00", gpu: bool = True, **metadata: Any) -> dict[str, Any]:
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


def told(*others: dict[str, Any], node: str = "n1", gpu: bool = True) -> str:
    found = live(pod("w-0", node, at="12:00:01", gpu=gpu), pod("w-1", at="12:00:00", gpu=gpu))
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
        pytest.param(pod("foreign", "tainted", at="12:00:01"), id="stands on a node that is not tolerated"),
        pytest.param(
            pod("foreign", "n2", at="12:00:01", ownerReferences=[{"kind": "DaemonSet"}]), id="stands on every node"
        ),
        pytest.param(pod("foreign", "n2", at="12:00:01", ownerReferences=[{"kind": "Node"}]), id="is the node's"),
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


def test_of_a_share_of_a_nodes_cpu_nobody_is_said_to_have_taken_it() -> None:
    assert not told(pod("foreign", "n2", at="12:00:01", gpu=False), gpu=False)


@pytest.mark.parametrize("where", ["the pod that waits", "the other pod"])
def test_objects_without_times_blame_nobody(where: str) -> None:
    held, other = pod("w-1"), pod("foreign", "n2")
    if where == "the pod that waits":
        held["metadata"]["creationTimestamp"] = None
    else:
        other["status"]["conditions"][0]["lastTransitionTime"] = None
    assert takers.told(live(held), [held], [other], NODES) == ""


@pytest.mark.parametrize(
    ("others", "made", "told"),
    [
        pytest.param([pod("w-0", "n1", at="12:00:03")], "12:00:00", False, id="bound at the first placement"),
        pytest.param([pod("w-0", "n1", at="11:00:00")], "12:00:00", True, id="bound before"),
        pytest.param([pod("w-0", at="11:00:00")], "12:00:00", False, id="never bound"),
    ],
)
def test_a_gang_of_which_a_pod_had_a_place_when_another_was_made_had_all_places(
    others: list[dict[str, Any]],
    made: str,
    told: bool,  # noqa: FBT001
) -> None:
    held = pod("w-1", at=made)
    assert takers.has_survivors(live(*others, held), "step", [held]) == told
