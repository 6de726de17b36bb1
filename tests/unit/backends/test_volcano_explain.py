"""What the Volcano backend says of groups that are there, from their PodGroup, pods and queue."""

from __future__ import annotations

import copy
from datetime import timedelta
from typing import Any

import pytest

from helm_roster.backends import volcano
from helm_roster.model.live import Live, LiveGroup

from tests.unit.asks import NOW, Asked

KIND = {"apiVersion": "scheduling.volcano.sh/v1beta1", "kind": "PodGroup"}
HELD = {
    "type": "Unschedulable",
    "status": "True",
    "message": "2/4 tasks in gang unschedulable: pod group is not ready",
    "lastTransitionTime": "2026-11-29T11:59:30Z",
}
RAN = {
    "type": "Scheduled",
    "status": "True",
    "reason": "tasks in gang are ready to be scheduled",
    "lastTransitionTime": "2026-11-29T11:59:20Z",
}


def queues(**states: str) -> Asked:
    kind = {"apiVersion": "scheduling.volcano.sh/v1beta1", "kind": "Queue"}
    return Asked(
        ["Queue"], *({**kind, "metadata": {"name": name}, "status": {"state": state}} for name, state in states.items())
    )


FINE = queues(default="Open")


def pod(*, bound: bool = False, said: bool = True, age: int = 60, **more: Any) -> dict[str, Any]:
    conditions = [{"type": "PodScheduled", "status": str(bound)}] if said or bound else []
    created = (NOW - timedelta(seconds=age)).isoformat().replace("+00:00", "Z")
    return {
        "metadata": {"creationTimestamp": created, **more.pop("metadata", {})},
        "spec": {"nodeName": "n1"} if bound else {},
        "status": {"phase": "Running" if bound else "Pending", "conditions": conditions, **more},
    }


def pod_group(*conditions: dict[str, Any], phase: str = "Inqueue", **spec: Any) -> dict[str, Any]:
    status = {"phase": phase, "conditions": list(conditions)} if phase else None
    spec = {"minMember": 4, "minTaskMember": {"worker": 4}, "queue": "default", **spec}
    return {**KIND, "metadata": {"name": "pg"}, "spec": spec, **({"status": status} if status else {})}


def live(*pods: dict[str, Any], gang: str = "train", replicas: int = 4, pg: dict[str, Any] | None = None) -> Live:
    template = {"metadata": {"annotations": {"scheduling.k8s.io/group-name": "pg"}}}
    annotations = {"helm-roster.dev/gang": gang} if gang else {}
    workload = {"metadata": {"annotations": annotations}, "spec": {"replicas": replicas, "template": template}}
    groups = {"worker": LiveGroup(name="worker", workload=workload, pods=pods)}
    return Live(name="op", namespace="default", groups=groups, grouping=[pg] if pg else [])


def only(seen: Live, ask: Asked = FINE) -> Any:
    (decision,) = volcano.explain(seen, ask)
    return decision


def test_a_held_gang_is_explained_in_volcanos_words() -> None:
    decision = only(live(*[pod()] * 4, pg=pod_group(HELD)))
    assert (decision.gang, decision.group, decision.state) == ("train", "worker", "waiting")
    assert decision.message == HELD["message"]


@pytest.mark.parametrize("conditions", [[HELD], [HELD, RAN], [RAN, HELD]])
def test_a_gang_that_volcano_has_run_had_its_places(conditions: list[dict[str, Any]]) -> None:
    assert only(live(*[pod()] * 4, pg=pod_group(*conditions))).was_placed == (RAN in conditions)


def told(pod: dict[str, Any], message: str) -> dict[str, Any]:
    """Return the pod with the scheduler's message on it, written ten seconds ago."""
    pod["status"]["conditions"][0] |= {"message": message, "lastTransitionTime": "2026-11-29T11:59:50Z"}
    return pod


@pytest.mark.parametrize(
    ("pods", "conditions"),
    [
        pytest.param([*[pod(bound=True)] * 3, pod(age=10)], [HELD], id="a pod was made since"),
        pytest.param([*[told(pod(bound=True), "")] * 3, pod()], [HELD], id="pods were placed since"),
        pytest.param([pod()] * 4, [HELD, RAN | {"lastTransitionTime": "2026-11-29T11:59:40Z"}], id="it ran since"),
        pytest.param([pod()] * 4, [HELD | {"lastTransitionTime": None}], id="nobody knows when"),
    ],
)
@pytest.mark.parametrize("words", ["no node fits", ""])
def test_words_of_another_time_are_not_repeated(
    pods: list[dict[str, Any]], conditions: list[dict[str, Any]], words: str
) -> None:
    pods = [*pods[:3], told(copy.deepcopy(pods[3]), words)]
    message = only(live(*pods, pg=pod_group(*conditions))).message
    assert message == (words or "Volcano has not decided on it yet")


@pytest.mark.parametrize("conditions", [[HELD, RAN], [RAN, HELD]])
def test_the_newest_condition_counts_in_whatever_order_they_stand(conditions: list[dict[str, Any]]) -> None:
    pods = [*[pod(bound=True)] * 3, told(pod(), "no node fits")]
    assert only(live(*pods, pg=pod_group(*conditions))).message == HELD["message"]


def test_a_condition_that_was_never_cleared_is_not_believed() -> None:
    assert only(live(*[pod(bound=True)] * 4, pg=pod_group(HELD, RAN, phase="Running"))).state == "placed"


def test_a_gang_that_was_placed_and_lost_pods_waits() -> None:
    lost = [pod(bound=True)] * 3
    for fourth in (
        pod(),
        pod(bound=True, metadata={"deletionTimestamp": "2026-11-29T12:00:00Z"}),
        pod(bound=True, phase="Failed"),
    ):
        assert only(live(*lost, fourth, pg=pod_group(HELD, RAN, phase="Unknown"))).state == "waiting"


def test_pods_that_ended_well_keep_their_place() -> None:
    assert only(live(*[pod(bound=True, phase="Succeeded")] * 4, pg=pod_group(RAN, phase="Completed"))).state == "placed"


def test_the_minimum_of_sub_groups_is_that_of_their_policy() -> None:
    policy = [{"name": "worker", "subGroupSize": 2, "minSubGroups": 1}]
    made = pod_group(RAN, minTaskMember={}, subGroupPolicy=policy)
    assert only(live(*[pod(bound=True)] * 2, *[pod()] * 2, pg=made)).state == "placed"
    assert only(live(pod(bound=True), *[pod()] * 3, pg=made)).state == "waiting"


@pytest.mark.parametrize("gang", ["train", ""], ids=["gang", "no gang"])
def test_a_pod_group_that_is_gone_or_going_is_named(gang: str) -> None:
    gone = only(live(pod(said=False), gang=gang))
    going = pod_group()
    going["metadata"]["deletionTimestamp"] = "2026-11-30T00:00:00Z"
    terminating = only(live(pod(said=False), gang=gang, replicas=3, pg=going))
    assert (gone.state, terminating.state) == ("broken", "broken")
    assert "PodGroup pg is gone" in gone.message
    assert "PodGroup pg is being deleted" in terminating.message


def test_replicas_below_the_gangs_minimum_are_named() -> None:
    decision = only(live(*[pod(bound=True)] * 3, replicas=3, pg=pod_group(RAN)))
    assert decision.state == "broken"
    assert "worker asks for 3 of the 4 pods that its gang needs" in decision.message


def test_replicas_that_an_autoscaler_has_yet_to_raise_are_waited_for() -> None:
    seen = live(pod(), replicas=1, pg=pod_group())
    (seen.groups["worker"].workload or {})["metadata"]["annotations"]["helm-roster.dev/autoscaler"] = "hpa"
    decision = only(seen)
    assert (decision.state, "until its autoscaler (hpa) raises it" in decision.message) == ("waiting", True)


@pytest.mark.parametrize("gang", ["train", ""], ids=["gang", "no gang"])
@pytest.mark.parametrize(
    ("there", "words"),
    [(queues(), 'Volcano has no queue "default"'), (queues(default="Closed"), 'queue "default" is Closed')],
    ids=["missing", "closed"],
)
def test_a_queue_that_places_nothing_is_named(there: Asked, words: str, gang: str) -> None:
    minima = {"worker": 4} if gang else {}
    decision = only(live(pod(said=False), gang=gang, pg=pod_group(phase="", minTaskMember=minima)), there)
    assert (decision.state, words in decision.message) == ("waiting", True)


@pytest.mark.parametrize("there", [Asked([]), FINE, queues(default="")], ids=["unreadable", "open", "no state"])
def test_a_queue_that_says_nothing_is_not_blamed(there: Asked) -> None:
    assert "queue" not in only(live(*[pod()] * 4, pg=pod_group(HELD)), there).message


def test_a_scheduler_that_says_nothing_for_long_may_be_down() -> None:
    silent = pod_group(phase="")
    assert only(live(pod(said=False, age=20), pg=silent)).message == "Volcano has not decided on it yet"
    assert (
        "said nothing for 30 s: ask whether its scheduler runs"
        in only(live(pod(said=False, age=40), pg=silent)).message
    )
    assert "nothing" not in only(live(pod(age=40), pg=pod_group(HELD))).message


@pytest.mark.parametrize("where", ["gang", "member"])
def test_a_required_locality_is_named_since_volcano_does_not(where: str) -> None:
    hard = {"networkTopology": {"mode": "hard", "highestTierAllowed": 1}}
    policy = {"name": "worker", "subGroupSize": 4, "minSubGroups": 1, **hard}
    made = pod_group(HELD, **(hard if where == "gang" else {"subGroupPolicy": [policy]}))
    message = only(live(*[pod()] * 4, pg=made)).message
    assert message == f"{HELD['message']}; it must fit within one HyperNode of tier 1"


def test_a_group_outside_gangs_is_mentioned_only_when_more_than_its_pods_say_holds_it() -> None:
    fine = pod_group(RAN, minMember=1, minTaskMember={})
    assert volcano.explain(live(*[pod(bound=True)] * 4, gang="", pg=fine), FINE) == []
    assert volcano.explain(live(*[pod()] * 4, gang="", pg=fine), FINE) == []
    assert volcano.explain(live(gang="", replicas=0, pg=fine), FINE) == []


def test_a_workload_of_another_backend_is_none_of_its_business() -> None:
    seen = live(pod(), pg=pod_group())
    (seen.groups["worker"].workload or {})["spec"]["template"] = {"metadata": {}}
    assert volcano.explain(seen, FINE) == []
