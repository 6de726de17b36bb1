"""Warnings of the cluster about a group's objects, folded by cause; pure.

An event outlives what it tells of by an hour, so only those count that fit what their pod waits for now.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Final

from helm_roster.manifests import walk
from helm_roster.manifests.walk import Manifest
from helm_roster.policy import pods

FAILED_CREATE: Final = "FailedCreate"
# Of a claim that no volume fits and for which nobody makes one; to Kubernetes (pkg/controller/volume) no warning.
FAILED_BINDING: Final = "FailedBinding"
# Of a replica that spans pods, one of which failed; to its controller no warning.
RECREATED: Final = "RecreateGroup"
_CLAIM: Final = "PersistentVolumeClaim"
_UNPLACED: Final = frozenset({"FailedScheduling", "Preempted"})
# Before a pod's first container is started (kubelet: pkg/kubelet/events/event.go).
_UNCREATED: Final = frozenset(
    {"FailedMount", "FailedAttachVolume", "FailedMapVolume", "FailedCreatePodSandBox", "NetworkNotReady"}
)


@dataclass(frozen=True, kw_only=True)
class Event:
    """Warnings of one cause: ``count`` of them all together, about ``objects`` (``Pod x``), the newest at ``last``."""

    reason: str
    message: str
    count: int
    objects: tuple[str, ...]
    last: str


def current(events: Iterable[Manifest], members: Iterable[Manifest], *, whole: bool, ready: bool) -> tuple[Event, ...]:
    """Return what is still true of the events about a group, those that count most first.

    ``members`` are its pods. Nothing is told of pods that are ready or have ended; of the objects that make the pods
    only while the group is not ``whole``, and that replicas were made anew only while not all are ``ready``. Those
    about claims are of claims for which pods wait.
    """
    by_uid = {str(walk.get(pod, "metadata", "uid", default="")): pod for pod in members}
    return fold(
        event
        for event in events
        if (not ready if event.get("reason") == RECREATED else _counts(event, by_uid, whole=whole))
    )


def fold(events: Iterable[Manifest]) -> tuple[Event, ...]:
    """Join events of one reason whose messages differ only in the object that they are about."""
    folded: dict[tuple[str, str], Event] = {}
    for event in sorted(events, key=time):
        one = _event(event)
        key = (one.reason, _without_object(event))
        known = folded.get(key)
        folded[key] = _joined(known, one) if known else one
    return tuple(sorted(folded.values(), key=lambda one: (-one.count, one.reason, one.message)))


def time(event: Manifest) -> str:
    """Return when an event was last seen; an event without any time comes before all others."""
    paths = (("series", "lastObservedTime"), ("lastTimestamp",), ("eventTime",), ("metadata", "creationTimestamp"))
    return str(next((found for path in paths if (found := walk.get(event, *path))), ""))


def _counts(event: Manifest, by_uid: dict[str, Manifest], *, whole: bool) -> bool:
    if walk.get(event, "involvedObject", "kind") == _CLAIM:
        return True
    pod = by_uid.get(str(walk.get(event, "involvedObject", "uid", default="")))
    if pod is None:
        return not whole and walk.get(event, "involvedObject", "kind") != "Pod"
    reason = event.get("reason")
    if not pods.is_active(pod) or pods.is_ready(pod):
        return False
    return not ((reason in _UNPLACED and pods.is_placed(pod)) or (reason in _UNCREATED and pods.is_created(pod)))


def _event(event: Manifest) -> Event:
    about = [str(walk.get(event, "involvedObject", key, default="")) for key in ("kind", "name")]
    count = walk.get(event, "series", "count") or event.get("count") or 1
    return Event(
        reason=str(event.get("reason") or ""),
        message=" ".join(str(event.get("message") or "").split()),
        count=int(count),
        objects=(" ".join(about),),
        last=time(event),
    )


def _joined(known: Event, newer: Event) -> Event:
    objects = tuple(dict.fromkeys((*known.objects, *newer.objects)))
    return replace(newer, count=known.count + newer.count, objects=objects)


def _without_object(event: Manifest) -> str:
    message = str(event.get("message") or "")
    for key in ("uid", "name"):
        if part := walk.get(event, "involvedObject", key):
            message = message.replace(str(part), "")
    return message
