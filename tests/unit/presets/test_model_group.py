"""The model group with which a preset is tried."""

from __future__ import annotations

from typing import Any

import pytest

from helm_roster.presets import model_group
from helm_roster.presets.model_group import Counts

GPU = {"model": "M", "resource": "r.com/x"}
READS = {"router": True, "container": {"args": [{"fromRole": "decode", "as": "port", "port": "kv"}]}}


@pytest.mark.parametrize(
    ("preset", "accelerators", "pods"),
    [
        ({"accelerator": GPU}, 1, 1),
        ({"accelerator": {**GPU, "perNode": 8}}, 8, 1),
        ({"accelerator": {**GPU, "perNode": 4, "topology": "4x4x4"}}, 4, 16),
        ({"accelerator": {**GPU, "perNode": 8, "topology": "2x2"}}, 4, 1),
        ({"devices": {"r.com/nic": {"perAccelerator": 1}}}, 8, 1),
        ({"shm": {"perAccelerator": "2Gi"}}, 8, 1),
        ({"fillsNode": True}, 8, 1),
        ({"claims": ["imex"]}, 8, 1),
        ({"environment": {"nodeSelector": {"a": "b"}}}, 0, 1),
        ({"leader": {}, "container": {}}, 0, 1),
        ({"leader": {"cmd": "x"}}, 0, 2),
        ({"container": {"extraArgs": ["--nnodes=$(LWS_GROUP_SIZE)"]}}, 0, 2),
    ],
)
def test_the_counts_fit_the_preset(preset: dict[str, Any], accelerators: int, pods: int) -> None:
    assert model_group.counts(preset) == Counts(accelerators=accelerators, pods=pods)


def test_what_follows_accelerators_is_tried_with_those_of_another_preset() -> None:
    made = model_group.values("p", {"devices": {"r.com/nic": {"perAccelerator": 1}}})
    assert made["groups"]["example"]["presets"] == ["example/accelerator", "p"]
    assert made["presets"]["example/accelerator"]["accelerator"]["resource"]


def test_without_a_preset_that_selects_them_the_group_has_no_accelerators() -> None:
    made = model_group.values("p", {"accelerator": GPU}, taken=False)
    assert made == {"groups": {"example": {"replicas": 1, "container": {"image": model_group.IMAGE}}}}


def test_what_a_router_reads_stands_beside_it() -> None:
    groups = model_group.values("p", READS)["groups"]
    assert list(groups) == ["example", "decode"]
    assert groups["decode"]["container"]["ports"] == {"http": 8000, "kv": 8001}
    assert list(model_group.values("p", {"router": True})["groups"]) == ["example", "worker"]
    assert [model_group.is_alone(preset) for preset in (READS, {"router": True}, {})] == [False, False, True]


def test_a_container_that_needs_an_image_gets_one() -> None:
    sidecars = {"proxy": {"image": ""}, "exporter": {"image": "x"}}
    assert model_group.values("p", {"sidecars": sidecars})["groups"]["example"]["sidecars"] == {
        "proxy": {"image": "example/sidecar:1"}
    }


def test_huge_pages_stand_beside_memory() -> None:
    made = model_group.values("p", {"devices": {"hugepages-2Mi": {"perPod": "5120Mi"}}})
    assert made["groups"]["example"]["resources"]["requests"]["memory"]
