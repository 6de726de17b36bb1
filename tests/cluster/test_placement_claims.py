"""Gangs whose pods claim their accelerators (DRA), on the real schedulers: devices of simulated nodes, by model."""

from __future__ import annotations

import itertools
import json

from tests.cluster import device_objects
from tests.cluster.api import Json, wait_for
from tests.cluster.device_objects import Devices
from tests.cluster.namespaces import Namespace
from tests.cluster.placing import BINDS, Placing

H200 = Devices("gpu.nvidia.com", "gpu.nvidia.com", 2, {"productName": "NVIDIA H200"})
L4 = Devices("gpu.nvidia.com", "gpu.nvidia.com", 8, {"productName": "NVIDIA L4"})
MI300X = Devices("gpu.amd.com", "gpu.amd.com", 2, {"productName": "AMD_Instinct_MI300X_OAM"})
SELECTORS = {
    "h200": "device.attributes['gpu.nvidia.com'].productName.lowerAscii().matches('^.*h200.*$')",
    "mi300x": "device.attributes['gpu.amd.com'].productName.matches('^AMD_Instinct_MI300X.*$')",
}
PRESETS = {
    name: {
        "accelerator": {"model": name, "claim": {"deviceClassName": of.device_class, "selectors": [SELECTORS[name]]}}
    }
    for name, of in {"h200": H200, "mi300x": MI300X}.items()
}


def worker(preset: str) -> Json:
    """Return four workers of two accelerators each of a preset's model; Volcano holds no pod that requests nothing."""
    return {"replicas": 4, "gpus": 2, "presets": [preset], "resources": {"requests": {"cpu": "1"}}}


def add_nodes(namespace: Namespace, count: int, devices: Devices) -> list[str]:
    """Add nodes that have nothing but these devices; return their names."""
    names = namespace.add_nodes(count, gpus=0)
    namespace.create(*(devices.of_node(name) for name in names))
    return names


def allocated(namespace: Namespace) -> dict[str, list[str]]:
    """Return the nodes whose devices pods hold by their claims, one for each device, by pod."""
    found: dict[str, list[str]] = {}
    for claim in namespace.items(device_objects.VERSION, "ResourceClaim"):
        status = claim.get("status", {})
        results = status.get("allocation", {}).get("devices", {}).get("results", [])
        for user in status.get("reservedFor", [{"name": ""}] if results else []):
            found.setdefault(user["name"], []).extend(result["pool"] for result in results)
    return found


def pools(namespace: Namespace) -> list[str]:
    """Return the nodes of all devices that are held, one for each."""
    return sorted(itertools.chain.from_iterable(allocated(namespace).values()))


def test_a_gang_claims_devices_of_its_model_whole_or_none_and_moves_by_one_word(op: Placing) -> None:
    namespace, members = op.namespace, {"worker": {}}
    namespace.create(H200.of_the_cluster(), MI300X.of_the_cluster())
    nodes = add_nodes(namespace, 3, H200)
    add_nodes(namespace, 1, L4)
    op.install({"worker": worker("h200")}, members, presets=PRESETS)
    op.holds(0)
    assert allocated(namespace) == {}
    nodes += add_nodes(namespace, 1, H200)
    op.binds(4)
    assert sorted(allocated(namespace)) == [f"op-worker-{index}" for index in range(4)]
    assert pools(namespace) == sorted(nodes * 2)
    file = op.values({"worker": worker("h200")}, members, presets=PRESETS)
    assert json.loads(op.roster("plan", "-f", file, "-o", "json").stdout)["totals"]["accelerators"] == {"h200": 8}
    others = add_nodes(namespace, 4, MI300X)
    done = op.upgrade({"worker": worker("mi300x")}, members, presets=PRESETS)
    assert done.returncode == 0, done.stderr
    wait_for(
        lambda: pools(namespace), BINDS, "all devices of the other model",
        until=lambda seen: seen == sorted(others * 2),
    )  # fmt: skip
    op.roster("cancel", "op", "--timeout", "60s")
    namespace.is_left_with()
