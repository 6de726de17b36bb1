"""Devices that pods claim: classes, and the slices by which drivers publish what simulated nodes have."""

from __future__ import annotations

from collections.abc import Sequence

from tests.cluster.api import Json
from tests.cluster.namespaces import Namespace

API = "resource.k8s.io/v1"
NVIDIA, AMD = "gpu.nvidia.com", "gpu.amd.com"
MODELS = {NVIDIA: "NVIDIA H200", AMD: "AMD_Instinct_MI300X_OAM"}


def classes(namespace: Namespace, *drivers: str) -> None:
    """Make a class for each driver, called as it is; they go with the namespace."""
    namespace.create(*map(device_class, drivers or MODELS))


def device_class(driver: str) -> Json:
    """Return the class of all devices of a driver."""
    selectors = [{"cel": {"expression": f"device.driver == '{driver}'"}}]
    return {"apiVersion": API, "kind": "DeviceClass", "metadata": {"name": driver}, "spec": {"selectors": selectors}}


def add_node(namespace: Namespace, count: int, *, driver: str = NVIDIA, model: str = "") -> str:
    """Add a node with so many devices of a driver and no extended resource; return its name."""
    node = namespace.add_node(gpus=0)
    namespace.create(publish(node, driver, [model or MODELS[driver]] * count))
    return node


def publish(node: str, driver: str, models: Sequence[str]) -> Json:
    """Return the slice of the devices of one driver on a node: one device a model."""
    devices = [
        {"name": f"gpu-{index}", "attributes": {"productName": {"string": model}}} for index, model in enumerate(models)
    ]
    pool = {"name": node, "generation": 1, "resourceSliceCount": 1}
    spec = {"driver": driver, "nodeName": node, "pool": pool, "devices": devices}
    return {"apiVersion": API, "kind": "ResourceSlice", "metadata": {"name": f"{node}-{driver}"}, "spec": spec}


def allocated(namespace: Namespace) -> dict[str, list[str]]:
    """Return by pod the devices that its claims hold, as driver/pool/device, of claims that are allocated."""
    found: dict[str, list[str]] = {}
    for claim in namespace.items(API, "ResourceClaim"):
        status = claim.get("status", {})
        results = status.get("allocation", {}).get("devices", {}).get("results", [])
        for user in status.get("reservedFor", []) or [{"name": ""}]:
            found.setdefault(user["name"], []).extend(
                f"{one['driver']}/{one['pool']}/{one['device']}" for one in results
            )
    return {pod: devices for pod, devices in found.items() if devices}
