"""What KAI's cluster tells of a plan before it is applied."""

from __future__ import annotations

from typing import Any

import pytest

from helm_roster.backends import kai
from helm_roster.manifests.walk import Manifest

from tests.unit import asks, builders
from tests.unit.asks import Asked
from tests.unit.builders import gang, group

GROUPS = {"worker": group(4, accelerators=1)}
RACK = {"within": "rack", "label": "example.com/rack", "topology": "cluster"}
KINDS = ["Queue", "PriorityClass", "Topology", "CustomResourceDefinition"]


def queue(name: str, parent: str = "", **resources: Any) -> Manifest:
    free = {"quota": -1, "limit": -1}
    spec = {"parentQueue": parent, "resources": {"cpu": free, "memory": free, "gpu": free} | resources}
    return {"apiVersion": "scheduling.run.ai/v2", "kind": "Queue", "metadata": {"name": name}, "spec": spec}


def priority(name: str, value: int, **more: Any) -> Manifest:
    kind = {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass"}
    return {**kind, "metadata": {"name": name}, "value": value, **more}


def topology(*labels: str) -> Manifest:
    kind = {"apiVersion": "kai.scheduler/v1alpha1", "kind": "Topology", "metadata": {"name": "cluster"}}
    return {**kind, "spec": {"levels": [{"nodeLabel": label} for label in labels]}}


def definition(*fields: str) -> Manifest:
    kind = {"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition"}
    properties = {field: {"type": "string"} for field in fields}
    version = {"schema": {"openAPIV3Schema": {"properties": {"spec": {"properties": properties}}}}}
    return {**kind, "metadata": {"name": "podgroups.scheduling.run.ai"}, "spec": {"versions": [version]}}


WHOLE: dict[str, Manifest] = {
    "parent": queue("parent"),
    "queue": queue("team", "parent"),
    "class": priority("train", 50),
    "topology": topology("example.com/rack", "kubernetes.io/hostname"),
    "definition": definition("minSubGroup", "stalenessGracePeriod"),
}


def told(
    pod: dict[str, Any] | None = None, more: dict[str, Any] | None = None, **objects: Manifest | None
) -> list[str]:
    """Return the findings for a gang on a cluster where nothing is wrong but ``objects`` (None: not there)."""
    there = [entry for entry in (WHOLE | objects).values() if entry]
    groups = {"worker": group(4, accelerators=1, pod=pod or {})}
    asked = builders.plan(groups, {"train": gang(worker=(4, False)) | (more or {})}, backend="kai", queue="team")
    return [f"{found.state}: {found.message}" for found in kai.inspect(asked, Asked(KINDS, *there))]


def test_nothing_is_told_where_all_that_the_pods_name_is_there() -> None:
    assert told(more={"locality": RACK, "stalenessGracePeriod": 5}) == []


def test_a_queue_that_does_not_exist_stops_with_the_nearest() -> None:
    assert told(queue=queue("tem", "parent")) == [
        'stops: KAI has no queue "team"; did you mean "tem"?: name one that it has in scheduling.placement.queue'
    ]


def test_where_no_queue_comes_near_those_that_are_there_are_named() -> None:
    assert told(queue=None) == [
        'stops: KAI has no queue "team"; it has parent: name one that it has in scheduling.placement.queue'
    ]


def test_for_a_queue_that_does_not_exist_only_those_that_have_none_below_are_named() -> None:
    assert told(queue=queue("teams"), below=queue("a", "teams"), other=queue("b", "teams"), parent=None) == [
        'stops: KAI has no queue "team"; it has a, b: name one that it has in scheduling.placement.queue'
    ]


def test_a_queue_with_queues_below_it_stops() -> None:
    assert told(below=queue("team-a", "team")) == [
        'stops: KAI places nothing in queue "team", which has queues below it: name one of them, team-a'
    ]


def test_a_queue_whose_parent_is_not_there_stops() -> None:
    assert told(parent=None) == [
        'stops: KAI takes no pods into queue "team", since its parentQueue "parent" is not there'
    ]


def test_a_queue_at_the_top_that_has_none_below_it_is_a_leaf() -> None:
    assert told(parent=None, queue=queue("team")) == []


@pytest.mark.parametrize("given", [{"quota": -1, "limit": 0}, {}])
def test_a_queue_that_lets_nothing_of_a_resource_be_used_is_told(given: dict[str, int]) -> None:
    assert told(queue=queue("team", "parent", gpu=given)) == [
        'warns: queue "team" limits gpu to 0: no pod that asks for it is placed'
    ]


CPU_ONLY = {"containers": [{"resources": {"requests": {"cpu": "1"}}}]}


@pytest.mark.parametrize("given", [{"quota": 0, "limit": 0}, {}])
def test_a_resource_that_no_pod_requests_is_not_held_against_a_queue(given: dict[str, int]) -> None:
    lacks = queue("team", "parent", gpu=given, memory=given)
    high = priority("high", 100)
    assert told(CPU_ONLY | {"priorityClassName": "high"}, queue=lacks, **{"class": high}) == []


def test_a_class_of_the_pods_that_does_not_exist_stops() -> None:
    assert told({"priorityClassName": "mine"}) == [
        'stops: PriorityClass "mine" does not exist, and pods that name it are refused'
    ]


def test_without_kais_own_class_the_default_priority_serves() -> None:
    assert told(**{"class": None}) == []


WITHOUT_QUOTA = queue("team", "parent", gpu={"quota": 0, "limit": -1})


@pytest.mark.parametrize(
    ("pod", "found"),
    [
        ({"priorityClassName": "high"}, priority("high", 100)),
        ({}, priority("standard", 100, globalDefault=True)),
    ],
    ids=["of its own", "the cluster's default"],
)
def test_a_priority_that_needs_quota_of_a_queue_without_is_told(pod: dict[str, Any], found: Manifest) -> None:
    (line,) = told(pod, queue=WITHOUT_QUOTA, **{"class": found})
    assert line.startswith("warns: pods of priority 100 (")
    assert 'queue "team" has none of gpu' in line


@pytest.mark.parametrize(("value", "quota"), [(99, 0), (100, 8)])
def test_below_that_priority_or_with_quota_nothing_is_told(value: int, quota: int) -> None:
    given = queue("team", "parent", gpu={"quota": quota, "limit": -1})
    assert told({"priorityClassName": "high"}, queue=given, **{"class": priority("high", value)}) == []


def test_a_topology_that_does_not_exist_stops() -> None:
    assert told(more={"locality": RACK}, topology=None) == [
        'stops: KAI has no Topology "cluster", nor any other: have one made by who runs the cluster'
    ]


def test_a_topology_without_the_levels_label_stops() -> None:
    (line,) = told(more={"locality": RACK}, topology=topology("zone", "kubernetes.io/hostname"))
    assert line.startswith('stops: Topology "cluster" has no level with the node label example.com/rack; it has zone, ')


@pytest.mark.parametrize(("own", "of_member", "stops"), [("rack", "zone", True), ("zone", "rack", False)])
def test_a_member_within_a_wider_level_than_its_gang_stops(own: str, of_member: str, stops: bool) -> None:  # noqa: FBT001
    levels = {name: RACK | {"within": name, "label": f"example.com/{name}"} for name in ("zone", "rack")}
    step = gang(worker=(4, False))
    step["members"]["worker"]["locality"] = levels[of_member]
    found = told(more=step | {"locality": levels[own]}, topology=topology("example.com/zone", "example.com/rack"))
    wider = (
        'stops: gang "train", member "worker": zone is a wider level of Topology "cluster" than rack, within which all '
        "of the gang is: remove its locality"
    )
    assert found == [wider] * stops


@pytest.mark.parametrize(
    ("fields", "more", "said"),
    [
        ([], {}, ["stops: KAI is older than 0.15, and would put the pods into groups of its own: upgrade it"]),
        (["minSubGroup"], {}, []),
        (
            ["minSubGroup"],
            {"stalenessGracePeriod": 5},
            ["stops: KAI is older than 0.17, and knows no stalenessGracePeriod: remove it, or upgrade KAI"],
        ),
    ],
)
def test_an_older_kai_stops_by_what_its_pod_groups_know(
    fields: list[str], more: dict[str, Any], said: list[str]
) -> None:
    assert told(more=more, definition=definition(*fields)) == said


def test_what_cannot_be_read_is_said_in_one_line() -> None:
    asked = builders.plan(GROUPS, {"train": gang(worker=(4, False)) | {"locality": RACK}}, backend="kai")
    (found,) = kai.inspect(asked, asks.nothing())
    what = 'KAI\'s version, queue "default-queue", PriorityClass "train", Topology "cluster"'
    assert (found.state, found.message) == ("unknown", f"not checked: {what}")


def amounts(limit: int) -> dict[str, int]:
    return {"quota": -1, "limit": limit}


@pytest.mark.parametrize(
    ("resource", "limit", "asked"),
    [
        ("gpu", 3, "4 gpu together, where 3 is the most"),
        ("cpu", 3999, "4 cpu together, where 3999m is the most"),
        ("memory", 4000, "4Gi memory together, where 3906250Ki is the most"),
    ],
)
@pytest.mark.parametrize("place", ["queue", "parent"])
def test_a_queue_whose_limit_is_below_the_gang_stops_also_one_above_it(
    place: str, resource: str, limit: int, asked: str
) -> None:
    made = {"queue": queue("team", "parent", **{resource: amounts(limit)}), "parent": WHOLE["parent"]}
    if place == "parent":
        made = {"queue": WHOLE["queue"], "parent": queue("parent", **{resource: amounts(limit)})}
    name = {"queue": "team", "parent": "parent"}[place]
    assert told(**made) == [f'stops: KAI\'s queue "{name}" can never hold gang "train": {asked}']


@pytest.mark.parametrize(("resource", "limit"), [("gpu", 4), ("cpu", 4000), ("memory", 4295), ("gpu", -1)])
def test_a_queue_whose_limit_is_enough_does_not(resource: str, limit: int) -> None:
    assert told(queue=queue("team", "parent", **{resource: amounts(limit)})) == []


def test_pods_that_are_never_preempted_are_warned_of_where_the_quota_of_their_queue_is_too_small() -> None:
    team = queue("team", "parent", gpu={"quota": 3, "limit": -1})
    (line,) = told({"priorityClassName": "build"}, queue=team, build=priority("build", 100))
    assert line.startswith("warns: pods of priority 100 (build) are started within the quota of their queue only")
    assert 'queue "team" has too little, 4 gpu together, where 3 is the most: choose a lower class' in line
