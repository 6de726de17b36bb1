"""Replicas that span pods under every backend: both templates are marked alike, and what is not kept is refused."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from helm_roster import all_backends
from helm_roster.backends import coscheduling, kai, kueue, native, volcano
from helm_roster.model import plan as plans
from helm_roster.model.plan import Plan

from tests.unit.builders import gang, group, plan

GANGS = [native, volcano, kai, coscheduling]


def decode(replicas: int = 2, **more: Any) -> dict[str, Any]:
    return {"decode": group(replicas, kind="LeaderWorkerSet", podsPerReplica=4, accelerators=1, **more)}


def whole(groups: dict[str, Any] | None = None, minimum: int = 8, **options: Any) -> Plan:
    return plan(groups or decode(), {"step": gang(decode=(minimum, minimum < 8))}, **options)


@pytest.mark.parametrize("backend", all_backends.PLACEMENT)
def test_leaders_and_workers_are_marked_alike_wherever_the_backend_may_set_something(backend: str) -> None:
    asked = whole(backend=backend)
    stamped = copy.deepcopy(asked.workloads["decode"])
    placing = all_backends.PLACEMENT[backend]
    before = copy.deepcopy(stamped)
    assert placing.stamp(stamped, asked.operation.groups["decode"], asked) is (backend != "default")
    leader, worker = plans.pod_templates(stamped).values()
    assert leader == worker
    assert (stamped != before) is (backend != "default")
    assert {plans.membership(one, placing.MEMBERSHIPS) for one in (leader, worker)} != {""} or backend == "default"


@pytest.mark.parametrize("backend", GANGS, ids=lambda backend: str(backend.NAME))
def test_a_gang_of_all_replicas_is_taken(backend: Any) -> None:
    assert backend.check(whole(backend=backend.NAME)) == []


@pytest.mark.parametrize("backend", [native, kai, coscheduling], ids=lambda backend: str(backend.NAME))
@pytest.mark.parametrize(
    ("groups", "minimum"),
    [
        pytest.param(decode(), 4, id="one of two"),
        pytest.param(decode(1, autoscaling={"owner": "hpa", "min": 1, "max": 3}), 4, id="autoscaled"),
    ],
)
def test_a_gang_of_some_replicas_is_refused_where_nothing_tells_their_pods_apart(
    backend: Any, groups: dict[str, Any], minimum: int
) -> None:
    found = backend.check(plan(groups, {"step": gang(decode=(minimum, True))}, backend=backend.NAME))
    replicas = groups["decode"]["replicas"]
    expected = f'gang "step", member "decode": min 1 of {replicas} replicas of 4 pods each cannot be kept by '
    assert [line for line in found if line.startswith(expected)] != []


def test_volcano_takes_some_replicas_by_their_index() -> None:
    asked = whole(minimum=4, backend="volcano")
    assert volcano.check(asked) == []
    (pod_group,) = volcano.objects(asked)
    (policy,) = pod_group["spec"]["subGroupPolicy"]
    assert (policy["subGroupSize"], policy["minSubGroups"]) == (4, 1)
    assert policy["matchLabelKeys"] == ["leaderworkerset.sigs.k8s.io/group-index"]


def test_one_flat_group_of_kube_scheduler_needs_all_pods_of_all_replicas() -> None:
    (pod_group,) = native.objects(whole())
    assert pod_group["spec"]["schedulingPolicy"] == {"gang": {"minCount": 8}}


@pytest.mark.parametrize("gangs", [{}, {"step": gang(decode=(8, False))}], ids=["alone", "in a gang"])
def test_kueue_refuses_replicas_that_span_pods_in_words(gangs: dict[str, Any]) -> None:
    asked = plan(decode(), gangs, admission={"backend": "kueue", "queue": "team"})
    (refusal,) = (line for line in kueue.check(asked) if "LeaderWorkerSet" in line)
    assert refusal == (
        'group "decode": it is a LeaderWorkerSet, and for the pods of one this version asks no quota: set '
        "groups.decode.admission to none and keep it out of gangs, or give it one pod a replica, without workload: "
        "LeaderWorkerSet"
    )
    free = decode(admission={"backend": "none"})
    assert kueue.check(plan(free, admission={"backend": "kueue", "queue": "team"})) == []


def test_a_gang_whose_workers_wait_for_a_ready_leader_is_refused() -> None:
    late = decode(spec={"startupPolicy": "LeaderReady"})
    (refusal,) = native.check(whole(late))
    assert "makes workers once their leader is ready" in refusal


def test_leaders_of_another_priority_than_their_workers_are_refused() -> None:
    (refusal,) = native.check(whole(decode(leaderPod={"priorityClassName": "high"})))
    assert "differ in priorityClassName (decode: none, decode, leader: high)" in refusal
