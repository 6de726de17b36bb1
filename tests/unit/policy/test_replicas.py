"""Replicas that span pods, as a cluster shows them."""

from __future__ import annotations

from typing import Any

import pytest

from helm_roster.model.live import Live, LiveGroup
from helm_roster.policy import grouping, health, replicas, rollouts

INDEX = "leaderworkerset.sigs.k8s.io/group-index"
REVISION = "leaderworkerset.sigs.k8s.io/template-revision-hash"


def pods(*ready: int, size: int = 4, revision: str = "a") -> list[dict[str, Any]]:
    """Return the pods of one replica after the other, of which so many are ready."""
    return [
        {
            "kind": "Pod",
            "metadata": {"name": f"p-{replica}-{rank}", "labels": {INDEX: str(replica), REVISION: revision}},
            "spec": {"nodeName": "n"},
            "status": {
                "phase": "Running",
                "conditions": [{"type": "Ready", "status": "True" if rank < count else "False"}],
            },
        }
        for replica, count in enumerate(ready)
        for rank in range(size)
    ]


def workload(count: int = 2, size: int = 4, *, partition: int = 0, **status: Any) -> dict[str, Any]:
    strategy = {"rollingUpdateConfiguration": {"partition": partition}}
    spec = {"replicas": count, "leaderWorkerTemplate": {"size": size}, "rolloutStrategy": strategy}
    return {"kind": "LeaderWorkerSet", "metadata": {"name": "op-decode", "uid": "u"}, "spec": spec, "status": status}


@pytest.mark.parametrize(("ready", "expected"), [((4, 4), 2), ((4, 3), 1), ((3, 3), 0), ((), 0)])
def test_a_replica_is_ready_when_all_its_pods_are(ready: tuple[int, ...], expected: int) -> None:
    assert replicas.ready(workload(), pods(*ready)) == expected


def test_of_every_other_kind_a_pod_is_a_replica() -> None:
    other = {"kind": "StatefulSet", "spec": {"replicas": 8}}
    assert (replicas.size(other), replicas.pods_wanted(other), replicas.ready(other, pods(4, 3))) == (1, 8, 7)


def test_a_group_wants_all_pods_of_its_replicas() -> None:
    found = LiveGroup(name="decode", workload=workload(), pods=pods(4, 3))
    (group,) = health.assess(Live(name="op", namespace="n", groups={"decode": found})).groups
    assert (group.desired, group.ready, group.ready_replicas, group.whole) == (8, 7, 1, False)
    assert grouping.wanted(found) == 8


@pytest.mark.parametrize(("ready", "expected"), [((3, 3), False), ((4, 0), True)])
def test_a_router_needs_a_whole_replica_of_what_it_serves(ready: tuple[int, ...], *, expected: bool) -> None:
    marks = {"helm-roster.dev/router": "true", "helm-roster.dev/requires": "decode"}
    front = {"kind": "StatefulSet", "metadata": {"name": "r", "annotations": marks}, "spec": {"replicas": 1}}
    groups = {
        "router": LiveGroup(name="router", workload=front, pods=pods(1, size=1)),
        "decode": LiveGroup(name="decode", workload=workload(), pods=pods(*ready)),
    }
    assert health.assess(Live(name="op", namespace="n", groups=groups)).ready is expected


def test_only_pods_of_the_newest_template_count_unless_a_partition_keeps_old_ones() -> None:
    def count(partition: int) -> int:
        found = workload(partition=partition, replicas=2, updatedReplicas=1)
        group = LiveGroup(name="decode", workload=found, pods=pods(4) + pods(4, revision="b"), template="b")
        return len(rollouts.newest(Live(name="op", namespace="n", groups={"decode": group})).groups["decode"].pods)

    assert (count(0), count(1)) == (4, 8)
