"""What containers ask for that is legal and hardly meant.

A size without its unit, a mount inside a read-only one, a cache in one.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from pathlib import PurePosixPath
from typing import Any, Final

from helm_roster.manifests import quantities, walk
from helm_roster.model.plan import Plan, groups_of
from helm_roster.policy import filled

# Below this no program runs, and no container runtime makes a container with such a limit.
_LEAST: Final = 1024**2
_SIZED: Final = ("memory", "ephemeral-storage")
# Read-only whatever a mount says; but at the root of these the kubelet itself makes the places of mounts inside them
# (MakeNestedMountpoints in pkg/volume/util/nested_volumes.go of Kubernetes 1.37).
_WITH_PLACES: Final = frozenset({"configMap", "downwardAPI", "projected", "secret"})
_READ_ONLY: Final = _WITH_PLACES | {"image"}
# Where engines and compilers write, whatever else they read there.
_CACHES: Final = ("HF_HOME", "XDG_CACHE_HOME", "VLLM_CACHE_ROOT", "TORCHINDUCTOR_CACHE_DIR", "TRITON_CACHE_DIR")


def warnings(plan: Plan) -> Iterator[str]:
    """Yield a line for each such size, mount and cache; one that leader and workers share comes twice.

    Raises:
        BadInputError: A size is no Kubernetes quantity.
    """
    for name, spec in ((group.name, spec) for group in groups_of(plan) for spec in plan.pod_specs(group.name)):
        volumes = {str(volume.get("name")): volume.keys() for volume in walk.sequence(spec, "volumes")}
        for container in (*walk.sequence(spec, "initContainers"), *walk.sequence(spec, "containers")):
            at = f'group "{name}", container "{container.get("name")}"'
            for line in (*_tiny(container, at), *_inside(container, volumes), *_cached(container, volumes)):
                yield f"{at}: {line}"


def _tiny(container: Mapping[str, Any], at: str) -> Iterator[str]:
    for side in ("requests", "limits"):
        amounts = walk.mapping(container, "resources", side)
        for name in _SIZED:
            given = amounts.get(name)
            if given is not None and 0 < quantities.parse(given, f"{at}: {name}") < _LEAST:
                yield f"resources.{side}.{name} is {given}, in bytes; write its unit, as in 64Mi or 64Gi"


def _inside(container: Mapping[str, Any], volumes: Mapping[str, Collection[str]]) -> Iterator[str]:
    """Yield the mounts whose place nobody can make. ``volumes``: the fields of each, by its name."""
    mounts = {PurePosixPath(str(mount.get("mountPath"))): mount for mount in walk.sequence(container, "volumeMounts")}
    for path, mount in mounts.items():
        around = next((parent for parent in path.parents if parent in mounts), path)
        outer = mounts[around]
        fields = volumes.get(str(outer.get("name")), ())
        at_root = not (outer.get("subPath") or outer.get("subPathExpr"))
        read_only = outer.get("readOnly") or not _READ_ONLY.isdisjoint(fields)
        if around != path and read_only and (_WITH_PLACES.isdisjoint(fields) or not at_root):
            yield (
                f'{path} (volume "{mount.get("name")}") is inside {around} (volume "{outer.get("name")}"), which '
                "is read-only, so it starts only if that path is in the volume already; mount it elsewhere"
            )


def _cached(container: Mapping[str, Any], volumes: Mapping[str, Collection[str]]) -> Iterator[str]:
    """Yield the caches that are in a read-only mount. ``volumes``: the fields of each, by its name."""
    if filled.is_one(container):
        return  # the chart's own, which only waits
    mounts = {PurePosixPath(str(mount.get("mountPath"))): mount for mount in walk.sequence(container, "volumeMounts")}
    for variable in walk.sequence(container, "env"):
        name, value = variable.get("name"), variable.get("value")
        if name not in _CACHES or not str(value).startswith("/"):
            continue
        place = PurePosixPath(str(value))
        around = next((path for path in (place, *place.parents) if path in mounts), None)
        mount = mounts[around] if around else {}
        fields = volumes.get(str(mount.get("name")), ())
        if mount.get("readOnly") or not _READ_ONLY.isdisjoint(fields):
            yield (
                f'{name} is {value}, in {around} (volume "{mount.get("name")}"), which is read-only, but programs '
                "write there; let it name a path in a volume that can be written, such as an emptyDir"
            )
