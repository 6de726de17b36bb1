"""How groups stand with KAI, in its words where it has some."""

from __future__ import annotations

from typing import Any

import pytest

from helm_roster.backends import kai
from helm_roster.manifests.walk import Manifest
from helm_roster.model.live import LiveGroup

from tests.unit import live_objects as make
from tests.unit.asks import Asked
from tests.unit.backends.test_kai_inspect import queue

TEAM = Asked(["Queue"], queue("team"))
EARLIER, LONG_AGO = "2026-11-29T11:59:50Z", "2026-11-29T11:59:00Z"


def pod_group(*said: str, period: str = "", **minima: int) -> Manifest:
    spec: Manifest = {
        "queue": "team",
        "subGroups": [{"name": name, "minMember": count} for name, count in minima.items()],
    }
    conditions = [{"type": "UnschedulableOnNodePool", "status": "True", "message": message} for message in said]
    return {
        "apiVersion": "scheduling.run.ai/v2alpha2",
        "kind": "PodGroup",
        "metadata": {"name": "pg"},
        "spec": spec | ({"stalenessGracePeriod": period} if period else {}),
        "status": {"schedulingConditions": conditions},
    }


def group(name: str, replicas: int, *pods: Manifest, of: str = "step", **more: Any) -> LiveGroup:
    found = make.group(name, replicas, *pods, **({"gang": of} if of else {}), **more)
    assert found.workload
    found.workload["spec"]["template"] = {"metadata": {"annotations": {"pod-group-name": "pg"}}}
    return found


def bound(*names: str) -> list[Manifest]:
    return [make.pod(name) for name in names]


def waiting(*names: str, since: str = EARLIER, says: str = "") -> list[Manifest]:
    pods = [make.pod(name, node="", says=says) for name in names]
    for pod in pods:
        pod["metadata"]["creationTimestamp"] = since
        if not says:
            pod["status"]["conditions"] = []
    return pods


def explained(*groups: LiveGroup, grouping: tuple[Manifest, ...], ask: Asked = TEAM) -> dict[str, tuple[str, str]]:
    decisions = kai.explain(make.live(*groups, grouping=grouping), ask)
    return {decision.group: (decision.state, decision.message) for decision in decisions}


def test_a_member_whose_minimum_has_places_is_placed_whatever_a_condition_says() -> None:
    found = explained(group("a", 2, *bound("a-0", "a-1")), grouping=(pod_group("PodSchedulingErrors: old", a=2),))
    assert found == {"a": ("placed", "")}


def test_a_member_that_waits_is_told_in_kais_words() -> None:
    words = "PodSchedulingErrors: sub-group a requires 2 pods"
    found = explained(group("a", 2, *waiting("a-0", "a-1")), grouping=(pod_group(words, a=2),))
    assert found == {"a": ("waiting", words)}


def test_without_a_condition_the_words_on_a_pod_serve() -> None:
    found = explained(group("a", 2, *waiting("a-0", "a-1", says="no node fits")), grouping=(pod_group(a=2),))
    assert found == {"a": ("waiting", "no node fits")}


@pytest.mark.parametrize(
    ("queues", "words", "said"),
    [
        ([queue("team"), queue("team-a", "team")], ["Unable to schedule podgroup"], 'places nothing in queue "team"'),
        ([queue("other")], [], 'has no queue "team"'),
        ([queue("team", "gone")], [], 'its parentQueue "gone" is not there'),
    ],
)
def test_where_kai_does_not_even_try_its_queue_is_looked_at(
    queues: list[Manifest], words: list[str], said: str
) -> None:
    pods = waiting("a-0", "a-1", says="Unable to schedule pod" if words else "")
    found = explained(group("a", 2, *pods), grouping=(pod_group(*words, a=2),), ask=Asked(["Queue"], *queues))
    assert found["a"][0] == "waiting"
    assert said in found["a"][1]


def test_a_queue_that_only_lets_nothing_of_a_resource_be_used_is_not_why_kai_is_silent() -> None:
    asked = Asked(["Queue"], queue("team", gpu={"quota": 0, "limit": 0}))
    found = explained(group("a", 2, *waiting("a-0")), grouping=(pod_group(a=2),), ask=asked)
    assert found["a"] == ("waiting", "KAI waits until the pods of every minimum exist: there are 1 of 2 a")


def test_a_pod_group_that_is_gone_is_broken() -> None:
    state, message = explained(group("a", 2, *bound("a-0", "a-1")), grouping=())["a"]
    assert (state, message.partition(",")[0]) == ("broken", "PodGroup pg is gone")


def test_a_pod_group_that_is_being_deleted_is_broken() -> None:
    going = pod_group(a=2)
    going["metadata"]["deletionTimestamp"] = make.GONE
    state, message = explained(group("a", 2, *bound("a-0", "a-1")), grouping=(going,))["a"]
    assert (state, message.partition(",")[0]) == ("broken", "PodGroup pg is being deleted")


def test_a_pod_group_of_another_system_is_not_taken_for_kais() -> None:
    other = pod_group(a=2) | {"apiVersion": "scheduling.k8s.io/v1beta1"}
    assert explained(group("a", 2, *bound("a-0", "a-1")), grouping=(other,))["a"][0] == "broken"


def test_a_pod_group_without_the_groups_sub_group_is_broken() -> None:
    state, message = explained(group("a", 2, *bound("a-0", "a-1")), grouping=(pod_group(b=2),))["a"]
    assert (state, message.partition(",")[0]) == ("broken", "PodGroup pg has no sub-group a")


@pytest.mark.parametrize(
    ("period", "said"),
    [
        ("", "all pods of the gang are evicted once that has lasted 60s; bring"),
        ("90s", "all pods of the gang are evicted once that has lasted 90s; bring"),
        ("-1s", "a pod that is lost is not placed again; bring"),
    ],
)
def test_fewer_replicas_than_the_minimum_are_broken_with_what_will_happen(period: str, said: str) -> None:
    found = explained(group("a", 1, *bound("a-0")), grouping=(pod_group(period=period, a=2),))
    assert found["a"][0] == "broken"
    assert found["a"][1].startswith(f"a asks for 1 of the 2 pods that its gang needs: {said}")


def test_fewer_replicas_than_the_minimum_are_no_fault_while_an_autoscaler_may_raise_them() -> None:
    state, message = explained(group("a", 1, autoscaler="hpa"), grouping=(pod_group(a=2),))["a"]
    assert (state, "until its autoscaler (hpa) raises it" in message) == ("waiting", True)


@pytest.mark.parametrize(
    ("period", "said"),
    [
        ("", "all pods of the gang are evicted once that has lasted 60s"),
        ("-1s", "they run on until the others find one too"),
    ],
)
def test_a_gang_that_has_lost_pods_is_told_with_what_follows(period: str, said: str) -> None:
    pods = [*bound("a-0"), *waiting("a-1", says="full")]
    found = explained(group("a", 2, *pods), grouping=(pod_group(period=period, a=2),))
    assert found == {"a": ("waiting", f"1 of 2 pods have a place, and {said}")}


def test_pods_of_another_member_that_do_not_exist_are_named() -> None:
    groups = (group("a", 2, *waiting("a-0", "a-1", since=LONG_AGO)), group("b", 3, *waiting("b-0", since=LONG_AGO)))
    found = explained(*groups, grouping=(pod_group(a=2, b=3),))
    assert found["a"] == ("waiting", "KAI waits until the pods of every minimum exist: there are 1 of 3 b")


@pytest.mark.parametrize(
    ("since", "said"),
    [
        (EARLIER, "KAI has not decided on it yet"),
        (LONG_AGO, "KAI has said nothing for 30 s: ask whether its scheduler runs"),
    ],
)
def test_a_scheduler_that_says_nothing_for_long_is_asked_about(since: str, said: str) -> None:
    found = explained(group("a", 2, *waiting("a-0", "a-1", since=since)), grouping=(pod_group(a=2),))
    assert found == {"a": ("waiting", said)}


def test_a_group_outside_gangs_is_told_only_while_it_waits() -> None:
    alone = pod_group("PodSchedulingErrors: full", a=1)
    assert explained(group("a", 3, *bound("a-0"), of=""), grouping=(alone,)) == {}
    assert explained(group("a", 0, of=""), grouping=(alone,)) == {}
    assert explained(group("a", 1, *waiting("a-0"), of=""), grouping=(alone,)) == {
        "a": ("waiting", "PodSchedulingErrors: full")
    }


def test_pods_of_a_job_that_ended_well_keep_their_place_in_the_count() -> None:
    done = [make.pod(f"a-{number}", phase="Succeeded") for number in range(2)]
    assert explained(group("a", 2, *done, kind="Job"), grouping=(pod_group(a=2),)) == {"a": ("placed", "")}


@pytest.mark.parametrize(("done", "left"), [(("a-0",), ("a-1",)), ((), ("a-0", "a-1"))])
def test_a_pod_that_is_tried_again_after_others_completed_is_broken(
    done: tuple[str, ...], left: tuple[str, ...]
) -> None:
    pods = [*(make.pod(name, phase="Succeeded") for name in done), *waiting(*left)]
    state, message = explained(group("a", 2, *pods, kind="Job"), grouping=(pod_group(a=2),))["a"]
    assert (state, message.startswith("pods of a have completed")) == (("broken", True) if done else ("waiting", False))


def test_a_member_that_completed_strands_the_pods_of_another() -> None:
    done = group("a", 1, make.pod("a-0", phase="Succeeded"), kind="Job")
    found = explained(done, group("b", 1, *waiting("b-0"), kind="Job"), grouping=(pod_group(a=1, b=1),))
    assert found["a"] == ("placed", "")
    assert found["b"][1].startswith("pods of a have completed")


def test_a_member_whose_job_is_over_strands_the_pods_of_another_though_its_own_are_gone() -> None:
    done = group("a", 1, kind="Job", conditions=[{"type": "Complete", "status": "True"}])
    found = explained(done, group("b", 1, *waiting("b-0"), kind="Job"), grouping=(pod_group(a=1, b=1),))
    assert {name: said.partition(",")[0] for name, (_, said) in found.items()} == {"b": "pods of a have completed"}


@pytest.mark.parametrize("started", ["", EARLIER])
def test_a_gang_that_kai_has_started_had_its_places(started: str) -> None:
    made = pod_group(a=2)
    made["metadata"]["annotations"] = {"kai.scheduler/last-start-timestamp": started}
    (found,) = kai.explain(make.live(group("a", 2, *waiting("a-0", "a-1")), grouping=(made,)), TEAM)
    assert found.was_placed == bool(started)
