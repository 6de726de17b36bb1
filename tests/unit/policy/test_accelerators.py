"""Which devices are accelerators, and how many a container has."""

from __future__ import annotations

import pytest

from helm_roster.model.devices import Accelerator, Claim
from helm_roster.model.plan import Part
from helm_roster.policy import accelerators


def part(resource: str = "", **more: object) -> Part:
    held = Accelerator(model="X", resource=resource) if resource else None
    return Part(name="", count=1, spec={}, accelerator=held, **more)


@pytest.mark.parametrize(
    "resource",
    [
        *("rdma/ib", "vpc.amazonaws.com/efa", "nvidia.com/hostdev", "nvidia.com/sriov-rdma-vf", "nvidia.com/mlnxnics"),
        *("amd.com/vnic", "vke.volcengine.com/rdma", "networking.gke.io.networks/rdma-0.IP", "smarter-devices/fuse"),
        *("devices.kubevirt.io/kvm", "hugepages-2Mi", "cpu"),
    ],
)
def test_companions_are_no_accelerators_also_where_no_preset_tells(resource: str) -> None:
    assert not accelerators.is_one(resource, part())
    assert not accelerators.is_one(resource, part("nvidia.com/gpu"))


def test_what_nobody_knows_is_one_unless_the_values_call_it_a_companion() -> None:
    assert accelerators.is_one("example.com/card", part())
    assert not accelerators.is_one("example.com/card", part(companions=("example.com/card",)))
    assert not accelerators.is_one("example.com/card", part("nvidia.com/gpu"))
    assert accelerators.is_one("nvidia.com/gpu", part("nvidia.com/gpu", companions=("nvidia.com/gpu-x",)))


@pytest.mark.parametrize(
    "resource",
    [
        *("nvidia.com/gpu", "nvidia.com/gpu.shared", "nvidia.com/mig-1g.10gb", "amd.com/gpu", "google.com/tpu"),
        *("habana.ai/gaudi", "aws.amazon.com/neuron", "aws.amazon.com/neuroncore", "gpu.intel.com/i915"),
    ],
)
def test_what_is_known_as_one_is_no_companion_whatever_the_values_call_it(resource: str) -> None:
    assert accelerators.is_one(resource, part(companions=(resource,)))


def test_what_belongs_to_accelerators_may_come_along() -> None:
    for resource in ("nvidia.com/gpumem", "gpu.intel.com/i915_monitoring", "nvidia.com/rdma-vf"):
        assert not accelerators.is_one(resource, part(companions=(resource,)))


def test_a_container_has_them_by_resource_and_by_claim() -> None:
    container = {"resources": {"limits": {"nvidia.com/gpu": 2}, "claims": [{"name": "accelerators"}]}}
    assert accelerators.of_container(container, part("nvidia.com/gpu")) == 2
    held = Accelerator(model="X", device_class="gpu.nvidia.com")
    claims = {"accelerators": Claim(devices={"gpu.nvidia.com": 4, "efa": 4}, accelerators=4)}
    claiming = Part(name="", count=1, spec={}, accelerator=held, claims=claims)
    assert accelerators.of_container({"resources": {"claims": [{"name": "accelerators"}]}}, claiming) == 4
