"""What the native backend says of gangs that are there, from what the scheduler wrote into them."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from helm_roster.backend_base import ApiKind
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


class Served(NoCluster):
    """A cluster that serves these kinds only, at a time of its own."""

    def __init__(self, *kinds: str, seconds: int = 0) -> None:
        self._kinds, self._now = kinds, CREATED + timedelta(seconds=seconds)

    def serves(self, kind: ApiKind) -> bool:
        """Return whether the kind is one of these."""
        return kind.kind in self._kinds

    def now(self) -> datetime:
        """Return that time."""
        return self._now


CREATED = datetime(2026, 1, 1, tzinfo=UTC)


@pytest.mark.parametrize(
    ("seen", "kinds", "words"),
    [
        pytest.param(live(present=False), (), "serves no PodGroup (scheduling.k8s.io/v1beta1) any more", id="flat"),
        pytest.param(
            live(PLACED, parent="root"),
            ("PodGroup",),
            "serves no CompositePodGroup (scheduling.k8s.io/v1alpha3) any more",
            id="composite",
        ),
    ],
)
def test_a_kind_that_is_no_longer_served_is_named_with_what_serves_it(
    seen: Live, kinds: tuple[str, ...], words: str
) -> None:
    (decision,) = native.explain(seen, Served(*kinds))
    assert decision.state == "broken"
    assert words in decision.message
    assert "--runtime-config=scheduling.k8s.io/v1" in decision.message


def pod(*, phase: str = "Pending", said: str = "", node: str = "") -> dict[str, Any]:
    """Return a pod; ``said`` is what the scheduler says of it."""
    conditions = [{"type": "PodScheduled", "status": "False", "message": said}] if said else []
    return {
        "metadata": {"name": "w-0", "creationTimestamp": CREATED.strftime("%Y-%m-%dT%H:%M:%SZ")},
        "spec": {"nodeName": node} if node else {},
        "status": {"phase": phase, "conditions": conditions},
    }


def with_pods(*pods: dict[str, Any], conditions: Sequence[dict[str, Any]] = ()) -> Live:
    seen = live(*conditions)
    return seen.replace(groups={"worker": seen.groups["worker"].replace(pods=pods)})


RUNS = pod(phase="Running", node="n")
OVER = pod(phase="Failed", node="n")


@pytest.mark.parametrize("conditions", [[], [PLACED]], ids=["nothing said", "placed once"])
@pytest.mark.parametrize(
    ("pods", "state"),
    [
        pytest.param([RUNS] * 4, "placed", id="all"),
        pytest.param([*[RUNS] * 4, pod()], "placed", id="an extra one waits"),
        pytest.param([*[RUNS] * 3, pod()], "waiting", id="one waits"),
        pytest.param([*[RUNS] * 3, OVER], "waiting", id="one ended badly"),
        pytest.param([pod()] * 4, "waiting", id="none"),
        pytest.param([], "waiting", id="no pods"),
    ],
)
def test_a_gang_is_placed_while_its_minimum_has_places(
    pods: list[dict[str, Any]], state: str, conditions: list[dict[str, Any]]
) -> None:
    (decision,) = native.explain(with_pods(*pods, conditions=conditions), Served("PodGroup"))
    assert (decision.state, decision.was_placed) == (state, bool(conditions))


HELD = {"type": "PodGroupInitiallyScheduled", "status": "False", "message": "minCount (4) cannot be satisfied"}


@pytest.mark.parametrize(
    ("seen", "words"),
    [
        pytest.param(with_pods(pod(), pod(), pod(), pod()), "has said nothing for 60 s: it does not run", id="down"),
        pytest.param(
            with_pods(RUNS, RUNS, RUNS, pod(), conditions=[PLACED]), "has said nothing for 60 s", id="down since"
        ),
        pytest.param(with_pods(RUNS, RUNS, pod()), "worker has 3 of the 4 pods that its gang needs", id="too few pods"),
        pytest.param(
            with_pods(pod(phase="Succeeded"), RUNS, RUNS, pod(), conditions=[PLACED]),
            "do not count (kubernetes/kubernetes#142330): run again with another operation.run",
            id="others have completed",
        ),
    ],
)
def test_a_pod_of_which_nothing_is_said_is_explained_from_its_gang(seen: Live, words: str) -> None:
    (decision,) = native.explain(seen, Served("PodGroup", seconds=60))
    assert decision.state == "waiting"
    assert words in decision.message


@pytest.mark.parametrize(
    ("seen", "seconds", "message"),
    [
        pytest.param(with_pods(*[pod()] * 4), 20, "kube-scheduler has not decided on it yet", id="it has had no time"),
        pytest.param(with_pods(*[pod()] * 4, conditions=[HELD]), 60, HELD["message"], id="said of the group"),
        pytest.param(
            with_pods(*[RUNS] * 3, pod(said="no node"), conditions=[PLACED]),
            60,
            "3 of 4 pods have a place: no node",
            id="said of the pod",
        ),
    ],
)
def test_a_scheduler_that_says_something_or_has_had_no_time_is_not_said_to_be_silent(
    seen: Live, seconds: int, message: str
) -> None:
    (decision,) = native.explain(seen, Served("PodGroup", seconds=seconds))
    assert decision.message == message


def test_too_few_pods_of_one_member_explain_the_silence_on_another() -> None:
    seen = with_pods(*[pod()] * 4)
    template = {"spec": {"schedulingGroup": {"podGroupName": "other"}}}
    workload = {"metadata": {"annotations": {"helm-roster.dev/gang": "train"}}, "spec": {"template": template}}
    actor = LiveGroup(name="actor", workload=workload)
    other = seen.grouping[0] | {"metadata": {"name": "other"}, "spec": {"schedulingPolicy": {"gang": {"minCount": 1}}}}
    both = seen.replace(groups=seen.groups | {"actor": actor}, grouping=[*seen.grouping, other])
    words = {decision.group: decision.message for decision in native.explain(both, Served("PodGroup", seconds=60))}
    assert words["worker"] == "actor has 0 of the 1 pods that its gang needs"
