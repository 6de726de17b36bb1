"""What a cluster publishes of devices for claims (DRA), as far as it can be told without evaluating CEL; pure."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from helm_roster.manifests import walk
from helm_roster.manifests.walk import Manifest

# How nearly every device class names its driver; what else its selectors say is CEL and not evaluated here.
_DRIVER: Final = re.compile(r"""device\.driver\s*==\s*(['"])([^'"]+)\1""")


@dataclass(frozen=True, kw_only=True)
class ClassFound:
    """A device class that is named: whether it exists, its driver, and that driver's devices; None: not known."""

    name: str
    exists: bool | None
    driver: str | None = None
    devices: int | None = None
    nodes: frozenset[str] | None = None


def named(preset: Mapping[str, Any], claims: Mapping[str, Any]) -> list[str]:
    """Return the device classes that a preset and the claims that it uses name, each once."""
    return list(dict.fromkeys([*_classes(dict(preset)), *_classes(dict(claims))]))


def kinds(preset: Mapping[str, Any], claims: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return the kinds, with their API versions, that claims of the preset need served."""
    found = []
    if named(preset, claims) or claims:
        found.append(("resource.k8s.io/v1", "ResourceClaimTemplate"))
    if any("computeDomain" in claim for claim in claims.values() if isinstance(claim, dict)):
        found.append(("resource.nvidia.com/v1beta1", "ComputeDomain"))
    return found


def find(name: str, classes: Sequence[Manifest] | None, slices: Sequence[Manifest] | None) -> ClassFound:
    """Return what is known of a device class among those of the cluster, and of the devices of its driver."""
    if classes is None:
        return ClassFound(name=name, exists=None)
    own = next((one for one in classes if walk.get(one, "metadata", "name") == name), None)
    if own is None:
        return ClassFound(name=name, exists=False)
    said = " ".join(str(walk.get(one, "cel", "expression")) for one in walk.mappings(own, "spec", "selectors"))
    driver = _DRIVER.search(said)
    if not driver or slices is None:
        return ClassFound(name=name, exists=True, driver=driver[2] if driver else None)
    held = list(_newest(slices, driver[2]))
    on = frozenset(str(walk.get(one, "spec", "nodeName")) for one in held if walk.get(one, "spec", "nodeName"))
    count = sum(len(walk.sequence(one, "spec", "devices")) for one in held)
    return ClassFound(name=name, exists=True, driver=driver[2], devices=count, nodes=on)


def _classes(node: object) -> Iterator[str]:
    if isinstance(node, dict):
        for key, below in node.items():
            if key == "deviceClassName":
                yield str(below)
            else:
                yield from _classes(below)
    elif isinstance(node, list):
        for below in node:
            yield from _classes(below)


def _newest(slices: Sequence[Manifest], driver: str) -> Iterator[Manifest]:
    """Yield the slices of a driver, of each pool those of its newest generation: others are on their way out."""
    pools: dict[str, list[Manifest]] = defaultdict(list)
    for one in slices:
        if walk.get(one, "spec", "driver") == driver:
            pools[str(walk.get(one, "spec", "pool", "name"))].append(one)
    for held in pools.values():
        generation = max(int(walk.get(one, "spec", "pool", "generation", default=0)) for one in held)
        yield from (one for one in held if int(walk.get(one, "spec", "pool", "generation", default=0)) == generation)
