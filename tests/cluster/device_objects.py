"""What drivers of Dynamic Resource Allocation make, written by hand: classes, the devices of nodes, and channels.

NVIDIA's controller of compute domains is no Go module that can be had, so its kind is defined as far as it decides
anything, and a test makes the template of claims that it would; test_strict_domains.py asks the real one where it is.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping

from tests.cluster import projects
from tests.cluster.api import Api, Json
from tests.cluster.namespaces import Namespace

VERSION = "resource.k8s.io/v1"
DOMAIN = "resource.nvidia.com/v1beta1"


@dataclasses.dataclass(frozen=True)
class Devices:
    """Equal devices of a node: so many of the class, by the driver, with attributes that are texts."""

    device_class: str
    driver: str
    count: int
    attributes: Mapping[str, str] = dataclasses.field(default_factory=dict)

    def of_the_cluster(self) -> Json:
        """Return the class."""
        selector = {"cel": {"expression": f"device.driver == '{self.driver}'"}}
        return _object("DeviceClass", self.device_class, {"selectors": [selector]})

    def of_node(self, node: str) -> Json:
        """Return the devices of a node."""
        attributes = {name: {"string": text} for name, text in self.attributes.items()}
        devices = [{"name": f"device-{number}", "attributes": attributes} for number in range(self.count)]
        pool = {"name": node, "generation": 1, "resourceSliceCount": 1}
        spec = {"driver": self.driver, "nodeName": node, "pool": pool, "devices": devices}
        return _object("ResourceSlice", f"{node}-{self.driver}", spec)


CHANNELS = Devices("compute-domain-default-channel.nvidia.com", "compute-domain.nvidia.com", 1)
_TEMPLATE = {"type": "object", "required": ["name"], "properties": {"name": {"type": "string"}}}
_CHANNEL = {
    "type": "object",
    "required": ["resourceClaimTemplate"],
    "properties": {
        "resourceClaimTemplate": _TEMPLATE,
        "allocationMode": {"type": "string", "enum": ["All", "Single"], "default": "Single"},
    },
}
_SPEC = {
    "type": "object",
    "required": ["channel", "numNodes"],
    "properties": {"numNodes": {"type": "integer"}, "channel": _CHANNEL},
    "x-kubernetes-validations": [{"rule": "self == oldSelf", "message": "A computeDomain.spec is immutable"}],
}


def define(api: Api) -> None:
    """Let the API server serve compute domains, if it does not."""
    names = {"kind": "ComputeDomain", "listKind": "ComputeDomainList", "plural": "computedomains"}
    schema = {"openAPIV3Schema": {"type": "object", "properties": {"spec": _SPEC}}}
    version = {"name": "v1beta1", "served": True, "storage": True, "schema": schema}
    spec = {"group": "resource.nvidia.com", "scope": "Namespaced", "names": names, "versions": [version]}
    made = {"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "spec": spec}
    projects.add(api, {**made, "metadata": {"name": "computedomains.resource.nvidia.com"}})


def open_channels(namespace: Namespace) -> list[str]:
    """Make the templates of claims of the namespace's compute domains, as their controller does; return the names."""
    domains = namespace.items(DOMAIN, "ComputeDomain")
    names = [str(domain["spec"]["channel"]["resourceClaimTemplate"]["name"]) for domain in domains]
    for name in names:
        namespace.create(template(name, CHANNELS))
    return names


def template(name: str, devices: Devices) -> Json:
    """Return a template of claims of all these devices of a node."""
    request = {"name": "devices", "exactly": {"deviceClassName": devices.device_class, "count": devices.count}}
    return _object("ResourceClaimTemplate", name, {"spec": {"devices": {"requests": [request]}}})


def given(namespace: Namespace) -> list[Json]:
    """Return the devices that the scheduler gave to claims, each with its `driver`, and the node as its `pool`."""
    claims = [claim.get("status", {}) for claim in namespace.items(VERSION, "ResourceClaim")]
    return [
        device
        for status in claims
        if status.get("reservedFor")
        for device in status["allocation"]["devices"]["results"]
    ]


def manifests(api: Api, nodes: Iterable[str], *found: Devices) -> list[Json]:
    """Return the classes that are not there yet, and the devices of each node."""
    classes = [devices.of_the_cluster() for devices in found]
    there = {item["metadata"]["name"] for item in api.items(f"/apis/{VERSION}/deviceclasses")} if found else set()
    return [
        *(made for made in classes if made["metadata"]["name"] not in there),
        *(devices.of_node(node) for node in nodes for devices in found),
    ]


def _object(kind: str, name: str, spec: Json) -> Json:
    return {"apiVersion": VERSION, "kind": kind, "metadata": {"name": name}, "spec": spec}
