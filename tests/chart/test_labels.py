"""Keys and values of labels: what Kubernetes would not take is refused where it is written."""

from __future__ import annotations

from typing import Any

import pytest

from tests.chart.rendering import Chart, Values, nested, operation

VALUE = "allowed: up to 63 letters, digits, -, _ and ., a letter or digit at both ends"
NODES = "groups.a.environment.affinity.nodeAffinity: "
PORT = {"container": {"ports": {"http": 80}}}


def group(path: str, value: Any) -> Values:
    return operation({"a": PORT | nested(path, value)})


def node(values: list[str], operator: str = "In") -> list[Values]:
    return [{"key": "gpu", "operator": operator, "values": values}]


def required(entries: list[Values]) -> Values:
    terms = {"nodeSelectorTerms": [{"matchExpressions": entries}]}
    return {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": terms}}


def preferred(entries: list[Values]) -> Values:
    terms = [{"weight": 1, "preference": {"matchExpressions": entries}}]
    return {"nodeAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": terms}}


def near(key: str, field: str = "podAffinity", when: str = "required") -> Values:
    term = {"topologyKey": key, "labelSelector": {"matchLabels": {"app": "x"}}}
    terms = [{"weight": 1, "podAffinityTerm": term} if when == "preferred" else term]
    return group("environment.affinity", {field: {f"{when}DuringSchedulingIgnoredDuringExecution": terms}})


@pytest.mark.parametrize(
    ("values", "at"),
    [
        (operation({"a": {}}, labels={"gpu": "NVIDIA H200"}), "labels.gpu"),
        (group("environment.labels", {"gpu": "NVIDIA H200"}), "groups.a.environment.labels.gpu"),
        (group("environment.nodeSelector", {"gpu": "NVIDIA H200"}), "groups.a.environment.nodeSelector.gpu"),
        (group("environment.requireNodes", node(["x", "NVIDIA H200"])), "groups.a.environment.requireNodes: gpu"),
        (
            group("environment.affinity", required(node(["NVIDIA H200"], "NotIn"))),
            "groups.a.environment.affinity.nodeAffinity: gpu",
        ),
    ],
)
def test_a_text_that_no_label_may_hold_is_refused_with_one_that_may(chart4: Chart, values: Values, at: str) -> None:
    words = f'{at}: "NVIDIA H200" cannot be the value of a label; {VALUE}, such as "NVIDIA-H200"'
    assert chart4.refusal(values) == words


@pytest.mark.parametrize("value", ["-a", "a_", "a/b", "ä", "a\nb", "x" * 64])
def test_what_begins_ends_or_is_as_long_as_no_label_is_refused(chart4: Chart, value: str) -> None:
    refusal = chart4.refusal(group("environment.labels", {"x": value}))
    assert refusal.startswith("groups.a.environment.labels.x: ")
    assert VALUE in refusal


@pytest.mark.parametrize("key", ["a b", "a/b/c", "/a", "a/", "-a", "a_/b", "x" * 64, f"{'x' * 254}/a", "a\nb"])
@pytest.mark.parametrize(
    ("values", "at"),
    [
        (lambda key: operation({"a": {}}, labels={key: "x"}), "labels"),
        (lambda key: operation({"a": {}}, annotations={key: "x"}), "annotations"),
        (lambda key: group("environment.annotations", {key: "x"}), "groups.a.environment.annotations"),
        (lambda key: group("environment.nodeSelector", {key: "x"}), "groups.a.environment.nodeSelector"),
        (lambda key: group("expose.annotations", {key: "x"}), "groups.a.expose.annotations"),
        (lambda key: group("environment.requireNodes", [{"key": key, "operator": "Exists"}]), "groups.a.environment"),
        (lambda key: group("environment.affinity", required([{"key": key, "operator": "Exists"}])), NODES),
        (lambda key: group("environment.affinity", preferred([{"key": key, "operator": "Exists"}])), NODES),
        (lambda key: group("environment.tolerations", [{"key": key, "operator": "Exists"}]), "groups.a.environment"),
    ],
    ids=[
        "labels",
        "annotations",
        "of pods",
        "nodeSelector",
        "expose",
        "requireNodes",
        "required nodes",
        "preferred nodes",
        "tolerations",
    ],
)
def test_a_key_that_kubernetes_would_not_take_is_refused(chart4: Chart, values: Any, at: str, key: str) -> None:
    refusal = chart4.refusal(values(key))
    assert refusal.startswith(at)
    assert "cannot be a key; allowed: up to 63 letters" in refusal


@pytest.mark.parametrize("field", ["podAffinity", "podAntiAffinity"])
@pytest.mark.parametrize("when", ["required", "preferred"])
def test_a_topology_that_no_node_can_have_is_refused(chart4: Chart, field: str, when: str) -> None:
    words = f'groups.a.environment.affinity.{field}: topologyKey: "the rack" cannot be a key; allowed: '
    assert chart4.refusal(near("the rack", field, when)).startswith(words)


def test_a_key_is_told_as_it_is_written(chart4: Chart) -> None:
    refusal = chart4.refusal(group("environment.annotations", {"Foo_Bar/x": "y"}))
    assert refusal.startswith('groups.a.environment.annotations: "Foo_Bar/x" cannot be a key')


def test_nodes_may_be_preferred_by_texts_that_no_label_holds(chart4: Chart) -> None:
    wanted = preferred(node(["NVIDIA H200"]))
    assert chart4.render(group("environment.affinity", wanted)).pod()["affinity"] == wanted


def test_what_kubernetes_takes_is_passed_on(chart: Chart) -> None:
    labels = {"a": "", "A_b.c": "x" * 63, "example.com/a-B_c": "v1.2_3", f"{'x' * 253}/{'y' * 63}": "a"}
    annotations = {"Example.com/a": "any text: [1] / ä", **labels}
    values = operation({"a": nested("environment.labels", labels)}, labels=labels, annotations=annotations)
    workload = chart.render(values).workload()
    assert workload["metadata"]["labels"].items() >= labels.items()
    assert workload["metadata"]["annotations"].items() >= annotations.items()
    assert workload["spec"]["template"]["metadata"]["labels"].items() >= labels.items()
