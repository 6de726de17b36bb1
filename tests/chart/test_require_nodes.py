"""What a node must have: kept from all layers, in every term of the node affinity."""

from __future__ import annotations

from typing import Any

import pytest

from tests.chart import validity
from tests.chart.rendering import Chart, Values, layered, operation

REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
ARM = {"key": "kubernetes.io/arch", "operator": "In", "values": ["arm64"]}
FAST = {"key": "pool", "operator": "In", "values": ["fast"]}
HEALTHY = {"key": "broken", "operator": "DoesNotExist"}


def asks(nodes: Any, **environment: Any) -> Values:
    return {"environment": {"requireNodes": nodes, **environment}}


def terms(chart: Chart, values: Values) -> list[list[Values]]:
    """Return the requirements of each term."""
    affinity = chart.render(values).pod()["affinity"]["nodeAffinity"][REQUIRED]["nodeSelectorTerms"]
    return [term["matchExpressions"] for term in affinity]


@pytest.mark.parametrize("nodes", [{"arch": ARM, "healthy": HEALTHY}, [ARM, HEALTHY]], ids=["map", "list"])
def test_they_become_one_term_of_the_node_affinity(chart: Chart, nodes: Any) -> None:
    assert terms(chart, layered(asks(nodes))) == [[ARM, HEALTHY]]
    assert "requireNodes" not in chart.render(layered(asks(nodes))).pod()


def test_they_hold_in_every_term_of_the_groups_own(chart: Chart) -> None:
    own = {"nodeSelectorTerms": [{"matchExpressions": [FAST]}, {"matchFields": [{"key": "metadata.name"}]}, {}]}
    affinity = {"podAffinity": {"x": 1}, "nodeAffinity": {"y": 2, REQUIRED: own}}
    found = chart.render(layered(asks([ARM], affinity=affinity))).pod()["affinity"]
    assert found["nodeAffinity"][REQUIRED]["nodeSelectorTerms"] == [
        {"matchExpressions": [FAST, ARM]},
        {"matchFields": [{"key": "metadata.name"}], "matchExpressions": [ARM]},
        {},
    ]
    assert (found["podAffinity"], found["nodeAffinity"]["y"]) == ({"x": 1}, 2)


@pytest.mark.parametrize("upper", [{"arch": FAST}, {"x": FAST}, [FAST]], ids=["same name", "map", "list"])
@pytest.mark.parametrize("lower", [{"arch": ARM}, [ARM]], ids=["map", "list"])
def test_those_of_all_layers_are_kept(chart4: Chart, lower: Any, upper: Any) -> None:
    assert terms(chart4, layered(asks(upper), p=asks(lower))) == [[ARM, FAST]]


def test_those_of_presets_that_share_a_name_are_kept(chart4: Chart) -> None:
    values = layered(asks({"a": HEALTHY}), defaults=asks({"a": ARM}), p=asks({"a": FAST}), q=asks({"a": ARM}))
    assert terms(chart4, values) == [[ARM, FAST, HEALTHY]]


@pytest.mark.parametrize("own", [{}, {"requireNodes": [FAST]}])
def test_a_preset_that_replaces_the_environment_weakens_nothing(chart4: Chart, own: Values) -> None:
    site = {"patchStrategy": "replace", "environment": {"priorityClassName": "upper", **own}}
    lower = {"requireNodes": {"arch": ARM}, "dnsPolicy": "Default"}
    values = layered({"environment": lower}, defaults=asks([HEALTHY]), p=site)
    assert terms(chart4, values) == [[HEALTHY, ARM, *own.get("requireNodes", [])]]
    assert "dnsPolicy" not in chart4.render(values).pod()


def test_a_groups_own_affinity_weakens_nothing(chart4: Chart) -> None:
    own = {"nodeAffinity": {REQUIRED: {"nodeSelectorTerms": [{"matchExpressions": [FAST]}]}}}
    assert terms(chart4, layered({"environment": {"affinity": own}}, p=asks({"arch": ARM}))) == [[FAST, ARM]]


@pytest.mark.parametrize(
    "group",
    [
        asks(None),
        asks({"arch": None}),
        {"unset": ["environment.requireNodes"]},
        {"unset": ["environment.requireNodes.arch"]},
    ],
)
def test_a_layer_may_delete_them_by_name(chart4: Chart, group: Values) -> None:
    assert "affinity" not in chart4.render(layered(group, p=asks({"arch": ARM}))).pod()


@pytest.mark.parametrize("group", [asks({"a": None}), {"unset": ["environment.requireNodes.a"]}])
def test_all_that_share_a_name_are_deleted_by_it(chart4: Chart, group: Values) -> None:
    values = layered(group, defaults=asks({"a": ARM}), p=asks({"a": FAST}), q=asks({"b": HEALTHY}))
    assert terms(chart4, values) == [[HEALTHY]]


def test_one_of_those_that_share_a_name_is_called_by_its_fields(chart4: Chart) -> None:
    group = {"unset": ["environment.requireNodes.pool/In/fast"]}
    assert terms(chart4, layered(group, defaults=asks({"a": ARM}), p=asks({"a": FAST}))) == [[ARM]]


def test_one_that_was_written_as_a_list_is_called_by_its_fields(chart4: Chart) -> None:
    entry = {"key": "zone", "operator": "In", "values": ["a", "b"]}
    group = {"unset": ["environment.requireNodes.zone/In/a,b"]}
    assert "affinity" not in chart4.render(layered(group, p=asks([entry]))).pod()


def test_one_group_never_leaks_into_another(chart4: Chart) -> None:
    own = {"nodeAffinity": {REQUIRED: {"nodeSelectorTerms": [{"matchExpressions": [FAST]}]}}}
    defaults = {"container": {"image": "example/app:1"}, "environment": {"affinity": own}}
    objects = chart4.render({"defaults": defaults, "groups": {"a": asks([ARM]), "b": {}, "c": asks([HEALTHY])}})
    assert objects.pod("b")["affinity"] == own
    validity.check(objects.all)


@pytest.mark.parametrize(
    ("entry", "words"),
    [
        ({"operator": "Exists"}, 'groups.a.environment.requireNodes: {"operator":"Exists"} has no key; entries of all'),
        ({"key": "k"}, 'groups.a.environment.requireNodes: k: operator ""; allowed: DoesNotExist, Exists, Gt, In, Lt'),
        (
            {"key": "k", "operator": "In"},
            "groups.a.environment.requireNodes: k: operator In wants one or more in values",
        ),
        (
            {"key": "k", "operator": "Exists", "values": ["x"]},
            "groups.a.environment.requireNodes: k: operator Exists wants nothing in values, and has 1",
        ),
        (
            {"key": "k", "operator": "Gt", "values": ["1", "2"]},
            "groups.a.environment.requireNodes: k: operator Gt wants one whole number in values, and has 2",
        ),
        (
            {"key": "k", "operator": "Lt", "values": ["abc"]},
            'groups.a.environment.requireNodes: k: operator Lt compares whole numbers, and values has "abc"; write one',
        ),
        ({"key": "k", "operator": "In", "values": [1]}, "groups.a.environment.requireNodes: k values: 1 is a number"),
    ],
)
def test_what_kubernetes_would_not_take_is_refused(chart4: Chart, entry: Values, words: str) -> None:
    assert chart4.refusal(operation({"a": asks([entry])})).startswith(words)


def test_a_name_that_yaml_reads_as_something_else_is_refused(chart4: Chart) -> None:
    refusal = chart4.refusal(operation({"a": asks({"true": ARM})}))
    assert refusal.startswith('groups.a.environment.requireNodes: the key "true" is what YAML makes of a bare')
