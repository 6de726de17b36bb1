"""What is told of devices for claims without evaluating CEL."""

from __future__ import annotations

from typing import Any

import pytest

from helm_roster.presets import devices
from helm_roster.presets.devices import ClassFound

CLAIM = {"deviceClassName": "gpu.example.com", "devices": {"nics": {"deviceClassName": "nic.example.com"}}}
CLAIMS = {
    "imex": {"computeDomain": {}},
    "nics": {"spec": {"devices": {"requests": [{"exactly": {"deviceClassName": "nic.example.com"}}]}}},
}


def device_class(name: str, *expressions: str) -> dict[str, Any]:
    return {"metadata": {"name": name}, "spec": {"selectors": [{"cel": {"expression": one}} for one in expressions]}}


def a_slice(driver: str, node: str, count: int, generation: int = 1, pool: str = "") -> dict[str, Any]:
    where = {"pool": {"name": pool or node, "generation": generation}, **({"nodeName": node} if node else {})}
    return {"spec": {"driver": driver, **where, "devices": [{"name": f"d{at}"} for at in range(count)]}}


def test_the_classes_of_a_preset_and_of_its_claims_are_named_once() -> None:
    assert devices.named({"accelerator": {"claim": CLAIM}}, CLAIMS) == ["gpu.example.com", "nic.example.com"]
    assert devices.named({"accelerator": {"resource": "r.com/x"}}, {}) == []


def test_claims_need_their_kinds() -> None:
    template = ("resource.k8s.io/v1", "ResourceClaimTemplate")
    assert devices.kinds({"accelerator": {"claim": CLAIM}}, {}) == [template]
    assert devices.kinds({}, CLAIMS) == [template, ("resource.nvidia.com/v1beta1", "ComputeDomain")]
    assert devices.kinds({}, {}) == []


@pytest.mark.parametrize(
    ("classes", "slices", "found"),
    [
        (None, None, ClassFound(name="gpu", exists=None)),
        ([], [], ClassFound(name="gpu", exists=False)),
        ([device_class("gpu", "true")], [], ClassFound(name="gpu", exists=True)),
        ([device_class("gpu", "device.driver == 'g'")], None, ClassFound(name="gpu", exists=True, driver="g")),
        (
            [device_class("gpu", 'device.driver == "g" && true')],
            [a_slice("g", "n1", 4), a_slice("g", "n2", 2), a_slice("other", "n3", 9), a_slice("g", "", 1, pool="net")],
            ClassFound(name="gpu", exists=True, driver="g", devices=7, nodes=frozenset({"n1", "n2"})),
        ),
        (
            [device_class("gpu", "device.driver == 'g'")],
            [a_slice("g", "n1", 4, generation=1), a_slice("g", "n1", 3, generation=2)],
            ClassFound(name="gpu", exists=True, driver="g", devices=3, nodes=frozenset({"n1"})),
        ),
    ],
    ids=["may not look", "not there", "no driver", "no slices to see", "counted", "only the newest generation"],
)
def test_devices_are_those_of_the_driver_that_the_class_names(classes: Any, slices: Any, found: ClassFound) -> None:
    assert devices.find("gpu", classes, slices) == found
