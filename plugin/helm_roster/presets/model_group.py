"""An operation of one group that takes a preset, with counts that fit it: to see what the preset makes of a group.

What the preset reads of other groups, as a router does of its workers, stands beside it.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from helm_roster.manifests import walk

IMAGE: Final = "example/model:1"
_SIDECAR: Final = "example/sidecar:1"
# For a preset of what comes along with accelerators, and says itself which.
_BASE: Final = "example/accelerator"
BASE_RESOURCE: Final = "example.com/accelerator"
_BASE_PRESET: Final = {"accelerator": {"model": "an accelerator", "resource": BASE_RESOURCE}}
_DEFAULT_COUNT: Final = 8
# Variables that only replicas which span pods have.
_SPANS: Final = re.compile(r"\$\(LWS_")
_PORT: Final = 8000
# Kubernetes takes huge pages only beside memory that is asked for.
_MEMORY: Final = {"requests": {"memory": "64Gi"}}
_ROUTER: Final = {
    "router": True,
    "container": {"image": IMAGE, "ports": {"http": _PORT}, "readinessProbe": {"httpGet": {"port": "http"}}},
}


@dataclass(frozen=True, kw_only=True)
class Counts:
    """How many accelerators a pod of the model group has, and how many pods a replica."""

    accelerators: int = 0
    pods: int = 1


def counts(preset: Mapping[str, Any]) -> Counts:
    """Return counts that fit the preset: a whole node, a whole slice; none where it is not about accelerators."""
    accelerator = walk.mapping(dict(preset), "accelerator")
    per_node, topology = accelerator.get("perNode"), accelerator.get("topology")
    spans = 2 if preset.get("leader") or _SPANS.search(str(preset)) else 1
    if topology and isinstance(per_node, int) and (chips := _chips(str(topology))):
        return Counts(accelerators=min(per_node, chips), pods=math.ceil(chips / per_node))
    if isinstance(per_node, int):
        return Counts(accelerators=per_node, pods=spans)
    if accelerator:
        return Counts(accelerators=1, pods=spans)
    return Counts(accelerators=_DEFAULT_COUNT if _is_beside_accelerators(preset) else 0, pods=spans)


def values(
    name: str | list[str], preset: Mapping[str, Any], *, group: str = "example", taken: bool = True
) -> dict[str, Any]:
    """Return the values of an operation whose ``group`` takes the preset, or, if not ``taken``, does without it.

    Several names are presets that are taken together; ``preset`` is then what all of them say.
    """
    found = counts(preset)
    own_accelerator = bool(preset.get("accelerator"))
    base = [_BASE] if found.accelerators and not own_accelerator else []
    made: dict[str, Any] = {"replicas": 1, "container": {"image": IMAGE, **_probed(preset)}}
    if found.accelerators and (taken or not own_accelerator):
        made["accelerators"] = found.accelerators
    if found.pods > 1:
        made["podsPerReplica"] = found.pods
    if any(device.startswith("hugepages-") for device in walk.mapping(dict(preset), "devices")):
        made["resources"] = _MEMORY
    names = [*base, *(([name] if isinstance(name, str) else name) if taken else [])]
    if names:
        made["presets"] = names
    if taken:
        made |= {part: _imaged(preset[part]) for part in ("sidecars", "init") if preset.get(part)}
    groups = {group: made, **(_others(preset) if taken or not preset.get("router") else {})}
    return {"groups": groups, **({"presets": {_BASE: _BASE_PRESET}} if base else {})}


def is_alone(preset: Mapping[str, Any]) -> bool:
    """Return whether the preset's model group stands alone, so that groups of others may stand beside it."""
    return not preset.get("router") and not list(_roles(dict(preset)))


def _others(preset: Mapping[str, Any]) -> dict[str, Any]:
    """Return the groups whose roles the preset reads, with the ports that it reads of them, and a router of them.

    A preset that is a router itself has at least a worker.
    """
    ports: dict[str, set[str]] = {"worker": set()} if preset.get("router") else {}
    for role, port in _roles(dict(preset)):
        ports.setdefault(role, set()).update([port] if port else [])
    if len(ports) > 1 and not ports["worker"]:
        del ports["worker"]
    router = {} if preset.get("router") or not ports else {"router": _ROUTER}
    return router | {
        role: {
            "serving": {"role": role, "port": "http"},
            "container": {
                "image": IMAGE,
                "ports": {name: _PORT + at for at, name in enumerate(dict.fromkeys(["http", *sorted(named)]))},
            },
        }
        for role, named in ports.items()
    }


def _roles(node: object) -> Iterator[tuple[str, str]]:
    """Yield the roles that are read, each with the port that is named with it."""
    if isinstance(node, dict):
        roles = node.get("fromRole") or ()
        for role in [roles] if isinstance(roles, str) else roles:
            yield str(role), str(node.get("port") or "")
        for below in node.values():
            yield from _roles(below)
    elif isinstance(node, list):
        for below in node:
            yield from _roles(below)


def _imaged(containers: object) -> dict[str, Any]:
    """Return an image for each container that has none."""
    found = containers.items() if isinstance(containers, dict) else ()
    return {
        name: {"image": _SIDECAR}
        for name, container in found
        if isinstance(container, dict) and not container.get("image")
    }


def _probed(preset: Mapping[str, Any]) -> dict[str, Any]:
    """Return a probe for a preset that says how long the start may take, and leaves the probe to another one."""
    container = walk.mapping(dict(preset), "container")
    if not preset.get("startup") or any(key.endswith("Probe") for key in container):
        return {}
    return {"startupProbe": {"tcpSocket": {"port": _PORT}}}


def _chips(topology: str) -> int:
    sides = topology.split("x")
    return math.prod(map(int, sides)) if all(side.isdecimal() for side in sides) else 0


def takes_others(preset: Mapping[str, Any]) -> bool:
    """Return whether a group that takes it has accelerators, and another preset says which."""
    return not preset.get("accelerator") and _is_beside_accelerators(preset)


def _is_beside_accelerators(preset: Mapping[str, Any]) -> bool:
    """Return whether anything of it comes along with the accelerators of a group."""
    shm = preset.get("shm")
    follows = isinstance(shm, dict) and "perAccelerator" in shm
    return follows or any(preset.get(part) for part in ("fillsNode", "devices", "networks", "claims"))
