"""Keys and values of labels: what Kubernetes would not take is refused where it is written."""

from __future__ import annotations

from typing import Any

import pytest

from tests.chart.rendering import Chart, Values, nested, operation

VALUE = "allowed: up to 63 letters, digits, -, _ and ., a letter or digit at both ends"
PORT = {"container": {"ports": {"http": 80}}}


def group(path: str, value: Any) -> Values:
    return operation({"a": PORT | nested(path, value)})


def node(values: list[str], operator: str = "In") -> list[Values]:
    return [{"key": "gpu", "operator": operator, "values": values}]


def required(entries: list[Values]) -> Values:
    terms = {"nodeSelectorTerms": [{"matchExpressions": entries}]}
    return {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": terms}}


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
    ],
    ids=["labels", "annotations", "of pods", "nodeSelector", "expose", "requireNodes"],
)
def test_a_key_that_kubernetes_would_not_take_is_refused(chart4: Chart, values: Any, at: str, key: str) -> None:
    refusal = chart4.refusal(values(key))
    assert refusal.startswith(at)
    assert "cannot be a key; allowed: up to 63 letters" in refusal


def test_what_kubernetes_takes_is_passed_on(chart: Chart) -> None:
    labels = {"a": "", "A_b.c": "x" * 63, "example.com/a-B_c": "v1.2_3", f"{'x' * 253}/{'y' * 63}": "a"}
    annotations = {"Example.com/a": "any text: [1] / ä", **labels}
    values = operation({"a": nested("environment.labels", labels)}, labels=labels, annotations=annotations)
    workload = chart.render(values).workload()
    assert workload["metadata"]["labels"].items() >= labels.items()
    assert workload["metadata"]["annotations"].items() >= annotations.items()
    assert workload["spec"]["template"]["metadata"]["labels"].items() >= labels.items()
