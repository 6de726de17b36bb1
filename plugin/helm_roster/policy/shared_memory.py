"""Volumes that are kept in memory, and what is wrong about them: a small ``/dev/shm`` ends collective operations.

A container runtime gives 64 MB of ``/dev/shm``; processes that share accelerators' work (NCCL, data loaders) die in
that without a clear word. A larger one is an emptyDir of medium Memory, and what is written there counts against the
memory limits of the containers that write (Kubernetes, "emptyDir").
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Any, Final

from helm_roster.manifests import quantities, walk
from helm_roster.model.operation import Group
from helm_roster.model.plan import Part, Plan, groups_of
from helm_roster.policy import accelerators, totals

_MAIN: Final = "main"  # the container to which the chart mounts shm
_PATH: Final = "/dev/shm"  # noqa: S108  (the path in a container that is talked about)


def volumes(spec: Mapping[str, Any], group: str) -> dict[str, Fraction | None]:
    """Return the volumes in memory of one pod of the group with their sizes, in bytes; None where none is set.

    Raises:
        BadInputError: A size is no Kubernetes quantity.
    """
    found: dict[str, Fraction | None] = {}
    for volume in totals.in_memory(spec):
        size = walk.get(volume, "emptyDir", "sizeLimit")
        where = f'group "{group}": volumes.{volume.get("name")}.emptyDir.sizeLimit'
        found[str(volume.get("name"))] = None if size is None else quantities.parse(size, where)
    return found


def warnings(plan: Plan) -> list[str]:
    """Return a line for each volume that its containers' memory cannot hold, and each group that lacks one.

    Raises:
        BadInputError: A size or limit is no Kubernetes quantity.
    """
    return [
        line
        for group in groups_of(plan)
        for part in plan.parts(group.name)
        if group.pods
        for line in (*_too_large(part, group), *_absent(part, group))
    ]


def _too_large(part: Part, group: Group) -> Iterator[str]:
    sizes = volumes(part.spec, group.name)
    for container in accelerators.containers(part.spec) if sizes else ():
        limit = walk.get(container, "resources", "limits", "memory")
        for mount in walk.sequence(container, "volumeMounts"):
            size = sizes.get(str(mount.get("name")))
            where = f'group "{group.name}": resources.limits.memory of container "{container.get("name")}"'
            if size is not None and limit is not None and size > quantities.parse(limit, where):
                yield (
                    f'group "{group.name}": {mount.get("mountPath")} may hold {quantities.format_memory(size)} in '
                    f'memory, above the memory limit of container "{container.get("name")}" ({limit}), against which '
                    "it counts: raise the limit or lower the size"
                )


def _absent(part: Part, group: Group) -> Iterator[str]:
    if part.spec.get("hostIPC"):
        return  # then /dev/shm is the node's
    for container in accelerators.containers(part.spec):
        count = accelerators.of_container(container, part)
        if count > 1 and not any(_covers(mount) for mount in walk.sequence(container, "volumeMounts")):
            main = container.get("name") == _MAIN
            then = "set shm.size" if main else "mount a volume there whose medium is Memory, such as that of shm"
            yield (
                f'group "{group.name}": container "{container.get("name")}" has {count} accelerators, and its '
                f"{_PATH} is the container runtime's, 64 MB, too small for what they share: {then}"
            )


def _covers(mount: Mapping[str, Any]) -> bool:
    return str(mount.get("mountPath")).rstrip("/") in {"/dev", _PATH}
