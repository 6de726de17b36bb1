"""What the native backend makes and refuses; that the real scheduler keeps it is proven in tests/cluster."""

from __future__ import annotations

from typing import Any

import pytest

from helm_roster.backends import native

from tests.unit.builders import gang, group, plan

RL_GROUPS = {"learner": group(4, accelerators=1), "actor": group(8, accelerators=1)}
RL_GANG = {"step": gang(learner=(4, False), actor=(2, True))}


def made(*arguments: Any, **options: Any) -> dict[str, dict[str, Any]]:
    return {
        f"{entry['kind']}/{entry['metadata']['name']}": entry for entry in native.objects(plan(*arguments, **options))
    }


def only(kind: str, entries: dict[str, dict[str, Any]]) -> list[dict[str, Any]]:
    return [entry for entry in entries.values() if entry["kind"] == kind]


def test_one_member_makes_one_flat_pod_group() -> None:
    entries = made({"worker": group(4)}, {"train": gang(worker=(4, False))})
    assert [entry["spec"] for entry in entries.values()] == [{"schedulingPolicy": {"gang": {"minCount": 4}}}]


def test_an_operation_without_gangs_makes_nothing() -> None:
    assert made({"worker": group(4)}) == {}


def test_the_fixed_members_stand_under_a_composite_group_that_sorts_before_the_elastic_one() -> None:
    entries = made(RL_GROUPS, RL_GANG)
    root, fixed = only("CompositePodGroup", entries)
    learner, actor = only("PodGroup", entries)
    assert fixed["spec"]["parentCompositePodGroupName"] == root["metadata"]["name"]
    assert learner["spec"]["parentCompositePodGroupName"] == fixed["metadata"]["name"]
    assert actor["spec"]["parentCompositePodGroupName"] == root["metadata"]["name"]
    assert fixed["metadata"]["name"] < actor["metadata"]["name"]


def test_the_root_needs_every_child_and_the_inner_group_every_fixed_member() -> None:
    groups = RL_GROUPS | {"scorer": group(2)}
    root, fixed = only(
        "CompositePodGroup", made(groups, {"step": gang(learner=(4, False), actor=(2, True), scorer=(2, False))})
    )
    assert root["spec"]["schedulingPolicy"] == {"gang": {"minGroupCount": 2}}
    assert fixed["spec"]["schedulingPolicy"] == {"gang": {"minGroupCount": 2}}


def test_fixed_members_alone_hang_under_the_root() -> None:
    entries = made({"learner": group(4), "scorer": group(2)}, {"step": gang(learner=(4, False), scorer=(2, False))})
    (root,) = only("CompositePodGroup", entries)
    parents = {entry["spec"]["parentCompositePodGroupName"] for entry in only("PodGroup", entries)}
    assert parents == {root["metadata"]["name"]}


def test_every_reference_names_a_template_of_the_workload() -> None:
    entries = made(RL_GROUPS, RL_GANG)
    (workload,) = only("Workload", entries)
    (root,) = workload["spec"]["compositePodGroupTemplates"]
    templates = {root["name"], *(child["name"] for child in root["podGroupTemplates"])}
    for child in root["compositePodGroupTemplates"]:
        templates |= {child["name"], *(leaf["name"] for leaf in child["podGroupTemplates"])}
    references = [entry["spec"]["workloadRef"] for entry in entries.values() if "workloadRef" in entry["spec"]]
    assert {reference["templateName"] for reference in references} == templates
    assert {reference["workloadName"] for reference in references} == {workload["metadata"]["name"]}


def test_lower_order_is_placed_first_among_fixed_members() -> None:
    groups = {"alpha": group(1), "zeta": group(1)}
    entries = made(groups, {"step": gang(alpha=(1, False, 1), zeta=(1, False, 0))})
    assert [entry["spec"]["workloadRef"]["templateName"] for entry in only("PodGroup", entries)] == [
        "member-zeta",
        "member-alpha",
    ]
    assert sorted(entries)[1].endswith("-0-0-zeta")


@pytest.mark.parametrize("change", ["replicas", "minimum"])
def test_names_do_not_follow_from_counts(change: str) -> None:
    replicas, minimum = (12, 2) if change == "replicas" else (8, 3)
    groups = {"learner": group(4), "actor": group(replicas)}
    assert set(made(groups, {"step": gang(learner=(4, False), actor=(minimum, True))})) == set(made(RL_GROUPS, RL_GANG))


@pytest.mark.parametrize(
    "gangs",
    [
        pytest.param({"step": gang(learner=(4, False), actor=(8, False))}, id="fixed or elastic"),
        pytest.param({"step": gang(learner=(4, False))}, id="members"),
        pytest.param(
            {"step": gang(learner=(4, False, 0), scorer=(1, False, 1), actor=(2, True, 2))}, id="another member"
        ),
    ],
)
def test_names_change_with_what_the_api_keeps_immutable(gangs: dict[str, Any]) -> None:
    groups = RL_GROUPS | {"scorer": group(1)}
    assert not set(made(groups, gangs)) & set(made(RL_GROUPS, RL_GANG))


def test_a_flat_gang_keeps_its_name_when_it_becomes_elastic() -> None:
    """Nothing but minCount changes then, which the API allows in place; another name would deadlock the extras."""
    gangs = {"train": gang(worker=(4, False))}, {"train": gang(worker=(4, True))}
    assert set(made({"worker": group(4)}, gangs[0])) == set(made({"worker": group(6)}, gangs[1]))


def test_names_stay_when_another_order_gives_the_same_tree() -> None:
    after = {"step": gang(learner=(4, False, 0), actor=(2, True, 5))}
    assert set(made(RL_GROUPS, after)) == set(made(RL_GROUPS, RL_GANG))


def test_names_change_with_the_order_of_fixed_members() -> None:
    groups = {"learner": group(4), "scorer": group(1)}
    before = made(groups, {"step": gang(learner=(4, False, 0), scorer=(1, False, 1))})
    assert not set(before) & set(made(groups, {"step": gang(learner=(4, False, 1), scorer=(1, False, 0))}))


def test_names_change_with_the_priority() -> None:
    urgent = {name: entry | {"pod": {"priorityClassName": "urgent"}} for name, entry in RL_GROUPS.items()}
    assert not set(made(urgent, RL_GANG)) & set(made(RL_GROUPS, RL_GANG))


def test_a_second_run_stands_in_the_names() -> None:
    groups = {"worker": group(4, kind="Job")}
    (name,) = made(groups, {"train": gang(worker=(4, False))}, kind="job", run="2")
    assert name.startswith("PodGroup/op-train-2-")


def test_the_priority_of_the_pods_is_copied_to_every_object_and_template() -> None:
    urgent = {name: entry | {"pod": {"priorityClassName": "urgent"}} for name, entry in RL_GROUPS.items()}
    entries = made(urgent, RL_GANG)
    (workload,) = only("Workload", entries)
    assert {entry["spec"]["priorityClassName"] for entry in entries.values() if entry["kind"] != "Workload"} == {
        "urgent"
    }
    assert str(workload).count("'priorityClassName': 'urgent'") == 4


def test_a_member_is_stamped_with_its_leaf() -> None:
    asked = plan(RL_GROUPS, RL_GANG)
    template: dict[str, Any] = {}
    assert native.stamp(template, asked.operation.groups["actor"], asked)
    leaf = template["spec"]["schedulingGroup"]["podGroupName"]
    assert f"PodGroup/{leaf}" in made(RL_GROUPS, RL_GANG)
    assert leaf.endswith("-actor")


def test_a_group_outside_gangs_is_not_stamped() -> None:
    asked = plan(RL_GROUPS | {"proxy": group(1)}, RL_GANG)
    template: dict[str, Any] = {}
    assert not native.stamp(template, asked.operation.groups["proxy"], asked)
    assert template == {}


SCALED = {"autoscaling": {"owner": "hpa", "min": 2, "max": 8}}


def test_an_autoscaled_member_needs_what_the_autoscaler_keeps() -> None:
    entries = made({"learner": group(4), "actor": group(5, **SCALED)}, RL_GANG)
    _, actor = only("PodGroup", entries)
    assert actor["spec"]["schedulingPolicy"] == {"gang": {"minCount": 2}}


REFUSALS = [
    pytest.param(
        {"learner": group(4, **SCALED), "actor": group(8)},
        {"step": gang(learner=(2, True), actor=(2, True))},
        {},
        "give all but one min equal to replicas, without autoscaling, or split it",
        id="two members that an autoscaler may shrink",
    ),
    pytest.param(
        RL_GROUPS,
        {"step": gang(learner=(2, True), actor=(2, True))},
        {},
        "two elastic members",
        id="two elastic members",
    ),
    pytest.param(
        RL_GROUPS,
        {"step": gang(learner=(4, False, 1), actor=(2, True, 0))},
        {},
        "set its order to 1 or higher",
        id="elastic first",
    ),
    pytest.param(RL_GROUPS, RL_GANG, {"queue": "research"}, "no queues", id="queue"),
    pytest.param(
        RL_GROUPS | {"actor": group(8, pod={"priorityClassName": "low"})},
        RL_GANG,
        {},
        "differ in priorityClassName",
        id="priority",
    ),
    pytest.param(
        {"a": group(1, pod={"schedulingGates": [{"name": "x"}]}), "b": group(1)},
        {"g": gang(a=(1, False), b=(1, False))},
        {},
        "differ in schedulingGates (a: x, b: none)",
        id="gates",
    ),
    pytest.param(
        {"w": group(2, pod={"priorityClassName": "system-node-critical"})},
        {"g": gang(w=(2, False))},
        {},
        "for parts of the cluster itself",
        id="system priority",
    ),
    pytest.param(
        {"w": group(2, kind="Deployment")}, {"g": gang(w=(2, False))}, {}, "a Deployment replaces pods", id="deployment"
    ),
    pytest.param(
        {"w": group(2, spec={"podManagementPolicy": "OrderedReady"})},
        {"g": gang(w=(2, False))},
        {},
        "(podManagementPolicy OrderedReady)",
        id="ordered",
    ),
    pytest.param(
        {"w": group(2, kind="Job", spec={"completionMode": "NonIndexed"})},
        {"g": gang(w=(2, False))},
        {},
        "not Indexed",
        id="job",
    ),
    pytest.param(
        {"w": group(2, pod={"affinity": {"podAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [{}]}}})},
        {"g": gang(w=(2, False))},
        {},
        "required pod affinity",
        id="affinity",
    ),
    pytest.param(
        {"w": group(2, pod={"schedulerName": "other"})},
        {"g": gang(w=(2, False))},
        {},
        'member "w": schedulerName other',
        id="another scheduler",
    ),
    pytest.param(
        {"w": group(2, pod={"nodeName": "n"})}, {"g": gang(w=(2, False))}, {}, "nodeName n", id="no scheduler"
    ),
    pytest.param(
        {f"g{number}": group(1) for number in range(9)},
        {"all": gang(**{f"g{number}": (1, False) for number in range(9)})},
        {},
        "at most 8",
        id="nine members",
    ),
    pytest.param(
        {"w": group(2)},
        {"g": gang(w=(2, False)) | {"locality": {"within": "rack"}}},
        {},
        "scheduling.gangs.g.locality is given, but this backend does not keep it: remove it",
        id="locality",
    ),
    pytest.param(
        {"w": group(2)},
        {"g": {"members": {"w": {"min": 2, "locality": {"within": "rack"}}}}},
        {},
        "groups.w.locality is given, but this backend does not keep it: remove it",
        id="locality of a member",
    ),
    *(
        pytest.param(
            {"w": group(2)},
            {"g": gang(w=(2, False)) | {setting: value}},
            {},
            f"scheduling.gangs.g.{setting} is given, but this backend does not keep it: remove it",
            id=setting,
        )
        for setting, value in {"minResources": True, "stalenessGracePeriod": -1, "preemption": "pod"}.items()
    ),
]


@pytest.mark.parametrize(("groups", "gangs", "placement", "words"), REFUSALS)
def test_what_kube_scheduler_cannot_keep_is_refused_in_words(
    groups: dict[str, Any], gangs: dict[str, Any], placement: dict[str, Any], words: str
) -> None:
    (refusal,) = native.check(plan(groups, gangs, **placement))
    assert words in refusal


def test_what_it_can_keep_is_not_refused() -> None:
    eight = {f"g{number}": group(1) for number in range(8)}
    named = {"learner": group(4, pod={"schedulerName": "default-scheduler"})}
    assert native.check(plan(RL_GROUPS, RL_GANG)) == native.check(plan(RL_GROUPS | named, RL_GANG)) == []
    assert native.check(plan(eight, {"all": gang(**dict.fromkeys(eight, (1, False)))})) == []


def test_a_hard_spread_is_said_to_be_tried_in_one_way_only() -> None:
    spread = {"topologySpreadConstraints": [{"topologyKey": "zone", "whenUnsatisfiable": "DoNotSchedule"}]}
    said = native.guarantees(plan({"w": group(2, pod=spread)}, {"g": gang(w=(2, False))}))
    assert any("w must be spread" in line for line in said)


def test_a_composite_gang_needs_all_three_kinds_and_a_flat_one_only_the_pod_group() -> None:
    flat = plan({"worker": group(4)}, {"train": gang(worker=(4, False))})
    assert [need.kind.kind for need in native.needs(flat)] == ["PodGroup"]
    assert {need.kind.kind for need in native.needs(plan(RL_GROUPS, RL_GANG))} == {
        "PodGroup",
        "Workload",
        "CompositePodGroup",
    }
