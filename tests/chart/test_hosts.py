"""Spread over hosts: an affinity between pods that the chart adds to what the values say of affinity."""

from __future__ import annotations

from typing import Any

import pytest

from tests.chart.rendering import Chart, Values, layered, operation
from tests.support.turns import by_turns

REQUIRED, PREFERRED = (f"{kind}DuringSchedulingIgnoredDuringExecution" for kind in ("required", "preferred"))
OWN = {"labelSelector": {"matchLabels": {"team": "search"}}, "topologyKey": "zone"}


def apart(**labels: str) -> dict[str, Any]:
    """Return the term that keeps pods away from those of release `rl` with one label more."""
    selector = {"matchLabels": {"app.kubernetes.io/instance": "rl", **labels}}
    return {"labelSelector": selector, "topologyKey": "kubernetes.io/hostname"}


GROUP = apart(**{"helm-roster.dev/group": "a"})


@by_turns(
    ("spread", "expected"),
    [
        ({"among": "group"}, {REQUIRED: [GROUP]}),
        ({"among": "group", "required": True}, {REQUIRED: [GROUP]}),
        ({"among": "operation"}, {REQUIRED: [apart(**{"helm-roster.dev/operation": "rl"})]}),
        ({"among": "group", "required": False}, {PREFERRED: [{"weight": 100, "podAffinityTerm": GROUP}]}),
    ],
)
def test_pods_are_kept_on_hosts_of_their_own(chart: Chart, spread: Values, expected: Values) -> None:
    objects = chart.render(operation({"a": {"replicas": 2, "spread": spread}, "b": {}}))
    assert objects.pod()["affinity"] == {"podAntiAffinity": expected}
    assert "affinity" not in objects.pod("b")


def test_the_pods_have_the_labels_by_which_they_are_kept_apart(chart4: Chart) -> None:
    values = operation({"a": {"spread": {"among": "operation"}}, "b": {}}, operation={"name": "chat"})
    objects = chart4.render(values)
    (term,) = objects.pod()["affinity"]["podAntiAffinity"][REQUIRED]
    for group in ("a", "b"):
        labels = objects.workload(group)["spec"]["template"]["metadata"]["labels"]
        assert term["labelSelector"]["matchLabels"].items() <= labels.items()


@pytest.mark.parametrize("required", [True, False])
def test_the_values_own_affinity_stays(chart: Chart, required: object) -> None:
    theirs = {
        "nodeAffinity": {PREFERRED: []},
        "podAffinity": {PREFERRED: [{"weight": 1, "podAffinityTerm": OWN}]},
        "podAntiAffinity": {REQUIRED: [OWN], PREFERRED: [{"weight": 1, "podAffinityTerm": OWN}]},
    }
    spread = {"among": "group", "required": required}
    found = chart.render(layered({"spread": spread}, defaults={"environment": {"affinity": theirs}})).pod()["affinity"]
    ours = {REQUIRED: [GROUP]} if required else {PREFERRED: [{"weight": 100, "podAffinityTerm": GROUP}]}
    both = {field: [*terms, *ours.get(field, [])] for field, terms in theirs["podAntiAffinity"].items()}
    assert found == {**theirs, "podAntiAffinity": both}


def test_it_stands_beside_what_is_required_of_nodes(chart4: Chart) -> None:
    arch = {"key": "kubernetes.io/arch", "operator": "In", "values": ["arm64"]}
    group = {"spread": {"among": "group"}, "environment": {"requireNodes": {"arch": arch}}}
    found = chart4.render(layered(group)).pod()["affinity"]
    assert found["podAntiAffinity"] == {REQUIRED: [GROUP]}
    assert found["nodeAffinity"][REQUIRED]["nodeSelectorTerms"] == [{"matchExpressions": [arch]}]


def test_groups_under_one_preset_keep_their_own_terms(chart4: Chart) -> None:
    values = operation({"a": {}, "b": {}})
    values["defaults"] |= {
        "spread": {"among": "group"},
        "environment": {"affinity": {"podAntiAffinity": {REQUIRED: [OWN]}}},
    }
    objects = chart4.render(values)
    for group in ("a", "b"):
        terms = objects.pod(group)["affinity"]["podAntiAffinity"][REQUIRED]
        assert terms == [OWN, apart(**{"helm-roster.dev/group": group})]


@pytest.mark.parametrize("kind", ["Deployment", "StatefulSet", "Job"])
def test_every_kind_of_workload_may_be_spread(chart4: Chart, kind: str) -> None:
    values = operation({"a": {"spread": {"among": "group"}, "workload": kind}})
    values["operation"] = {"kind": "job" if kind == "Job" else "service"}
    found = chart4.render(values)
    assert found.workload()["kind"] == kind
    assert found.pod()["affinity"] == {"podAntiAffinity": {REQUIRED: [GROUP]}}


def test_a_member_of_a_gang_may_be_spread(chart4: Chart) -> None:
    scheduling = {"placement": {"backend": "native"}, "gangs": {"g": {"members": {"a": {}}}}}
    found = chart4.render(operation({"a": {"spread": {"among": "group"}}}, scheduling=scheduling)).pod()["affinity"]
    assert found == {"podAntiAffinity": {REQUIRED: [GROUP]}}


def test_a_spread_is_composed_over_the_layers(chart4: Chart) -> None:
    values = layered(
        {"spread": {"among": "group"}}, defaults={"spread": {"among": "operation"}}, p={"spread": {"required": False}}
    )
    assert chart4.render(values).pod()["affinity"] == {
        "podAntiAffinity": {PREFERRED: [{"weight": 100, "podAffinityTerm": GROUP}]}
    }


@pytest.mark.parametrize("group", [{"spread": None}, {"unset": ["spread"]}, {"spread": {"among": None}}])
def test_a_spread_of_a_lower_layer_may_be_taken_away(chart4: Chart, group: Values) -> None:
    assert "affinity" not in chart4.render(layered(group, defaults={"spread": {"among": "group"}})).pod()


def test_a_spread_that_does_not_say_among_what_is_refused(chart4: Chart) -> None:
    refusal = chart4.refusal(operation({"a": {"spread": {"required": True}}}))
    assert refusal == "groups.a.spread.among: missing beside required; allowed: group, operation, none"


def test_a_spread_among_something_else_is_refused(chart4: Chart) -> None:
    refusal = chart4.schema_refusal(operation({"a": {"spread": {"among": "rack"}}}))
    assert "at '/groups/a/spread/among': value must be one of 'group', 'operation'" in refusal


HOST = {"environment": {"hostNetwork": True}}


@by_turns(
    ("group", "expected"),
    [
        (HOST, {REQUIRED: [GROUP]}),
        ({**HOST, "spread": {"among": "none"}}, None),
        (
            {**HOST, "spread": {"among": "group", "required": False}},
            {PREFERRED: [{"weight": 100, "podAffinityTerm": GROUP}]},
        ),
        ({**HOST, "spread": {"among": "operation"}}, {REQUIRED: [apart(**{"helm-roster.dev/operation": "rl"})]}),
        ({"environment": {"hostNetwork": False}}, None),
        ({"spread": {"among": "none"}}, None),
    ],
)
def test_pods_that_share_the_network_of_their_host_are_apart_unless_told(
    chart: Chart, group: Values, expected: Values | None
) -> None:
    affinity = chart.render(operation({"a": group})).pod().get("affinity", {})
    assert affinity.get("podAntiAffinity") == expected


@pytest.mark.parametrize(
    ("group", "steps"),
    [
        (HOST, {"maxSurge": 0, "maxUnavailable": 1}),
        ({"spread": {"among": "operation"}}, {"maxSurge": 0, "maxUnavailable": 1}),
        ({**HOST, "rollout": {"maxUnavailable": 2}}, {"maxSurge": 0, "maxUnavailable": 2}),
        ({"spread": {"among": "group", "required": False}}, None),
        ({**HOST, "spread": {"among": "none"}}, None),
    ],
    ids=["network of the host", "spread", "more at a time", "where possible", "together"],
)
def test_pods_with_hosts_of_their_own_are_rolled_out_without_a_surplus_one(
    chart4: Chart, group: Values, steps: Values | None
) -> None:
    """It might find no host: with as many as there are pods, the rollout would never go on."""
    assert (
        chart4.render(operation({"a": group})).workload("a")["spec"].get("strategy", {}).get("rollingUpdate") == steps
    )


def test_all_pods_of_a_replica_that_spans_hosts_are_apart_from_each_other(chart4: Chart) -> None:
    objects = chart4.render(operation({"a": {"podsPerReplica": 2, "leader": {"cmd": "lead"}, **HOST}}))
    for leader in (True, False):
        assert objects.pod(leader=leader)["affinity"] == {"podAntiAffinity": {REQUIRED: [GROUP]}}
