"""What the Volcano backend finds out in a cluster before an install."""

from __future__ import annotations

from typing import Any

import pytest

from helm_roster.backends import volcano
from helm_roster.cluster.asking import NoCluster

from tests.unit.asks import Asked
from tests.unit.builders import gang, group, plan

TIER_ONE = {"within": "rack", "tier": 1}
NAMED = {"within": "rack", "tier": "leaf"}
PREFERRED = {**TIER_ONE, "required": False}


VERSIONS = {
    "Queue": "scheduling.volcano.sh/v1beta1",
    "HyperNode": "topology.volcano.sh/v1alpha1",
    "Node": "v1",
    "ConfigMap": "v1",
    "CustomResourceDefinition": "apiextensions.k8s.io/v1",
}


def named(name: str, **more: Any) -> dict[str, Any]:
    return {"metadata": {"name": name}, **more}


def queue(name: str, state: str = "Open") -> dict[str, Any]:
    return named(name, status={"state": state} if state else {})


def node(name: str, **labels: str) -> dict[str, Any]:
    return {"metadata": {"name": name, "labels": labels}, "status": {"allocatable": {"nvidia.com/gpu": "8"}}}


def hyper_node(name: str, selector: dict[str, Any], *, tier: int = 1, tier_name: str = "leaf") -> dict[str, Any]:
    members = [{"type": "Node", "selector": selector}, {"type": "HyperNode", "selector": {"exactMatch": {"name": "x"}}}]
    return named(name, spec={"tier": tier, "tierName": tier_name, "members": members})


def configuration(text: str) -> dict[str, Any]:
    return named("volcano-scheduler-configmap", data={"volcano-scheduler.conf": text})


ON, OFF = (
    "tiers:\n- plugins:\n  - name: network-topology-aware\n",
    "tiers:\n- plugins:\n#  - name: network-topology-aware\n",
)
NODES = [node("a1", rack="a"), node("a2", rack="a"), node("b1", rack="b")]
RACKS = [
    hyper_node("ra", {"labelMatch": {"matchLabels": {"rack": "a"}}}),
    hyper_node("rb", {"exactMatch": {"name": "b1"}}),
]


def definition(**fields: Any) -> dict[str, Any]:
    return named("podgroups.scheduling.volcano.sh", spec={"versions": [{"name": "v1beta1", "schema": fields}]})


def cluster(**more: Any) -> Asked:
    """Return a cluster that has all, but for what is given by kind; None cannot be read."""
    good = {
        "Queue": [queue("default")],
        "HyperNode": RACKS,
        "Node": NODES,
        "ConfigMap": [configuration(ON)],
        "CustomResourceDefinition": [definition(subGroupPolicy={})],
    }
    objects = {kind: found for kind, found in {**good, **more}.items() if found is not None}
    made = [{"apiVersion": VERSIONS[kind], "kind": kind, **entry} for kind, of in objects.items() for entry in of]
    return Asked([*objects], *made)


def asked(locality: dict[str, Any] | None = None, *, pod: dict[str, Any] | None = None, **placement: Any) -> Any:
    step = gang(worker=(2, False)) | ({"locality": locality} if locality else {})
    groups = {"worker": group(2, accelerators=1, pod=pod or {})}
    return plan(groups, {"step": step}, backend="volcano", **placement)


def states(found: list[Any]) -> list[str]:
    return [finding.state for finding in found]


@pytest.mark.parametrize("locality", [None, TIER_ONE, NAMED, PREFERRED], ids=["none", "tier", "name", "preferred"])
def test_a_cluster_that_has_all_is_found_good(locality: dict[str, Any] | None) -> None:
    assert volcano.inspect(asked(locality), cluster()) == []


@pytest.mark.parametrize("there", [NoCluster(), cluster()], ids=["no cluster", "one that has all"])
def test_a_gang_that_may_hold_back_others_by_min_resources_is_warned_of(there: Any) -> None:
    step = {"step": gang(worker=(2, False)) | {"minResources": True}}
    (finding,) = volcano.inspect(plan({"worker": group(2)}, step, backend="volcano"), there)
    assert (finding.state, 'gang "step"' in finding.message) == ("warns", True)
    assert "holds back others" in finding.message


def test_a_queue_that_is_missing_stops() -> None:
    (finding,) = volcano.inspect(asked(queue="team-a"), cluster())
    assert (finding.state, 'no queue "team-a"; open are default: make it' in finding.message) == ("stops", True)


def test_for_a_queue_that_is_missing_the_nearest_of_the_open_ones_is_named() -> None:
    queues = [queue("team-b"), queue("team-aa", "Closed"), queue("other")]
    (finding,) = volcano.inspect(asked(queue="team-a"), cluster(Queue=queues))
    assert 'no queue "team-a"; did you mean "team-b"?' in finding.message


@pytest.mark.parametrize("state", ["Closed", "Closing", "Unknown"])
def test_a_queue_that_is_not_open_stops(state: str) -> None:
    (finding,) = volcano.inspect(asked(queue="team-a"), cluster(Queue=[queue("team-a", state)]))
    assert (finding.state, f'"team-a" is {state}' in finding.message) == ("stops", True)


def test_a_queue_without_a_state_is_taken() -> None:
    """No controller of Volcano's runs; its scheduler then takes the queue as it is."""
    assert volcano.inspect(asked(queue="team-a"), cluster(Queue=[queue("team-a", "")])) == []


def test_definitions_without_sub_groups_are_of_a_volcano_that_is_too_old() -> None:
    (finding,) = volcano.inspect(asked(), cluster(CustomResourceDefinition=[definition(minMember={})]))
    assert (finding.state, "older than 1.14" in finding.message) == ("stops", True)


def two_elastic() -> Any:
    step = gang(worker=(2, True), scorer=(1, True))
    return plan({"worker": group(4), "scorer": group(2)}, {"step": step}, backend="volcano")


@pytest.mark.parametrize(("kept", "found"), [(True, []), (False, ["stops"])], ids=["kept", "dropped"])
def test_a_volcano_that_drops_sub_groups_is_found_out_by_a_dry_run(
    monkeypatch: pytest.MonkeyPatch, found: list[str], *, kept: bool
) -> None:
    def stored(manifest: dict[str, Any], namespace: str) -> dict[str, Any]:
        assert namespace == "default"
        spec = manifest["spec"] if kept else {"minMember": manifest["spec"]["minMember"]}
        return {**manifest, "spec": spec}

    there = cluster()
    monkeypatch.setattr(there, "stored", stored)
    assert states(volcano.inspect(two_elastic(), there)) == found


def test_that_sub_groups_are_known_may_be_unknown() -> None:
    (finding,) = volcano.inspect(two_elastic(), cluster(CustomResourceDefinition=None))
    assert (finding.state, "not checked: whether Volcano is 1.14" in finding.message) == ("unknown", True)


@pytest.mark.parametrize(
    ("locality", "there", "words"),
    [
        pytest.param(TIER_ONE, {"HyperNode": []}, "there are no HyperNodes", id="no HyperNodes"),
        pytest.param(
            {**TIER_ONE, "tier": 3},
            {},
            "no HyperNode has the tier 3; there are tier 1 and tierName leaf: set scheduling.topology.levels.rack.tier",
            id="no such tier",
        ),
        pytest.param(
            {**NAMED, "tier": "spine"},
            {},
            'no HyperNode has the tierName "spine"; there are tier 1 and',
            id="no such tier name",
        ),
        pytest.param({**NAMED, "tier": "1"}, {}, 'tierName "1"; tier 1 is there: write it without quotes', id="quoted"),
        pytest.param(
            TIER_ONE, {"HyperNode": RACKS[:1]}, "b1 of the 3 nodes that its pods may run on", id="a node outside"
        ),
        pytest.param(
            TIER_ONE, {"ConfigMap": [configuration(OFF)]}, "does not name network-topology-aware", id="no plugin"
        ),
    ],
)
def test_what_would_make_volcano_ignore_a_required_locality_stops(
    locality: dict[str, Any], there: dict[str, Any], words: str
) -> None:
    (finding,) = volcano.inspect(asked(locality), cluster(**there))
    assert (finding.state, words in finding.message) == ("stops", True), finding.message


@pytest.mark.parametrize(
    "there", [{"HyperNode": []}, {"ConfigMap": [configuration(OFF)]}], ids=["no nodes", "no plugin"]
)
def test_what_would_make_volcano_ignore_a_preferred_locality_is_warned_of(there: dict[str, Any]) -> None:
    assert states(volcano.inspect(asked(PREFERRED), cluster(**there))) == ["warns"]


def test_nodes_that_the_pods_may_not_use_need_no_hyper_node() -> None:
    wanted = asked(TIER_ONE, pod={"nodeSelector": {"rack": "a"}})
    assert volcano.inspect(wanted, cluster(HyperNode=RACKS[:1])) == []


def test_hyper_nodes_above_the_tier_hold_no_node_for_it() -> None:
    spine = hyper_node("all", {"regexMatch": {"pattern": "^[ab]"}}, tier=2, tier_name="spine")
    assert states(volcano.inspect(asked(TIER_ONE), cluster(HyperNode=[*RACKS[:1], spine]))) == ["stops"]
    assert volcano.inspect(asked({**TIER_ONE, "tier": 2}), cluster(HyperNode=[*RACKS[:1], spine])) == []


PATTERNS = [
    pytest.param("^[ab][[:digit:]]$", True, id="a named class"),
    pytest.param(r"^[[:alpha:][:punct:]]+[^[:^digit:]]\z", True, id="classes in classes, end of text"),
    pytest.param("^(?P<rack>[ab])(?:[[:digit:]]|x)$", True, id="groups"),
    pytest.param("^[:blank:]", True, id="a class that only looks named"),
    pytest.param("^[[:upper:]]", False, id="other letters"),
    pytest.param(r"^[ab]\pN$", None, id="only Go has it"),
    pytest.param("^(?=[ab])", None, id="only Python has it"),
    pytest.param(r"[ab]1\Z", None, id="Python's end of text"),
    pytest.param("[ab", None, id="broken"),
    pytest.param("[[:nodes:]]", None, id="no such class"),
]


@pytest.mark.parametrize(("pattern", "holds"), PATTERNS)
def test_a_pattern_of_node_names_is_read_as_volcano_reads_it_or_not_checked(
    pattern: str, *, holds: bool | None
) -> None:
    found = volcano.inspect(
        asked(TIER_ONE), cluster(HyperNode=[hyper_node("all", {"regexMatch": {"pattern": pattern}})])
    )
    assert states(found) == {True: [], False: ["stops"], None: ["unknown"]}[holds]
    assert all(pattern in finding.message for finding in found if holds is None)


def test_a_pattern_that_cannot_be_read_hides_nothing_where_others_hold_all_nodes() -> None:
    odd = hyper_node("odd", {"regexMatch": {"pattern": "[ab"}})
    assert volcano.inspect(asked(TIER_ONE), cluster(HyperNode=[*RACKS, odd])) == []


@pytest.mark.parametrize(
    ("unreadable", "words"),
    [
        pytest.param("HyperNode", "whether HyperNodes have the tier 1", id="HyperNodes"),
        pytest.param("Node", "whether HyperNodes hold the nodes", id="nodes"),
        pytest.param("ConfigMap", "whether the configuration of Volcano's scheduler", id="configuration"),
    ],
)
def test_what_may_not_be_read_is_not_checked(unreadable: str, words: str) -> None:
    (finding,) = volcano.inspect(asked(TIER_ONE), cluster(**{unreadable: None}))
    assert finding.state == "unknown"
    assert finding.message.startswith("not checked: ")
    assert words in finding.message


def test_a_configuration_of_another_name_is_not_checked() -> None:
    assert states(volcano.inspect(asked(TIER_ONE), cluster(ConfigMap=[]))) == ["unknown"]


def crowded() -> Any:
    groups = {"worker": group(2), "box": group(50, pod={"priorityClassName": "low"})}
    return plan(groups, {"step": gang(worker=(2, False))}, backend="volcano")


@pytest.mark.parametrize(
    ("actions", "state"),
    [
        pytest.param('actions: "enqueue, allocate, preempt, backfill"', None, id="it has"),
        pytest.param('actions: "enqueue, allocate, backfill"', "warns", id="it has not"),
        pytest.param('actions: "allocate" # preempt', "warns", id="in a comment"),
        pytest.param('actions: "allocate, gangpreempt"', "warns", id="another action"),
    ],
)
def test_without_the_action_preempt_classes_are_said_to_help_no_gang(actions: str, state: str | None) -> None:
    found = volcano.inspect(crowded(), cluster(ConfigMap=[configuration(f"{actions}\n{ON}")]))
    assert states(found) == ([state] if state else [])
    assert all('gang "step" beside "box"' in finding.message for finding in found)


@pytest.mark.parametrize("there", [None, []], ids=["unreadable", "of another name"])
@pytest.mark.parametrize("wanted", ["locality", "preempt"])
def test_what_is_not_checked_of_the_configuration_says_the_name_that_was_looked_for(
    there: list[Any] | None, wanted: str
) -> None:
    (finding,) = volcano.inspect(crowded() if wanted == "preempt" else asked(TIER_ONE), cluster(ConfigMap=there))
    assert (finding.state, wanted in finding.message) == ("unknown", True)
    assert "(looked for: ConfigMap volcano-scheduler-configmap, in any namespace)" in finding.message


def test_without_a_cluster_only_what_the_values_ask_for_is_not_checked() -> None:
    assert volcano.inspect(asked(), NoCluster()) == []
    found = volcano.inspect(asked(TIER_ONE, queue="team-a"), NoCluster())
    assert states(found) == ["unknown"] * 3
    assert all(finding.message.startswith("not checked: ") for finding in found)


def test_a_members_locality_is_about_its_own_nodes() -> None:
    step = gang(worker=(2, False), scorer=(1, False))
    step["members"]["worker"]["locality"] = TIER_ONE
    groups = {
        "worker": group(2, pod={"nodeSelector": {"rack": "a"}}),
        "scorer": group(1, pod={"nodeSelector": {"rack": "b"}}),
    }
    wanted = plan(groups, {"step": step}, backend="volcano")
    assert volcano.inspect(wanted, cluster(HyperNode=RACKS[:1])) == []


def test_that_there_are_no_hyper_nodes_is_said_once() -> None:
    step = gang(worker=(2, False), scorer=(1, False)) | {"locality": PREFERRED}
    step["members"]["worker"]["locality"] = TIER_ONE
    wanted = plan({"worker": group(2), "scorer": group(1)}, {"step": step}, backend="volcano")
    (finding,) = volcano.inspect(wanted, cluster(HyperNode=[]))
    assert (finding.state, "have them made" in finding.message) == ("stops", True)


PROPORTION = "tiers:\n- plugins:\n  - name: proportion\n"


def limited(capability: dict[str, str], parent: str = "") -> dict[str, Any]:
    return {**queue("team-a"), "spec": {"capability": capability, "parent": parent}}


@pytest.mark.parametrize("capability", [{"nvidia.com/gpu": "1"}, {"nvidia.com/gpu": "0"}, {"cpu": "1500m"}])
def test_a_queue_whose_capability_is_below_the_gang_stops(capability: dict[str, str]) -> None:
    there = cluster(Queue=[limited(capability)], ConfigMap=[configuration(PROPORTION)])
    (finding,) = volcano.inspect(asked(queue="team-a"), there)
    assert (finding.state, 'queue "team-a" can never hold gang "step": 2 ' in finding.message) == ("stops", True)


def test_a_queue_above_it_limits_it_too() -> None:
    above = {**queue("above"), "spec": {"capability": {"nvidia.com/gpu": "1"}, "parent": "team-a"}}
    there = cluster(Queue=[limited({}, "above"), above], ConfigMap=[configuration(PROPORTION)])
    (finding,) = volcano.inspect(asked(queue="team-a"), there)
    assert 'queue "above" can never hold gang "step"' in finding.message


@pytest.mark.parametrize(
    ("capability", "text"),
    [
        ({"nvidia.com/gpu": "2", "cpu": "2", "memory": "2Gi"}, PROPORTION),
        ({"cpu": "0"}, PROPORTION),
        ({"nvidia.com/gpu": "1"}, ON),
    ],
    ids=["enough", "no limit", "no plugin that looks"],
)
def test_a_queue_that_may_hold_the_gang_is_not_spoken_of(capability: dict[str, str], text: str) -> None:
    there = cluster(Queue=[limited(capability)], ConfigMap=[configuration(text)])
    assert volcano.inspect(asked(queue="team-a"), there) == []
