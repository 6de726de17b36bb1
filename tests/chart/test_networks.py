"""Networks beside the first: annotations of the pods whose length follows the count."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.chart.rendering import GPU, Chart, Values, layered

MULTUS = "k8s.v1.cni.cncf.io/networks"
GKE = "networking.gke.io/interfaces"
ONE_EACH = {"perAccelerator": 1, "each": "oci/sriov-rdma"}
INTERFACES = {
    "first": [{"interfaceName": "eth0", "network": "default"}, {"interfaceName": "eth1", "network": "gvnic-1"}],
    "each": {"interfaceName": "eth{index+2}", "network": "rdma-{index}"},
}


def annotations(chart: Chart, group: Values, **networks: Any) -> Values:
    """Return the annotations of the pods of a group under a preset with these networks."""
    gpu = {**GPU, "networks": {name.replace("_", "/"): entry for name, entry in networks.items()}}
    metadata = chart.render(layered(group, gpu=gpu)).template()["metadata"]
    found: Values = metadata.get("annotations") or {}
    return found


@pytest.mark.parametrize(
    ("group", "entry", "expected"),
    [
        ({"accelerators": 1}, ONE_EACH, "oci/sriov-rdma"),
        ({"accelerators": 3}, ONE_EACH, "oci/sriov-rdma,oci/sriov-rdma,oci/sriov-rdma"),
        ({"accelerators": 1, "sidecars": {"x": {"accelerators": 1}}}, ONE_EACH, "oci/sriov-rdma,oci/sriov-rdma"),
        ({}, ONE_EACH, None),
        ({}, {**ONE_EACH, "first": ["storage"]}, None),
        ({"accelerators": 1}, {"perAccelerator": 2, "each": "net{index+10}"}, "net10,net11"),
        ({}, {"perPod": 2, "each": "x{index+010}-{index+08}-{index+0}"}, "x10-8-0,x11-9-1"),
        ({}, {"perPod": 2, "first": ["storage"], "each": "net-{index}"}, "storage,net-0,net-1"),
        ({}, {"first": ["storage"]}, "storage"),
        ({}, {"perPod": 0, "each": "x"}, None),
        ({"accelerators": 2, "networks": {"a/b": None}}, ONE_EACH, None),
        ({"accelerators": 2, "unset": ["networks"]}, ONE_EACH, None),
        ({"accelerators": 2, "networks": {"a/b": {"perPod": 1}}}, ONE_EACH, "oci/sriov-rdma"),
    ],
)
def test_texts_are_joined_once_for_each(chart4: Chart, group: Values, entry: Values, expected: str | None) -> None:
    assert annotations(chart4, group, a_b=entry).get("a/b") == expected


@pytest.mark.parametrize("count", [{"perAccelerator": 1}, {"perPod": 8}])
def test_maps_become_a_list_in_json(chart: Chart, count: Values) -> None:
    values = layered({"accelerators": 8}, gpu={**GPU, "networks": {GKE: {**INTERFACES, **count}, MULTUS: ONE_EACH}})
    found = chart.render(values).template()["metadata"]["annotations"]
    assert json.loads(found[GKE]) == [
        {"interfaceName": "eth0", "network": "default"},
        {"interfaceName": "eth1", "network": "gvnic-1"},
        *({"interfaceName": f"eth{index + 2}", "network": f"rdma-{index}"} for index in range(8)),
    ]
    assert found[MULTUS].split(",") == ["oci/sriov-rdma"] * 8


def test_they_stand_beside_the_annotations_of_the_group(chart4: Chart) -> None:
    group = {"accelerators": 1, "environment": {"annotations": {"x": "y", "a/b": "n"}}}
    found = annotations(chart4, group, a_b={"perAccelerator": 1, "each": "n"})
    assert found == {"x": "y", "a/b": "n"}


@pytest.mark.parametrize(
    ("entry", "words"),
    [
        ({"perPod": 1}, "groups.a.networks.a/b.each: missing; say what stands there for each network"),
        ({"each": "x"}, 'groups.a.networks.a/b: "x", but not how many; give perAccelerator or perPod'),
        ({**ONE_EACH, "perPod": 1}, "groups.a.networks.a/b: perAccelerator and perPod both say how many; keep one"),
        (
            {**ONE_EACH, "first": [{"network": "x"}]},
            'groups.a.networks.a/b.first: {"network":"x"} stands beside "oci/sriov-rdma"; write all as text',
        ),
        (
            {"perPod": 1, "each": {"network": "n-{indx}"}},
            "groups.a.networks.a/b.each: {indx} stands for nothing; write {index} for 0, 1, …, or {index+N}",
        ),
    ],
)
def test_what_cannot_be_meant_is_refused(chart4: Chart, entry: Values, words: str) -> None:
    values = layered({"accelerators": 1}, gpu={**GPU, "networks": {"a/b": entry}})
    assert chart4.refusal(values).startswith(words)


def test_an_annotation_that_says_otherwise_is_refused(chart4: Chart) -> None:
    group = {"accelerators": 1, "environment": {"annotations": {MULTUS: "own"}}}
    assert chart4.refusal(layered(group, gpu={**GPU, "networks": {MULTUS: ONE_EACH}})) == (
        f"groups.a.environment.annotations.{MULTUS}: given, and networks makes it too; leave it out, or take it from "
        "networks by null"
    )
