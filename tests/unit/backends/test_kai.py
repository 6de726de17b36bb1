"""What the KAI backend makes and refuses; that the real scheduler keeps it is proven in tests/cluster."""

from __future__ import annotations

from typing import Any

import pytest

from helm_roster.backends import kai
from helm_roster.manifests.walk import Manifest
from helm_roster.model.plan import Plan

from tests.unit import builders
from tests.unit.builders import around, gang, group

RL_GROUPS = {"learner": group(4, accelerators=1), "actor": group(8, accelerators=1)}
RL_GANG = {"step": gang(learner=(4, False), actor=(2, True))}
RACK = {"within": "rack", "label": "example.com/rack", "topology": "cluster"}


def plan(groups: dict[str, Any], gangs: dict[str, Any] | None = None, **options: Any) -> Plan:
    return builders.plan(groups, gangs, backend="kai", **options)


def specs(*arguments: Any, **options: Any) -> list[dict[str, Any]]:
    return [entry["spec"] for entry in kai.objects(plan(*arguments, **options))]


def stamped(name: str, *arguments: Any, **options: Any) -> Manifest:
    template: Manifest = {}
    asked = plan(*arguments, **options)
    assert kai.stamp(around(template), asked.operation.groups[name], asked)
    return template


def named(*arguments: Any, **options: Any) -> list[str]:
    return [entry["metadata"]["name"] for entry in kai.objects(plan(*arguments, **options))]


def test_a_gang_is_one_pod_group_with_a_sub_group_a_member() -> None:
    (spec,) = specs(RL_GROUPS, RL_GANG, queue="research")
    assert spec == {
        "queue": "research",
        "priorityClassName": "train",
        "subGroups": [{"name": "actor", "minMember": 2}, {"name": "learner", "minMember": 4}],
    }


def test_one_member_has_a_sub_group_too() -> None:
    (spec,) = specs({"worker": group(4)}, {"train": gang(worker=(4, False))})
    assert spec["subGroups"] == [{"name": "worker", "minMember": 4}]


def test_members_that_differ_in_order_stand_each_in_its_place() -> None:
    groups = {name: group(1) for name in "abc"}
    (spec,) = specs(groups, {"x": gang(a=(1, False, 20), b=(1, False, 3), c=(1, False, 20))})
    assert spec["subGroups"] == [
        {"name": "place-0"},
        {"name": "place-1"},
        {"name": "b", "minMember": 1, "parent": "place-0"},
        {"name": "a", "minMember": 1, "parent": "place-1"},
        {"name": "c", "minMember": 1, "parent": "place-1"},
    ]


def test_a_place_has_no_members_name() -> None:
    groups = {name: group(1) for name in ("place-0", "place-of-order-1", "rollout")}
    members = {"place-0": (1, False), "place-of-order-1": (1, False, 1), "rollout": (1, False, 2)}
    (spec,) = specs(groups, {"x": gang(**members)})
    found = [entry["name"] for entry in spec["subGroups"]]
    assert len(set(found)) == len(found)
    assert set(members) == {entry["name"] for entry in spec["subGroups"] if "parent" in entry}


def test_ten_places_sort_as_their_names_do() -> None:
    groups = {f"g{number}": group(1) for number in range(11)}
    members = {name: (1, False, int(name[1:])) for name in groups}
    (spec,) = specs(groups, {"x": gang(**members)})
    parents = [entry["parent"] for entry in spec["subGroups"] if "parent" in entry]
    assert parents == sorted(parents)


@pytest.mark.parametrize(
    ("members", "said"),
    [
        ({"a": (4, False)}, []),
        ({"a": (4, False), "b": (4, False)}, ["the minima are placed in one order, a, then b, and no other is tried"]),
        (
            {"a": (4, False, 1), "b": (4, False)},
            ["the minima are placed in one order, b, then a, and no other is tried"],
        ),
        (
            {"a": (2, True), "b": (2, True)},
            [
                "the minima are placed in one order, a, then b, and no other is tried",
                "while a pod above the minimum of one member fits nowhere, those of the others may wait for it",
            ],
        ),
    ],
)
def test_the_order_of_members_and_what_holds_extras_is_told(
    members: dict[str, tuple[int, bool]], said: list[str]
) -> None:
    told = kai.guarantees(plan({"a": group(4), "b": group(4)}, {"x": gang(**members)}))
    assert [line.split(": ", 1)[1] for line in told if line.startswith("gang")] == [
        next(line.split(": ", 1)[1] for line in told if start in line) for start in said
    ]


@pytest.mark.parametrize(("kind", "lines"), [("Job", 1), ("StatefulSet", 0)])
def test_jobs_are_told_that_a_pod_that_fails_late_is_not_placed_again(kind: str, lines: int) -> None:
    told = kai.guarantees(plan({"worker": group(4, kind=kind)}, {"train": gang(worker=(4, False))}))
    assert sum("once a pod has completed, a failed one is not placed again" in line for line in told) == lines


def test_a_group_outside_gangs_has_a_pod_group_of_its_own_with_a_minimum_of_one() -> None:
    _, router = specs({"worker": group(4), "router": group(2)}, {"train": gang(worker=(4, False))})
    assert router["subGroups"] == [{"name": "router", "minMember": 1}]


def test_pods_name_their_sub_group_and_keep_kais_own_grouping_away() -> None:
    template = stamped("learner", RL_GROUPS, RL_GANG, queue="research")
    (name,) = named(RL_GROUPS, RL_GANG, queue="research")
    assert template["metadata"]["annotations"] == {"pod-group-name": name, "kai.scheduler/skip-podgrouper": "true"}
    assert template["metadata"]["labels"] == {
        "kai.scheduler/subgroup-name": "learner",
        "kai.scheduler/queue": "research",
    }
    assert template["spec"] == {"schedulerName": "kai-scheduler"}


def test_pods_outside_gangs_name_their_own_pod_group() -> None:
    groups, gangs = {"worker": group(4), "router": group(2)}, {"train": gang(worker=(4, False))}
    _, name = named(groups, gangs)
    assert stamped("router", groups, gangs)["metadata"]["annotations"]["pod-group-name"] == name


def test_without_a_queue_the_default_queue_of_kai_is_taken() -> None:
    (spec,) = specs({"worker": group(1)})
    assert spec["queue"] == "default-queue"


def test_the_class_of_the_pods_is_that_of_their_pod_group() -> None:
    pod = {"priorityClassName": "inference"}
    taken = specs({"worker": group(4, pod=pod), "router": group(1, pod=pod)}, {"train": gang(worker=(4, False))})
    assert [spec["priorityClassName"] for spec in taken] == ["inference", "inference"]


def test_names_differ_by_namespace_since_kai_takes_groups_of_one_name_for_one() -> None:
    asked = plan(RL_GROUPS | {"router": group(1)}, RL_GANG)
    elsewhere = asked.replace(operation=asked.operation.replace(namespace="other"))
    found = [{entry["metadata"]["name"] for entry in kai.objects(each)} for each in (asked, elsewhere)]
    assert not found[0] & found[1]


@pytest.mark.parametrize(
    "changed",
    [
        {"step": gang(learner=(4, False))},
        {"step": gang(learner=(3, True), actor=(2, True))},
        {"step": gang(learner=(4, False), actor=(2, True)) | {"locality": RACK}},
        {"step": gang(learner=(4, False), actor=(2, True)) | {"stalenessGracePeriod": 5}},
    ],
)
def test_a_gang_keeps_its_name_whatever_is_changed_of_it(changed: dict[str, Any]) -> None:
    assert named(RL_GROUPS, changed)[0] == named(RL_GROUPS, RL_GANG)[0]


def test_a_run_has_groups_of_its_own() -> None:
    asked = RL_GROUPS | {"prepare": group(1, kind="Job")}
    assert not set(named(asked, RL_GANG, run="1")) & set(named(asked, RL_GANG, run="2"))


@pytest.mark.parametrize(("required", "level"), [(True, "requiredTopologyLevel"), (False, "preferredTopologyLevel")])
def test_the_locality_of_a_gang_is_a_constraint_of_its_pod_group(required: bool, level: str) -> None:  # noqa: FBT001
    (spec,) = specs(RL_GROUPS, {"step": RL_GANG["step"] | {"locality": RACK | {"required": required}}})
    assert spec["topologyConstraint"] == {"topology": "cluster", level: "example.com/rack"}


def test_the_locality_of_a_member_is_a_constraint_of_its_sub_group_alone() -> None:
    gangs = {"step": gang(learner=(4, False), actor=(2, True))}
    gangs["step"]["members"]["learner"]["locality"] = RACK
    (spec,) = specs(RL_GROUPS, gangs)
    constraint = {"topology": "cluster", "requiredTopologyLevel": "example.com/rack"}
    assert spec["subGroups"][1] == {"name": "learner", "minMember": 4, "topologyConstraint": constraint}
    assert "topologyConstraint" not in spec["subGroups"][0]
    assert "topologyConstraint" not in spec


@pytest.mark.parametrize(("seconds", "said"), [(90, "90s"), (0, "0s"), (-1, "-1s")])
def test_the_staleness_grace_period_of_the_values_is_the_pod_groups(seconds: int, said: str) -> None:
    (spec,) = specs(RL_GROUPS, {"step": RL_GANG["step"] | {"stalenessGracePeriod": seconds}})
    assert spec["stalenessGracePeriod"] == said


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({}, []),
        ({"stalenessGracePeriod": 90}, ['gang "step": below its minimum for 90 s all of its pods are evicted']),
        (
            {"stalenessGracePeriod": -1},
            ['gang "step": it is never evicted for being below its minimum; its survivors run on'],
        ),
    ],
)
def test_a_staleness_grace_period_of_the_values_is_told(more: dict[str, Any], said: list[str]) -> None:
    told = kai.guarantees(plan(RL_GROUPS, {"step": RL_GANG["step"] | more}))
    assert [line for line in told if line.startswith("gang") and "below its minimum" in line] == said


@pytest.mark.parametrize(
    ("gangs", "said"),
    [
        ({"minResources": True}, "minResources is true, but KAI's queues hold no gang back"),
        ({"preemption": "pod"}, "preemption is pod, but KAI takes single pods above the minimum only"),
        ({"locality": {"within": "rack"}}, "set label and topology under scheduling.topology.levels.rack"),
        ({"locality": RACK | {"topology": None}}, "set topology under scheduling.topology.levels.rack"),
        ({"locality": RACK | {"label": None}}, "set label under scheduling.topology.levels.rack"),
        ({"locality": RACK | {"segment": 2}}, "locality.segment is 2"),
    ],
)
def test_what_kai_cannot_keep_of_a_gang_is_refused(gangs: dict[str, Any], said: str) -> None:
    (refusal,) = kai.check(plan(RL_GROUPS, {"step": RL_GANG["step"] | gangs}))
    assert refusal.startswith('gang "step"')
    assert said in refusal


def test_the_locality_of_a_member_is_refused_by_the_members_name() -> None:
    gangs = {"step": gang(learner=(4, False), actor=(2, True))}
    gangs["step"]["members"]["actor"]["locality"] = {"within": "rack", "label": "example.com/rack"}
    (refusal,) = kai.check(plan(RL_GROUPS, gangs))
    assert refusal.startswith('gang "step", member "actor": locality is within "rack"')


@pytest.mark.parametrize(("replicas", "size", "minimum"), [(4, 2, 8), (1, 4, 4), (4, 1, 2)])
def test_all_of_several_replicas_and_some_of_single_pods_are_taken(replicas: int, size: int, minimum: int) -> None:
    groups = {"worker": group(replicas, podsPerReplica=size)}
    assert kai.check(plan(groups, {"train": gang(worker=(minimum, minimum < replicas * size))})) == []


def test_some_of_several_replicas_of_several_pods_are_refused() -> None:
    (refusal,) = kai.check(plan({"worker": group(4, podsPerReplica=2)}, {"train": gang(worker=(4, True))}))
    assert refusal.startswith('gang "train", member "worker": min 2 of 4 replicas of 2 pods each cannot be kept by KAI')


@pytest.mark.parametrize("elastic", [{"a": (2, True), "b": (2, True)}, {"b": (2, True), "a": (2, True)}])
def test_two_elastic_members_are_taken(elastic: dict[str, tuple[int, bool]]) -> None:
    assert kai.check(plan({"a": group(8), "b": group(8)}, {"x": gang(**elastic)})) == []


def test_preemption_of_the_gang_is_what_kai_does_anyway() -> None:
    fixed = gang(learner=(4, False), actor=(8, False))
    assert kai.check(plan(RL_GROUPS, {"step": fixed | {"preemption": "gang"}})) == []


@pytest.mark.parametrize("preemption", ["pod", "gang"])
def test_of_a_gang_that_has_pods_above_its_minimum_preemption_is_refused_since_kai_takes_those_first(
    preemption: str,
) -> None:
    (refusal,) = kai.check(plan(RL_GROUPS, {"step": RL_GANG["step"] | {"preemption": preemption}}))
    assert "KAI takes single pods above the minimum only, one by one, and then all of the gang" in refusal


@pytest.mark.parametrize("queue", ["q" * 64, "team.", "a/b", "a b"])
def test_a_queue_that_no_label_can_hold_is_refused(queue: str) -> None:
    (refusal,) = kai.check(plan({"worker": group(1)}, queue=queue))
    assert refusal.startswith(f"scheduling.placement.queue is {queue!r}")


def test_members_that_differ_in_priority_are_refused_since_a_pod_group_has_one() -> None:
    groups = {"a": group(1, pod={"priorityClassName": "build"}), "b": group(1)}
    (refusal,) = kai.check(plan(groups, {"x": gang(a=(1, False), b=(1, False))}))
    assert "differ in priorityClassName" in refusal


def test_the_topology_kind_is_needed_only_where_a_locality_refers_to_one() -> None:
    without = {need.kind.kind for need in kai.needs(plan(RL_GROUPS, RL_GANG))}
    placed = {need.kind.kind for need in kai.needs(plan(RL_GROUPS, {"step": RL_GANG["step"] | {"locality": RACK}}))}
    assert (without, placed) == ({"PodGroup", "Queue"}, {"PodGroup", "Queue", "Topology"})
