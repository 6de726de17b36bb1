"""What only pods with accelerators need, in groups that have none."""

from __future__ import annotations

from typing import Any

import pytest

from helm_roster.policy import conditions

from tests.unit.builders import group, plan

HELD = {"accelerator": {"resource": "nvidia.com/gpu"}}


def told(accelerators: int = 0, layers: dict[str, str] | None = None, held: Any = None, **pod: Any) -> list[str]:
    made = plan({"w": group(accelerators=accelerators, pod=pod)}, backend="default")
    return list(conditions.warnings(made, {"w": held or {}}, {"w": layers or {}}))


def required(*terms: list[dict[str, Any]]) -> dict[str, Any]:
    selector = {"nodeSelectorTerms": [{"matchExpressions": term} for term in terms]}
    return {"affinity": {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": selector}}}


PRODUCT = {"key": "nvidia.com/gpu.product", "operator": "In", "values": ["NVIDIA-H200"]}
NO_GPU = {"key": "nvidia.com/gpu.present", "operator": "NotIn", "values": ["true"]}
CPU = {"key": "pool", "operator": "In", "values": ["cpu"]}


@pytest.mark.parametrize(
    ("pod", "said"),
    [
        ({"nodeSelector": {"nvidia.com/gpu.product": "NVIDIA-H200"}}, "chooses nodes by nvidia.com/gpu.product"),
        ({"nodeSelector": {"cloud.google.com/gke-accelerator": "nvidia-l4"}}, "chooses nodes by cloud.google.com/gke-"),
        ({"nodeSelector": {"cloud.google.com/gke-tpu-topology": "4x4"}}, "chooses nodes by cloud.google.com/gke-tpu-"),
        ({"nodeSelector": {"karpenter.k8s.aws/instance-gpu-name": "h200"}}, "chooses nodes by karpenter.k8s.aws/inst"),
        (required([PRODUCT], [PRODUCT, CPU]), "chooses nodes by nvidia.com/gpu.product"),
        ({"tolerations": [{"key": "nvidia.com/gpu", "operator": "Exists"}]}, "tolerates the taint nvidia.com/gpu"),
        ({"runtimeClassName": "nvidia"}, "has the runtime class nvidia"),
        (
            {"runtimeClassName": "nvidia", "tolerations": [{"key": "google.com/tpu"}]},
            "tolerates the taint google.com/tpu and has the runtime class nvidia",
        ),
    ],
)
def test_conditions_of_accelerators_are_told_in_one_line(pod: dict[str, Any], said: str) -> None:
    (line,) = told(**pod)
    assert line.startswith(f'group "w" asks for no accelerators, but {said}')
    assert line.endswith(", which is for pods with some; leave that out, or set accelerators")
    assert told(1, **pod) == []


@pytest.mark.parametrize(
    "pod",
    [
        {"nodeSelector": {"nvidia.com/gpu.present": "false", "pool": "cpu"}},
        {"tolerations": [{"operator": "Exists"}, {"key": "node.kubernetes.io/unreachable"}]},
        {"runtimeClassName": "gvisor"},
        required([NO_GPU]),
        required([PRODUCT], [CPU]),
        {"nodeSelector": {"nvidia.com/gpu.product": "NVIDIA-H200"}, "resourceClaims": [{"name": "x"}]},
        {"tolerations": [{"key": "nvidia.com/gpu"}], "containers": [{"resources": {"limits": {"nvidia.com/gpu": 1}}}]},
    ],
)
def test_what_any_pod_may_need_is_left_alone(pod: dict[str, Any]) -> None:
    assert told(**pod) == []


def test_a_preset_that_selects_one_is_told_alone() -> None:
    (line,) = told(layers={"accelerator.resource": "presets.h200"}, held=HELD, runtimeClassName="nvidia")
    assert line.startswith('group "w" takes preset "h200", which selects an accelerator, but asks for none: its pods')


def test_a_preset_whose_devices_follow_the_count_brings_none() -> None:
    counted = {"devices.rdma/ib.perAccelerator": "presets.fabric", "networks.a/b.perAccelerator": "presets.fabric"}
    (line,) = told(layers=counted)
    assert line == (
        'group "w" takes preset "fabric", whose devices and networks come with accelerators, but asks for none, and so '
        "gets none of them; set accelerators, or leave the preset out"
    )
    assert told(layers={**counted, "devices.rdma/vf.perPod": "presets.fabric"}) == []
    assert told(layers={"devices.rdma/ib.perAccelerator": "groups.w"}) == []
