"""Which nodes a pod may run on, as Kubernetes reads pod specs and label selectors."""

from __future__ import annotations

from typing import Any

import pytest

from helm_roster.policy import node_choice

GPU_TAINT = {"key": "nvidia.com/gpu", "value": "present", "effect": "NoSchedule"}


def node(*taints: dict[str, str], unschedulable: bool = False, **labels: str) -> dict[str, Any]:
    return {
        "metadata": {"name": "n1", "labels": {"zone": "a", "slots": "4", **labels}},
        "spec": {"taints": list(taints), "unschedulable": unschedulable},
        "status": {"allocatable": {"nvidia.com/gpu": "8", "example.com/nic": "0"}},
    }


def affine(*expressions: dict[str, Any], **fields: Any) -> dict[str, Any]:
    terms = [{"matchExpressions": [one]} for one in expressions] + ([{"matchFields": [fields]}] if fields else [])
    required = {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": terms}}
    return {"affinity": {"nodeAffinity": required}}


def expression(operator: str, *values: str, key: str = "zone") -> dict[str, Any]:
    return {"key": key, "operator": operator, "values": list(values)}


def asks(resource: str) -> dict[str, Any]:
    return {"containers": [{"resources": {"limits": {resource: 1}}}]}


@pytest.mark.parametrize(
    ("spec", "fits"),
    [
        pytest.param({}, True, id="nothing said"),
        pytest.param({"nodeSelector": {"zone": "a"}}, True, id="selected"),
        pytest.param({"nodeSelector": {"zone": "b"}}, False, id="not selected"),
        pytest.param(affine(expression("In", "a", "b")), True, id="In"),
        pytest.param(affine(expression("In", "b")), False, id="not In"),
        pytest.param(affine(expression("NotIn", "a")), False, id="NotIn"),
        pytest.param(affine(expression("NotIn", "a", key="absent")), True, id="NotIn of an absent label"),
        pytest.param(affine(expression("Exists")), True, id="Exists"),
        pytest.param(affine(expression("DoesNotExist")), False, id="DoesNotExist"),
        pytest.param(affine(expression("Gt", "3", key="slots")), True, id="Gt"),
        pytest.param(affine(expression("Gt", "4", key="slots")), False, id="not Gt"),
        pytest.param(affine(expression("Lt", "5", key="slots")), True, id="Lt"),
        pytest.param(affine(expression("Lt", "5")), False, id="Lt of text"),
        pytest.param(affine(expression("In", "b"), expression("In", "a")), True, id="one of two terms"),
        pytest.param(affine(key="metadata.name", operator="In", values=["n1"]), True, id="by name"),
        pytest.param(affine(key="metadata.name", operator="In", values=["n2"]), False, id="by another name"),
        pytest.param(asks("nvidia.com/gpu"), True, id="device"),
        pytest.param(asks("example.com/nic"), False, id="none of a device"),
        pytest.param(asks("example.com/other"), False, id="device that the node has not"),
        pytest.param(asks("cpu"), True, id="cpu is not looked at"),
    ],
)
def test_a_pod_may_run_where_its_spec_lets_it(spec: dict[str, Any], *, fits: bool) -> None:
    assert node_choice.may_run(spec, node()) == fits


@pytest.mark.parametrize(
    ("toleration", "fits"),
    [
        pytest.param({}, False, id="none"),
        pytest.param({"operator": "Exists"}, True, id="all"),
        pytest.param({"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"}, True, id="key"),
        pytest.param({"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoExecute"}, False, id="other effect"),
        pytest.param({"key": "nvidia.com/gpu", "value": "present"}, True, id="value"),
        pytest.param({"key": "nvidia.com/gpu", "value": "absent"}, False, id="other value"),
        pytest.param({"key": "other", "operator": "Exists"}, False, id="other key"),
    ],
)
def test_a_taint_keeps_off_what_does_not_tolerate_it(toleration: dict[str, str], *, fits: bool) -> None:
    spec = {"tolerations": [toleration] if toleration else []}
    assert node_choice.may_run(spec, node(GPU_TAINT)) == fits


@pytest.mark.parametrize("amount", ["many", "", "1 GPU", True, None])
def test_a_node_that_says_no_quantity_of_a_device_has_none_to_give(amount: object) -> None:
    odd = node() | {"status": {"allocatable": {"nvidia.com/gpu": amount}}}
    assert not node_choice.may_run(asks("nvidia.com/gpu"), odd)
    assert node_choice.may_run({}, odd)


def test_a_taint_that_only_asks_keeps_nothing_off() -> None:
    assert node_choice.may_run({}, node({**GPU_TAINT, "effect": "PreferNoSchedule"}))


def test_nothing_runs_on_a_cordoned_node() -> None:
    assert not node_choice.may_run({}, node(unschedulable=True))


@pytest.mark.parametrize(
    ("selector", "selected"),
    [
        ({"matchLabels": {"zone": "a"}}, True),
        ({"matchLabels": {"zone": "b"}}, False),
        ({"matchLabels": {"zone": "a"}, "matchExpressions": [expression("Exists", key="rack")]}, False),
    ],
    ids=["labels", "other labels", "labels and expression"],
)
def test_a_label_selector_needs_all_that_it_says(selector: dict[str, Any], *, selected: bool) -> None:
    assert node_choice.matches(selector, {"zone": "a"}) == selected
