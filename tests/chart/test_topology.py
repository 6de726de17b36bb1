"""Topology: named levels, and the localities of gangs and groups within them."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.chart.rendering import Chart, Values, operation
from tests.support.turns import by_turns

RACK = "topology.example.org/rack"
LEVELS = {"rack": RACK, "block": {"label": "example.org/block", "tier": 2, "topology": "fabric"}}


def gang(
    levels: Values | None = None,
    *,
    own: Values | None = None,
    a: Values | None = None,
    b: Values | None = None,
    **root: Any,
) -> Values:
    """Return an operation whose gang `step`, with the locality `own`, has the members `a` and `b`, with theirs."""
    groups = {"a": {"replicas": 4, **within(a)}, "b": {"replicas": 8, **within(b)}}
    step = {"members": {"a": {}, "b": {"min": 2}}, **within(own)}
    topology = {"levels": LEVELS if levels is None else levels}
    scheduling = {"placement": {"backend": "native"}, "gangs": {"step": step}, "topology": topology}
    return operation(groups, scheduling=scheduling, **root)


def within(locality: Values | None) -> Values:
    return {} if locality is None else {"locality": locality}


def resolved(chart: Chart, values: Values) -> Values:
    found: Values = chart.resolved(values)["scheduling"]["gangs"]["step"]
    return found


@by_turns(
    ("level", "fields"),
    [
        (RACK, {"label": RACK}),
        ({"label": RACK}, {"label": RACK}),
        ({"tier": 1}, {"tier": 1}),
        ({"tier": 0}, {"tier": 0}),
        ({"tier": "1"}, {"tier": "1"}),
        ({"tier": "spine", "label": None}, {"tier": "spine"}),
        ({"label": RACK, "topology": "fabric"}, {"label": RACK, "topology": "fabric"}),
    ],
)
def test_a_locality_has_the_fields_of_its_level(chart: Chart, level: object, fields: Values) -> None:
    found = resolved(chart, gang({"rack": level}, own={"within": "rack"}))["locality"]
    assert found == {"within": "rack", "required": True, **fields}


@pytest.mark.parametrize(
    ("levels", "fields"),
    [
        ({}, {"label": "kubernetes.io/hostname"}),
        ({"host": None}, {"label": "kubernetes.io/hostname"}),
        ({"host": {"tier": 1}}, {"label": "kubernetes.io/hostname", "tier": 1}),
        ({"host": "example.org/host"}, {"label": "example.org/host"}),
    ],
)
def test_hosts_are_known_without_being_named(chart4: Chart, levels: Values, fields: Values) -> None:
    found = resolved(chart4, gang(levels, own={"within": "host"}))["locality"]
    assert found == {"within": "host", "required": True, **fields}


def test_groups_of_one_gang_may_differ(chart: Chart) -> None:
    found = resolved(chart, gang(own={"within": "block", "required": False}, a={"within": "rack", "segment": 2}))
    block = {"label": "example.org/block", "tier": 2, "topology": "fabric"}
    assert found["locality"] == {"within": "block", "required": False, **block}
    assert found["members"] == {
        "a": {
            "min": 4,
            "elastic": False,
            "order": 0,
            "locality": {"within": "rack", "required": True, "segment": 2, "label": RACK},
        },
        "b": {"min": 2, "elastic": True, "order": 0},
    }


@pytest.mark.parametrize("nothing", [None, {}, {"within": None}])
def test_no_locality_is_carried_where_none_is_given(chart4: Chart, nothing: Values | None) -> None:
    values = gang()
    values["groups"]["a"]["locality"] = nothing
    values["scheduling"]["gangs"]["step"]["locality"] = nothing
    found = resolved(chart4, values)
    assert set(found) == {"members"}
    assert set(found["members"]["a"]) == {"min", "elastic", "order"}


def test_a_locality_is_composed_over_the_layers(chart: Chart) -> None:
    preset = {"locality": {"within": "rack", "segment": 2}}
    values = gang(a={"segment": 4}, presets={"near": preset})
    values["defaults"]["locality"] = {"required": False}
    values["groups"]["a"]["presets"] = ["near"]
    values["groups"]["b"]["unset"] = ["locality"]
    members = resolved(chart, values)["members"]
    assert members["a"]["locality"] == {"within": "rack", "required": False, "segment": 4, "label": RACK}
    assert "locality" not in members["b"]


def test_what_is_composed_is_told_with_its_layers(chart4: Chart) -> None:
    values = gang(a={"within": "rack"})
    values["defaults"]["locality"] = {"required": False}
    values["groups"]["b"]["unset"] = ["locality"]
    found = chart4.resolved(values)
    layers = {path: layer for path, layer in found["layers"]["a"].items() if path.startswith("locality")}
    assert layers == {"locality.within": "groups.a", "locality.required": "defaults"}
    assert json.loads(found["composed"]["a"])["locality"] == {"within": "rack", "required": False}


@pytest.mark.parametrize(
    ("values", "refusal"),
    [
        pytest.param(
            gang(own={"within": "rak"}),
            'scheduling.gangs.step.locality.within: there is no level of scheduling.topology.levels called "rak" '
            '(did you mean "rack"?); known: block, host, rack',
            id="unknown, of a gang",
        ),
        pytest.param(
            gang({}, a={"within": "zone"}),
            'groups.a.locality.within: there is no level of scheduling.topology.levels called "zone"; known: host',
            id="unknown, of a group",
        ),
        pytest.param(
            gang(a={"required": False}),
            "groups.a.locality.within: missing beside required; name a level: block, host, rack",
            id="no level",
        ),
        pytest.param(
            gang(a={"within": "rack", "segment": 5}),
            'groups.a.locality.segment: 5, but the group "a" has 4 replicas; allowed: 1 to its replicas',
            id="segment of a group",
        ),
        pytest.param(
            gang(own={"within": "rack", "segment": 5}),
            'scheduling.gangs.step.locality.segment: 5, but the group "a" has 4 replicas; allowed: 1 to its replicas',
            id="segment of a gang",
        ),
        pytest.param(
            gang({"rack": {}}),
            "scheduling.topology.levels.rack: says by nothing what is together; give label, a label of nodes, or tier "
            "or topology, as your placement backend reads",
            id="empty level",
        ),
        pytest.param(
            gang({"rack": {"label": None}}),
            "scheduling.topology.levels.rack: says by nothing what is together; give label, a label of nodes, or tier "
            "or topology, as your placement backend reads",
            id="level of nulls",
        ),
        pytest.param(
            gang({"rack": "a/b/c"}),
            'scheduling.topology.levels.rack.label: "a/b/c" cannot be a key; allowed: up to 63 letters, digits, -, _ '
            "and ., a letter or digit at both ends, and before them a domain and / if need be",
            id="label",
        ),
        pytest.param(
            gang({"on": "x"}),
            'scheduling.topology.levels: "on" cannot be a name: YAML reads y, yes, on, true as true, n, no, off, false '
            "as false; choose another name",
            id="name",
        ),
    ],
)
def test_a_locality_that_cannot_be_meant_is_refused(chart4: Chart, values: Values, refusal: str) -> None:
    assert chart4.refusal(values) == refusal


def test_a_segment_of_a_group_is_part_of_that_group_alone(chart4: Chart) -> None:
    found = resolved(chart4, gang(b={"within": "rack", "segment": 8}))["members"]["b"]
    assert found["locality"]["segment"] == 8


def test_a_segment_that_an_autoscaled_group_may_be_too_small_for_is_refused(chart4: Chart) -> None:
    values = gang(b={"within": "rack", "segment": 4})
    values["groups"]["b"] = {
        "autoscaling": {"owner": "external", "min": 3},
        "locality": {"within": "rack", "segment": 4},
    }
    assert chart4.refusal(values) == (
        'groups.b.locality.segment: 4, but the group "b" may have no more than 3, its autoscaling.min; '
        "allowed: 1 to that"
    )


@pytest.mark.parametrize("backend", ["native", "default"])
def test_a_locality_outside_of_gangs_is_refused(chart4: Chart, backend: str) -> None:
    scheduling = {"placement": {"backend": backend}, "topology": {"levels": LEVELS}}
    values = operation({"a": {"replicas": 4, "locality": {"within": "rack"}}}, scheduling=scheduling)
    assert chart4.refusal(values) == (
        'groups.a.locality: within "rack", but the group is in no gang, and a placement backend keeps the pods of '
        "gangs together; make it a member of one under scheduling.gangs, or leave this out, a lower layer's goes with "
        "`unset: [locality]`"
    )


def test_a_locality_of_all_is_left_to_the_members_of_gangs_by_unset(chart4: Chart) -> None:
    values = gang()
    values["defaults"]["locality"] = {"within": "rack"}
    values["groups"]["c"] = {"unset": ["locality"]}
    assert resolved(chart4, values)["members"]["a"]["locality"]["within"] == "rack"


@pytest.mark.parametrize(
    ("values", "words"),
    [
        (gang(own={"within": "rack", "segment": 0}), "at '/scheduling/gangs/step/locality/segment': minimum: got 0"),
        (gang(a={"with": "rack"}), "at '/groups/a/locality': additional properties 'with' not allowed"),
        (gang({"rack": {"labels": "x"}}), "at '/scheduling/topology/levels/rack': additional properties 'labels'"),
        (gang({"Rack": "x"}), "at '/scheduling/topology/levels': additional properties 'Rack' not allowed"),
        (gang({"rack": {"tier": ""}}), "at '/scheduling/topology/levels/rack/tier': minLength: got 0, want 1"),
        (gang({"rack": {"topology": "A"}}), "at '/scheduling/topology/levels/rack/topology': 'A' does not match"),
    ],
)
def test_a_locality_of_a_wrong_shape_is_refused_at_its_place(chart4: Chart, values: Values, words: str) -> None:
    assert words in chart4.schema_refusal(values)


def test_levels_alone_change_nothing(chart4: Chart) -> None:
    values = operation({"a": {}})
    assert chart4.text({**values, "scheduling": {"topology": {"levels": LEVELS}}}) == chart4.text(values)
