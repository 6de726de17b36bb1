"""What the native backend makes and refuses; that the real scheduler keeps it is proven in tests/cluster."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import pytest

from helm_roster.backend_base import ApiKind
from helm_roster.backends import native
from helm_roster.cluster.asking import NoCluster

from tests.unit.builders import around, gang, group, plan

RL_GROUPS = {"learner": group(4, accelerators=1), "actor": group(8, accelerators=1)}
RACK = {"within": "rack", "label": "example.org/rack"}
BLOCK = {"within": "block", "label": "example.org/block"}


def placed(levels: dict[str, dict[str, Any]], **members: Any) -> dict[str, Any]:
    """Return a gang of these members, some of which have a locality of their own."""
    entry = gang(**members)
    for name, level in levels.items():
        entry["members"][name]["locality"] = level
    return entry


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
    assert native.stamp(around(template), asked.operation.groups["actor"], asked)
    leaf = template["spec"]["schedulingGroup"]["podGroupName"]
    assert f"PodGroup/{leaf}" in made(RL_GROUPS, RL_GANG)
    assert leaf.endswith("-actor")


def test_a_group_outside_gangs_is_not_stamped() -> None:
    asked = plan(RL_GROUPS | {"proxy": group(1)}, RL_GANG)
    template: dict[str, Any] = {}
    assert not native.stamp(around(template), asked.operation.groups["proxy"], asked)
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
        {"g": gang(w=(2, False)) | {"minResources": True}},
        {},
        "scheduling.gangs.g.minResources is given, but kube-scheduler has no queues to wait in: remove it",
        id="minResources",
    ),
    pytest.param(
        {"w": group(2)},
        {"g": gang(w=(2, False)) | {"stalenessGracePeriod": -1}},
        {},
        "scheduling.gangs.g.stalenessGracePeriod is given, but kube-scheduler evicts no gang",
        id="stalenessGracePeriod",
    ),
    pytest.param(
        {"w": group(2)},
        {"g": gang(w=(2, False)) | {"locality": {"within": "rack", "tier": 1}}},
        {},
        "scheduling.gangs.g.locality is within rack, which this backend knows by a label of nodes only: set "
        "scheduling.topology.levels.rack.label",
        id="level without label",
    ),
    pytest.param(
        {"w": group(4)},
        {"g": placed({"w": RACK | {"segment": 2}}, w=(4, False))},
        {},
        "groups.w.locality.segment is 2, but this backend keeps all pods of a group together or none",
        id="segment",
    ),
    pytest.param(
        {"w": group(2)},
        {"g": placed({"w": RACK}, w=(2, False)) | {"locality": BLOCK}},
        {},
        "leave out one of scheduling.gangs.g.locality (within block) and groups.w.locality (within rack)",
        id="two required levels for one group",
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


def templates(workload: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the templates of a Workload or of a template, level by level."""
    for key in "compositePodGroupTemplates", "podGroupTemplates":
        for template in workload.get(key, ()):
            yield template
            yield from templates(template)


def key(level: dict[str, str]) -> dict[str, Any]:
    return {"schedulingConstraints": {"topology": [{"key": level["label"]}]}}


def test_required_locality_of_a_gang_stands_on_the_root_and_its_template() -> None:
    entries = made(RL_GROUPS, {"step": RL_GANG["step"] | {"locality": RACK}})
    root, fixed = only("CompositePodGroup", entries)
    (workload,) = only("Workload", entries)
    (template, *below) = templates(workload["spec"])
    assert key(RACK).items() <= root["spec"].items()
    assert key(RACK).items() <= template.items()
    others = [fixed["spec"], *(leaf["spec"] for leaf in only("PodGroup", entries)), *below]
    assert [spec for spec in others if "schedulingConstraints" in spec] == []


def test_required_locality_of_a_member_stands_on_its_leaf_and_template() -> None:
    entries = made(RL_GROUPS, {"step": placed({"learner": RACK}, learner=(4, False), actor=(2, True))})
    learner, actor = only("PodGroup", entries)
    (workload,) = only("Workload", entries)
    by_name = {template["name"]: template for template in templates(workload["spec"])}
    assert key(RACK).items() <= learner["spec"].items()
    assert key(RACK).items() <= by_name["member-learner"].items()
    others = [actor["spec"], *(one["spec"] for one in only("CompositePodGroup", entries)), by_name["member-actor"]]
    assert [spec for spec in others if "schedulingConstraints" in spec] == []


@pytest.mark.parametrize(
    "entry",
    [
        pytest.param(gang(w=(2, False)) | {"locality": RACK}, id="of the gang"),
        pytest.param(placed({"w": RACK}, w=(2, False)), id="of its member"),
        pytest.param(placed({"w": RACK}, w=(2, False)) | {"locality": RACK}, id="of both"),
    ],
)
def test_a_gang_of_one_has_either_locality_on_its_only_group(entry: dict[str, Any]) -> None:
    (pod_group,) = made({"w": group(2)}, {"g": entry}).values()
    assert pod_group["spec"] == {"schedulingPolicy": {"gang": {"minCount": 2}}} | key(RACK)


def affinity(gangs: dict[str, Any], name: str, **pod: Any) -> dict[str, Any]:
    """Return the affinity of a group's pods once they are stamped."""
    groups = {"learner": group(4, pod=pod), "actor": group(8)}
    asked = plan(groups, gangs)
    template: dict[str, Any] = {"spec": asked.pod_specs(name)[0]}
    native.stamp(around(template), asked.operation.groups[name], asked)
    found: dict[str, Any] = template["spec"].get("affinity", {})
    return found


def term(level: dict[str, str], *groups: str) -> dict[str, Any]:
    labels = {"app.kubernetes.io/instance": "op", "helm-roster.dev/operation": "op"}
    chosen = [{"key": "helm-roster.dev/group", "operator": "In", "values": [*groups]}]
    selector = {"matchLabels": labels, "matchExpressions": chosen}
    return {"weight": 100, "podAffinityTerm": {"labelSelector": selector, "topologyKey": level["label"]}}


PREFERRED = {"required": False}


def test_preferred_locality_becomes_an_affinity_to_the_gangs_pods_and_no_constraint() -> None:
    step = {"step": gang(learner=(4, False), actor=(2, True)) | {"locality": RACK | PREFERRED}}
    field = "preferredDuringSchedulingIgnoredDuringExecution"
    assert affinity(step, "actor") == {"podAffinity": {field: [term(RACK, "actor", "learner")]}}
    assert "schedulingConstraints" not in str(made(RL_GROUPS, step))


def test_preferred_locality_stands_beside_the_users_own_affinity() -> None:
    own = {"weight": 1, "podAffinityTerm": {"topologyKey": "zone"}}
    field = "preferredDuringSchedulingIgnoredDuringExecution"
    step = {"step": placed({"learner": RACK | PREFERRED}, learner=(4, False), actor=(2, True))}
    found = affinity(step, "learner", affinity={"podAffinity": {field: [own]}, "nodeAffinity": {"x": {}}})
    assert found == {"podAffinity": {field: [own, term(RACK, "learner")]}, "nodeAffinity": {"x": {}}}
    assert affinity(step, "actor") == {}


@pytest.mark.parametrize(
    "change",
    [
        pytest.param({"locality": RACK}, id="locality"),
        pytest.param({"locality": BLOCK}, id="another level"),
        pytest.param({"preemption": "gang"}, id="preemption"),
    ],
)
def test_names_change_with_required_locality_and_preemption(change: dict[str, Any]) -> None:
    before = set(made(RL_GROUPS, {"step": RL_GANG["step"] | {"locality": RACK | {"label": "old"}}}))
    assert not set(made(RL_GROUPS, {"step": RL_GANG["step"] | change})) & (before | set(made(RL_GROUPS, RL_GANG)))


def test_names_stay_with_preferred_locality_of_which_no_object_says_anything() -> None:
    assert set(made(RL_GROUPS, {"step": RL_GANG["step"] | {"locality": RACK | PREFERRED}})) == set(
        made(RL_GROUPS, RL_GANG)
    )


@pytest.mark.parametrize(("word", "mode"), [("pod", {"single": {}}), ("gang", {"all": {}})])
def test_preemption_stands_on_every_object_and_template_alike(word: str, mode: dict[str, Any]) -> None:
    entries = made(RL_GROUPS, {"step": RL_GANG["step"] | {"preemption": word}})
    (workload,) = only("Workload", entries)
    specs = [entry["spec"] for entry in entries.values() if entry is not workload] + [*templates(workload["spec"])]
    assert [spec["disruptionMode"] for spec in specs] == [mode] * 8


def test_constraints_need_the_gate_of_topology() -> None:
    flat = plan({"w": group(2)}, {"g": gang(w=(2, False)) | {"locality": RACK}})
    (need,) = native.needs(flat)
    assert need.gates == ("GenericWorkload", "TopologyAwareWorkloadScheduling")
    assert need.gates[1] in need.remedy


class Cluster(NoCluster):
    """A cluster that stores what it is given, without the fields named in ``drops``, and has these nodes."""

    def __init__(self, *, drops: str = "", labels: Sequence[str] = ("example.org/rack",), answers: bool = True) -> None:
        self._drops, self._labels, self._answers = drops, labels, answers

    def serves(self, kind: ApiKind) -> bool:
        """Serve every kind."""
        del kind
        return True

    def stored(self, manifest: dict[str, Any], namespace: str) -> dict[str, Any] | None:
        """Return the object as it would be stored."""
        assert namespace == "default"
        if self._drops == "schedulingGroup" and "template" in manifest["spec"]:
            manifest["spec"]["template"]["spec"].pop("schedulingGroup")
        spec = {name: value for name, value in manifest["spec"].items() if name != self._drops}
        return manifest | {"spec": spec} if self._answers else None

    def all_of(self, kind: ApiKind, name: str = "") -> list[dict[str, Any]]:
        """Return the nodes."""
        assert (kind.kind, name) == ("Node", "")
        return [{"metadata": {"labels": dict.fromkeys(self._labels, "a")}}]


LOCAL = {"g": gang(w=(2, False)) | {"locality": RACK}}


@pytest.mark.parametrize(
    ("cluster", "state", "words"),
    [
        pytest.param(Cluster(drops="schedulingConstraints"), "stops", "drops required locality", id="gate off"),
        pytest.param(Cluster(answers=False), "unknown", "not checked: ", id="no answer"),
        pytest.param(NoCluster(), "unknown", "GenericWorkload, TopologyAwareWorkloadScheduling", id="no cluster"),
        pytest.param(Cluster(labels=["zone"]), "stops", "no node has the label example.org/rack", id="no such label"),
    ],
)
def test_whether_required_locality_is_kept_is_asked_of_the_cluster(cluster: Any, state: str, words: str) -> None:
    (finding,) = native.inspect(plan({"w": group(2)}, LOCAL), cluster)
    assert finding.state == state
    assert words in finding.message


@pytest.mark.parametrize("gangs", [LOCAL, {"g": gang(w=(2, False)) | {"locality": RACK | PREFERRED}}, {}])
def test_a_cluster_that_keeps_it_or_has_nothing_to_keep_is_left_alone(gangs: dict[str, Any]) -> None:
    assert native.inspect(plan({"w": group(2)}, gangs), Cluster()) == []


def test_an_api_server_that_drops_the_gang_of_pods_stops() -> None:
    asked = plan({"w": group(2)}, {"g": gang(w=(2, False))})
    (finding,) = native.inspect(asked, Cluster(drops="schedulingGroup"))
    assert (finding.state, "drops the gang of pods (spec.schedulingGroup.podGroupName)" in finding.message) == (
        "stops", True,
    )  # fmt: skip


def test_kinds_and_feature_gates_are_told_not_to_be_checked_where_no_cluster_is_asked() -> None:
    (finding,) = native.inspect(plan(RL_GROUPS, RL_GANG), NoCluster())
    assert finding.state == "unknown"
    assert finding.message == (
        "not checked: whether the cluster serves PodGroup, Workload, CompositePodGroup, which takes the feature gates "
        "GenericWorkload, TopologyAwareWorkloadScheduling, CompositePodGroup"
    )


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
