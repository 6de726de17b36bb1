"""What containers ask for that is legal and hardly meant: a size without its unit, a mount inside a read-only one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath
from typing import Any, Final

from helm_roster.manifests import quantities, walk
from helm_roster.model.plan import Plan, groups_of

# Below this no program runs, and no container runtime makes a container with such a limit.
_LEAST: Final = 1024**2
_SIZED: Final = ("memory", "ephemeral-storage")
# Volumes that are read-only whatever a mount says.
_READ_ONLY: Final = ("configMap", "downwardAPI", "image", "projected", "secret")


def warnings(plan: Plan) -> Iterator[str]:
    """Yield a line for each such size, and for each such mount.

    Raises:
        BadInputError: A size is no Kubernetes quantity.
    """
    for group in groups_of(plan):
        spec = plan.pod_spec(group.name)
        fixed = {
            str(volume.get("name")) for volume in walk.sequence(spec, "volumes") if any(map(volume.get, _READ_ONLY))
        }
        for container in (*walk.sequence(spec, "initContainers"), *walk.sequence(spec, "containers")):
            at = f'group "{group.name}", container "{container.get("name")}"'
            for line in (*_tiny(container, at), *_inside(container, fixed)):
                yield f"{at}: {line}"


def _tiny(container: Mapping[str, Any], at: str) -> Iterator[str]:
    for side in ("requests", "limits"):
        amounts = walk.mapping(container, "resources", side)
        for name in _SIZED:
            given = amounts.get(name)
            if given is not None and 0 < quantities.parse(given, f"{at}: {name}") < _LEAST:
                yield f"resources.{side}.{name} is {given}, in bytes; write its unit, as in 64Mi or 64Gi"


def _inside(container: Mapping[str, Any], fixed: set[str]) -> Iterator[str]:
    mounts = {PurePosixPath(str(mount.get("mountPath"))): mount for mount in walk.sequence(container, "volumeMounts")}
    for path, mount in mounts.items():
        for around in path.parents:
            outer = mounts.get(around, {})
            if outer.get("readOnly") or outer.get("name") in fixed:
                yield (
                    f'{path} (volume "{mount.get("name")}") is inside {around} (volume "{outer.get("name")}"), which '
                    "is read-only, so it starts only if that path is in the volume already; mount it elsewhere"
                )
