"""Which logs of an operation are to be read: of which containers of which pods; pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from helm_roster import constants
from helm_roster.manifests import walk
from helm_roster.manifests.walk import Manifest
from helm_roster.policy import health, pods

# The container that kubectl takes where none is named (kubectl.kubernetes.io/default-container).
_DEFAULT: Final = "kubectl.kubernetes.io/default-container"


@dataclass(frozen=True, kw_only=True)
class Target:
    """One container of one pod.

    ``run`` counts its starts, so that each start is a log of its own. ``state``: it has not begun (``why`` says why),
    it runs, or its newest run has ended. ``has_previous``: an earlier run's log may be there.
    """

    group: str
    pod: str
    container: str
    uid: str
    run: int
    state: Literal["waiting", "running", "ended"]
    why: str = ""
    has_previous: bool = False
    alone: bool = True
    node: str = ""

    @property
    def key(self) -> tuple[str, str, int]:
        """Return what tells it from all others, over all time."""
        return self.uid, self.container, self.run

    @property
    def label(self) -> str:
        """Return what stands before its lines: ``decode/rl-decode-3``, with the container where there are several."""
        return f"{self.group}/{self.pod}" + ("" if self.alone else f"[{self.container}]")


def targets(found: Iterable[Manifest], *, container: str = "", everything: bool = False) -> list[Target]:
    """Return the containers whose logs are asked for, by group and pod.

    Args:
        found: The pods.
        container: Only containers of that name, init containers and sidecars too; pods without it have none.
        everything: All containers. With neither, each pod's main container.
    """
    listed = sorted(found, key=lambda pod: (_group(pod), _natural(pods.name(pod))))
    return [target for pod in listed for target in _of(pod, container, everything=everything)]


def containers(found: Iterable[Manifest]) -> list[str]:
    """Return the names of all containers of the pods, each once."""
    return list(dict.fromkeys(name for pod in found for name in _names(pod)))


def of_groups(found: Sequence[Manifest], groups: Sequence[str]) -> list[Manifest]:
    """Return the pods of these groups; all that are of any group where none is named."""
    return [pod for pod in found if _group(pod) and (not groups or _group(pod) in groups)]


def are_over(found: Iterable[Manifest], workloads: Iterable[Manifest]) -> bool:
    """Return whether no pod runs and none will come: each workload is gone, is being deleted, or is an ended Job."""
    return all(pods.phase(pod) in {"Succeeded", "Failed"} for pod in found) and all(
        pods.is_terminating(workload) or health.end_of(workload) for workload in workloads
    )


def _of(pod: Manifest, container: str, *, everything: bool) -> Iterator[Target]:
    names = _names(pod)
    asked = names if everything else [name for name in names if name == (container or _main(pod))]
    states = {str(status.get("name")): status for status in pods.statuses(pod)}
    for name in asked:
        status = states.get(name, {})
        state, why = _state(pod, status)
        yield Target(
            group=_group(pod), pod=pods.name(pod), container=name, uid=str(walk.get(pod, "metadata", "uid")),
            run=int(status.get("restartCount") or 0), state=state, why=why,
            has_previous=bool(status.get("restartCount")), alone=not everything,
            node=str(walk.get(pod, "spec", "nodeName", default="")),
        )  # fmt: skip


def _state(pod: Manifest, status: Mapping[str, object]) -> tuple[Literal["waiting", "running", "ended"], str]:
    if walk.get(status, "state", "running") is not None:
        return "running", ""
    if walk.get(status, "state", "terminated") is not None or walk.get(status, "lastState", "terminated") is not None:
        return "ended", ""
    if not pods.is_placed(pod):
        return "waiting", "its pod has no node yet"
    return "waiting", str(walk.get(status, "state", "waiting", "reason", default="") or "it is not created yet")


def _names(pod: Manifest) -> list[str]:
    listed = (entry for key in ("initContainers", "containers") for entry in walk.sequence(pod, "spec", key))
    return [str(entry.get("name")) for entry in listed]


def _main(pod: Manifest) -> str:
    chosen = walk.get(pod, "metadata", "annotations", _DEFAULT)
    first: list[Manifest] = walk.sequence(pod, "spec", "containers")[:1]
    return str(chosen or (first[0].get("name") if first else ""))


def _group(pod: Manifest) -> str:
    return str(walk.get(pod, "metadata", "labels", constants.GROUP_LABEL, default=""))


def _natural(name: str) -> list[tuple[int, str]]:
    """Return what sorts ``w-10`` after ``w-9``."""
    return [(int(part), "") if part.isdigit() else (0, part) for part in re.split(r"(\d+)", name)]
