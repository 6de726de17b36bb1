"""Which of the devices that pods ask for are accelerators, and which only come along with them.

An extended resource is an accelerator where a preset of the group selects it. In a group without such a preset each
extended resource counts as one, under its own name, but for those that the values call devices that come along, and
those that are known to belong to a network, or to any pod. What is known as an accelerator is one, whatever the values
call it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Mapping
from typing import Any, Final

from helm_roster.manifests import quantities, walk
from helm_roster.model.plan import Part

# Resources of network devices, as the device plugins of clouds and vendors name them: vpc.amazonaws.com/efa, rdma/ib,
# nvidia.com/hostdev, nvidia.com/sriov-rdma-vf, nvidia.com/mlnxnics, amd.com/vnic, vke.volcengine.com/rdma,
# networking.gke.io.networks/rdma-0; then devices of any node, such as smarter-devices/fuse, devices.kubevirt.io/kvm.
_COMPANION: Final = re.compile(
    r"^rdma/|networking\.|/.*(efa|rdma|roce|sriov|hostdev|infiniband|mlnx)|/(ib|vf|v?nic|fuse|kvm|tun|vhost-net)\b"
)
# Resources of accelerators, as their device plugins name them: nvidia.com/gpu, nvidia.com/gpu.shared,
# nvidia.com/mig-1g.10gb, amd.com/gpu, google.com/tpu, habana.ai/gaudi, aws.amazon.com/neuroncore, gpu.intel.com/i915.
_ACCELERATOR: Final = re.compile(
    r"/(gpu|tpu|npu|gaudi|neuron(core|device)?)(\.shared)?$|/mig-|^gpu\.intel\.com/(i915|xe)$"
)


def is_one(resource: str, part: Part) -> bool:
    """Return whether ``resource`` is an accelerator of these pods, and no companion."""
    return resource == part.accelerator.resource if part.accelerator else may_be(resource, part.companions)


def may_be(resource: str, companions: Collection[str] = ()) -> bool:
    """Return whether ``resource`` is an accelerator as far as its name tells; ``companions`` are the values' own."""
    if not quantities.is_extended(resource) or _COMPANION.search(resource):
        return False
    return resource not in companions or is_known(resource)


def is_known(resource: str) -> bool:
    """Return whether ``resource`` is an accelerator by its name alone, and never comes along with one."""
    return bool(_ACCELERATOR.search(resource))


def of_container(container: Mapping[str, Any], part: Part) -> int:
    """Return how many accelerators a container of these pods has, by resource and by claim.

    Raises:
        BadInputError: An amount is no Kubernetes quantity.
    """
    return sum(by_kind(container, part).values())


def by_kind(container: Mapping[str, Any], part: Part) -> Counter[str]:
    """Return the accelerators of a container of these pods by their resource or device class.

    Raises:
        BadInputError: An amount is no Kubernetes quantity.
    """
    limits, requests = (walk.mapping(container, "resources", side) for side in ("limits", "requests"))
    asked = {**requests, **limits}
    found = Counter({name: int(quantities.parse(asked[name], name)) for name in asked if is_one(name, part)})
    held = part.accelerator
    for entry in walk.mappings(container, "resources", "claims"):
        claim = part.claims.get(str(entry.get("name")))
        if held and claim:
            found[held.device_class] += claim.accelerators
    return +found


def containers(spec: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Return the containers that run on: the main ones and native sidecars."""
    sidecars = [
        container for container in walk.sequence(spec, "initContainers") if container.get("restartPolicy") == "Always"
    ]
    return [*walk.sequence(spec, "containers"), *sidecars]
