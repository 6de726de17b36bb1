"""Which Workloads stand for which groups, and what their conditions say; pure.

Workloads carry none of our labels: that of a gang is called as its pods name their group, that of a Job names the Job
by its uid, and that of a single pod is owned by it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Final, Literal, NamedTuple

from helm_roster.backend_base import State
from helm_roster.backends.kueue import kinds
from helm_roster.manifests import walk
from helm_roster.manifests.walk import Manifest
from helm_roster.model.live import Live, LiveGroup
from helm_roster.policy import grouping, pods

_JOB: Final = f"{kinds.PREFIX}job-uid"
_GATES: Final = frozenset({f"{kinds.PREFIX}admission", f"{kinds.PREFIX}topology"})
_DEACTIVATED: Final = "the Workload is deactivated"
_BY_HAND: Final = "Deactivated"
_PREEMPTED: Final = "Preempted"
_REPLACEMENT: Final = "WaitingForReplacementPods"


class Part(NamedTuple):
    """How a group is admitted: with the gang whose group of pods is called ``name``, as a Job, or pod by pod."""

    way: Literal["gang", "job", "pods"]
    queue: str
    name: str = ""


class Workloads:
    """The Workloads of a namespace; those that are being deleted stand for nothing any more."""

    def __init__(self, found: Iterable[Manifest]) -> None:
        self.all = [entry for entry in found if not pods.is_terminating(entry)]
        self._by_name = {pods.name(entry): entry for entry in self.all}
        self._by_owner: dict[str, Manifest] = {}
        for entry in self.all:
            owners = [str(owner.get("uid")) for owner in walk.mappings(entry, "metadata", "ownerReferences")]
            job = str(walk.get(entry, "metadata", "labels", _JOB, default=""))
            self._by_owner |= dict.fromkeys([*owners, *([job] if job else [])], entry)

    def whole(self, group: LiveGroup, part: Part) -> Manifest | None:
        """Return the one that stands for all pods of a group; None where it is not there."""
        if part.way == "gang":
            return self._by_name.get(part.name)
        return self._by_owner.get(str(walk.get(group.workload, "metadata", "uid")))

    def of_pods(self, group: LiveGroup) -> list[tuple[Manifest, Manifest | None]]:
        """Return each pod of the group that counts with the one that stands for it alone."""
        active = [pod for pod in group.pods if pods.is_active(pod)]
        return [(pod, self._by_owner.get(str(walk.get(pod, "metadata", "uid")))) for pod in active]


def parts(live: Live) -> Iterator[tuple[LiveGroup, Part]]:
    """Yield the groups that are admitted and not over, each with how."""
    for _, group in sorted(live.groups.items()):
        part = _part(group)
        if part and not grouping.has_ended(group):
            yield group, part


def _part(group: LiveGroup) -> Part | None:
    labels = walk.mapping(group.workload, "spec", "template", "metadata", "labels")
    if name := labels.get(kinds.GROUP):
        return Part("gang", str(labels.get(kinds.QUEUE) or ""), str(name))
    if queue := labels.get(kinds.QUEUE):
        return Part("pods", str(queue))
    queue = walk.get(group.workload, "metadata", "labels", kinds.QUEUE)
    return Part("job", str(queue)) if queue else None


def gated(group: LiveGroup) -> list[Manifest]:
    """Return the pods that Kueue keeps from every scheduler."""
    return [pod for pod in group.pods if pods.is_active(pod) and is_gated(pod)]


def held(group: LiveGroup, part: Part) -> list[Manifest]:
    """Return what Kueue keeps from running: pods that are gated, or the Job that is suspended, which has none."""
    if part.way != "job":
        return gated(group)
    return [group.workload] if group.workload and group.is_halted else []


def is_gated(pod: Manifest) -> bool:
    """Return whether a gate of Kueue's is on the pod."""
    return any(gate.get("name") in _GATES for gate in walk.mappings(pod, "spec", "schedulingGates"))


def state(workload: Manifest) -> tuple[State, str]:
    """Return how a Workload stands, and Kueue's words on it.

    ``Evicted`` comes before the quota goes, and stays until there is quota again. No reason is matched that newer
    versions spell otherwise (``Pending``, ``WaitingForQuota``, …).
    """
    told = {str(entry.get("type")): entry for entry in walk.mappings(workload, "status", "conditions")}
    if _is_true(told, "Finished"):
        return "finished", _words(told, "Finished")
    evicted = _words(told, "Evicted") if _is_true(told, "Evicted") else ""
    was_deactivated = bool(evicted) and str(told["Evicted"].get("reason")).startswith(_BY_HAND)
    if walk.get(workload, "spec", "active", default=True) is False:
        return "deactivated", evicted if was_deactivated else joined(_DEACTIVATED, evicted)
    # Who was activated again keeps the condition that it was deactivated.
    if evicted and not was_deactivated:
        is_preempted = told["Evicted"].get("reason") == _PREEMPTED
        now = "" if _is_true(told, "QuotaReserved") else _words(told, "QuotaReserved")
        return ("preempted" if is_preempted else "evicted"), joined(evicted, now)
    if _is_true(told, "Admitted"):
        return "admitted", _words(told, _REPLACEMENT) if _is_true(told, _REPLACEMENT) else ""
    if _is_true(told, "QuotaReserved"):
        return "waiting", _checks(workload) or "its quota is reserved, and it is not admitted yet"
    words = _words(told, "QuotaReserved")
    is_closed = walk.get(told, "QuotaReserved", "reason") == "Inadmissible"
    return ("inadmissible" if is_closed else "waiting"), words


def joined(*texts: str) -> str:
    """Return texts in one line, none that another one says already."""
    kept: list[str] = []
    for text in texts:
        if text and not any(text in known for known in kept):
            kept.append(text)
    return "; ".join(kept)


def _is_true(told: Mapping[str, Manifest], kind: str) -> bool:
    return bool(walk.get(told, kind, "status") == "True")


def _words(told: Mapping[str, Manifest], kind: str) -> str:
    return " ".join(str(walk.get(told, kind, "message", default="")).split())


def _checks(workload: Manifest) -> str:
    """Return which checks of the queue's hold a Workload that has its quota."""
    held = [entry for entry in walk.mappings(workload, "status", "admissionChecks") if entry.get("state") != "Ready"]
    told = (f"admission check {entry.get('name')} is {entry.get('state')}: {entry.get('message')}" for entry in held)
    return "; ".join(" ".join(text.split()).rstrip(": ") for text in told)
