"""What the native backend says of gangs that are there, from what the scheduler wrote into them."""

from __future__ import annotations

from typing import Any

import pytest

from helm_roster.backends import native
from helm_roster.cluster.asking import NoCluster
from helm_roster.model.live import Live, LiveGroup


def live(
    *conditions: dict[str, Any], present: bool = True, replicas: int = 4, parent: str = "", **metadata: str
) -> Live:
    annotations = {"helm-roster.dev/gang": "train"}
    template = {"spec": {"schedulingGroup": {"podGroupName": "pg"}}}
    workload = {"metadata": {"annotations": annotations}, "spec": {"replicas": replicas, "template": template}}
    spec = {
        "schedulingPolicy": {"gang": {"minCount": 4}},
        **({"parentCompositePodGroupName": parent} if parent else {}),
    }
    pod_group = {
        "kind": "PodGroup",
        "metadata": {"name": "pg", **metadata},
        "spec": spec,
        "status": {"conditions": list(conditions)},
    }
    groups = {"worker": LiveGroup(name="worker", workload=workload)}
    return Live(name="op", namespace="default", groups=groups, grouping=[pod_group] if present else [])


NO_CLUSTER = NoCluster()
PLACED = {"type": "PodGroupInitiallyScheduled", "status": "True"}


def test_a_held_gang_is_explained_in_the_schedulers_words() -> None:
    condition = {"type": "PodGroupInitiallyScheduled", "status": "False", "message": "minCount (4) cannot be satisfied"}
    (decision,) = native.explain(live(condition), NO_CLUSTER)
    assert (decision.gang, decision.group, decision.state) == ("train", "worker", "waiting")
    assert decision.message == "minCount (4) cannot be satisfied"


def test_a_placed_gang_is_placed() -> None:
    (decision,) = native.explain(live({"type": "PodGroupInitiallyScheduled", "status": "True"}), NO_CLUSTER)
    assert decision.state == "placed"


def test_a_pod_group_that_is_gone_is_named() -> None:
    (decision,) = native.explain(live(present=False), NO_CLUSTER)
    assert decision.state == "broken"
    assert "PodGroup pg is gone" in decision.message


@pytest.mark.parametrize(
    ("seen", "words"),
    [
        pytest.param(live(PLACED, deletionTimestamp="2026-01-01T00:00:00Z"), "is being deleted", id="terminating"),
        pytest.param(live(PLACED, parent="root"), "CompositePodGroup root is gone", id="parent gone"),
    ],
)
def test_a_group_that_would_hold_new_pods_for_ever_is_broken(seen: Live, words: str) -> None:
    (decision,) = native.explain(seen, NO_CLUSTER)
    assert decision.state == "broken"
    assert words in decision.message


def test_replicas_below_the_gangs_minimum_are_named() -> None:
    (decision,) = native.explain(live({"type": "PodGroupInitiallyScheduled", "status": "True"}, replicas=3), NO_CLUSTER)
    assert decision.state == "broken"
    assert "worker asks for 3 of the 4 pods" in decision.message


def test_replicas_that_an_autoscaler_has_yet_to_raise_are_waited_for() -> None:
    seen = live(replicas=1)
    (seen.groups["worker"].workload or {})["metadata"]["annotations"]["helm-roster.dev/autoscaler"] = "hpa"
    (decision,) = native.explain(seen, NO_CLUSTER)
    assert decision.state == "waiting"
    assert "asks for 1 of the 4 pods that its gang needs: until its autoscaler (hpa) raises it" in decision.message
