"""The schema: what it refuses, what it admits, and that it describes every key."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.chart import schema
from tests.chart.rendering import Chart, Values, operation


def test_every_key_is_described() -> None:
    assert not [path for path, node in schema.walk() if not node.get("description")]


def test_every_node_of_ours_admits_null() -> None:
    strict = [path for path, node in schema.walk() if "type" in node and "null" not in node["type"]]
    assert [path for path in strict if path[-1] != "worker"] == []


def test_no_node_offers_alternatives_that_hide_the_reason() -> None:
    assert not {"oneOf", "anyOf", "unevaluatedProperties"} & set(json.dumps(schema.SCHEMA).split('"'))


def test_it_stands_alone() -> None:
    references = [node["$ref"] for _, node in _nodes(schema.SCHEMA) if "$ref" in node]
    assert all(reference.startswith("#/$defs/") for reference in references)


def _nodes(node: Any, at: str = "") -> list[tuple[str, Any]]:
    children = node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ()
    below = [found for key, child in children for found in _nodes(child, f"{at}/{key}")]
    return ([(at, node)] if isinstance(node, dict) else []) + below


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"group": {}}, "additional properties 'group' not allowed"),
        (operation({"a": {"replica": 1}}), "at '/groups/a': additional properties 'replica' not allowed"),
        (operation({"a": {"container": {"img": "x"}}}), "at '/groups/a/container': additional properties 'img'"),
        (operation({"a": {"resources": {"request": {}}}}), "at '/groups/a/resources': additional properties 'request'"),
        (operation({"a": {"container": {"ports": {"http": 65536}}}}), "at '/groups/a/container/ports/http': maximum"),
        (
            operation({"a": {"resources": {"limits": {"memory": "16GB"}}}}),
            "at '/groups/a/resources/limits/memory': '16GB'",
        ),
        (operation({"a": {"shm": {"size": "0Gi"}}}), "at '/groups/a/shm/size': '0Gi' does not match pattern"),
        (operation({"A_b": {}}), "at '/groups': additional properties 'A_b' not allowed"),
        (operation({"a": {"replicas": "2"}}), "at '/groups/a/replicas': got string, want"),
        (operation({"a": {"replicas": -1}}), "at '/groups/a/replicas': minimum: got -1, want 0"),
        (operation({"a": {}}, operation={"kind": "cronjob"}), "at '/operation/kind': value must be one of"),
        (operation({"a": {}}, presets={"p": {"patchStrategy": "merge"}}), "at '/presets/p/patchStrategy': value must"),
        (operation({"a": {}}, presets={"p": {"presets": []}}), "at '/presets/p': additional properties 'presets'"),
        (operation({"a": {}}, scheduling={"gangs": {"g": {"min": 1}}}), "at '/scheduling/gangs/g': additional"),
        (operation({"a": {"container": {"ports": {"A": 1}}}}), "at '/groups/a/container/ports': additional"),
    ],
)
def test_a_wrong_shape_is_refused_at_its_place(chart: Chart, values: Values, words: str) -> None:
    assert words in chart.schema_refusal(values)


def test_what_belongs_to_helm_or_to_the_user_is_admitted(chart: Chart) -> None:
    values = operation({"a": {}}, **{"global": {"x": 1}, "replica-group": {}, "x-anchors": {"y": 1}})
    assert chart.render(values).workload()


def test_objects_of_kubernetes_stay_open(chart4: Chart) -> None:
    group = {"container": {"livenessProbe": {"newField": 1}}, "environment": {"affinity": {"newField": 1}}}
    assert chart4.render(operation({"a": group})).pod()["affinity"] == {"newField": 1}


def test_fields_that_may_be_unset_are_the_fields_of_a_group(chart4: Chart) -> None:
    refusal = chart4.refusal(operation({"a": {"unset": ["nothing"]}}))
    fields = refusal.rpartition("begins with one of ")[2].rstrip("]").split(", ")
    assert set(fields) == set(schema.SCHEMA["$defs"]["group"]["properties"]) - {"unset"}


def fields(of: str, *but: str) -> Values:
    """Return the fields of a part of the schema, without those that it alone has."""
    own = schema.SCHEMA["$defs"][of]["properties"]
    assert set(but) <= set(own)
    return {field: node for field, node in own.items() if field not in but}


def test_all_layers_have_the_fields_of_a_group() -> None:
    assert fields("defaults") == fields("group")
    assert fields("preset", "accelerator", "patchStrategy") == fields("group", "presets")


def test_all_containers_have_the_fields_of_the_main_one() -> None:
    asked_only_while_running = ["lifecycle", "livenessProbe", "readinessProbe", "startupProbe"]
    beside = ["accelerators", "cmd", "connections", "name", "order", "resources"]
    assert fields("sidecar", "native", *beside) == fields("container")
    assert fields("initContainer", "waitFor", *beside) == fields("container", *asked_only_while_running)
