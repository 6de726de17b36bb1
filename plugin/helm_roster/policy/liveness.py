"""Whether a program that decides on pods runs, by what it leaves in the cluster: leases, and words on pods. Pure.

A lease that is renewed proves it. Without leases (leader election may be off) only a pod that was answered of late
does, and one that was not is a reason to look. All else is not known, and said so.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Final

from helm_roster.manifests import walk
from helm_roster.manifests.walk import Manifest
from helm_roster.policy.diagnosis import Finding

CHECK: Final = "schedulers"
_ASK: Final = "ask who runs the cluster"
# Leases are renewed every few seconds, and last for 15 s unless they say otherwise.
_LASTS: Final = 15
_MISSED: Final = 4
# A pod is answered in seconds; what was said earlier proves nothing of now.
_ANSWERS: Final = 60
_OF_LATE: Final = 600
_MINUTES: Final = 120


def judge(name: str, leases: Sequence[Manifest] | None, pods: Sequence[Manifest] | None, now: datetime) -> Finding:
    """Return what is to be said of a program.

    ``leases`` are those by which it would show itself, None where they cannot be read; ``pods`` are some of those on
    which it decides, None where pods do not tell.
    """
    if leases:
        return _by_lease(name, leases, now)
    answered = sorted((age, pod) for pod, age in _answers(pods or (), now) if age <= _OF_LATE)
    if answered:
        age, last = answered[0]
        return Finding(check=CHECK, state="ok", found=f"{name} runs: it answered pod {last} {_ago(age)} ago")
    for pod in pods or ():
        waits = _age(walk.get(pod, "metadata", "creationTimestamp"), now)
        if _is_silent(pod) and waits > _ANSWERS:
            found = f"{name} has said nothing on pod {_name(pod)}, which waits for {_ago(waits)}"
            return Finding(check=CHECK, state="warning", found=found, remedy=f"it may not run: {_ASK}")
    lease = "its lease may not be read" if leases is None else "there is no lease of it"
    words = "nothing else would show it" if pods is None else "no pod of this namespace was answered of late"
    found = f"whether {name} runs is not known: {lease}, and {words}"
    return Finding(check=CHECK, state="skipped", found=found)


def _by_lease(name: str, leases: Sequence[Manifest], now: datetime) -> Finding:
    ages = {_place(lease): _age(walk.get(lease, "spec", "renewTime"), now) for lease in leases}
    lasts = {_place(lease): int(walk.get(lease, "spec", "leaseDurationSeconds", default=_LASTS)) for lease in leases}
    place, age = min(ages.items(), key=lambda item: item[1])
    renewed = f"its lease {place} was renewed {_ago(age)} ago"
    if age > lasts[place] * _MISSED:
        return Finding(check=CHECK, state="failed", found=f"{name} does not run: {renewed}", remedy=_ASK)
    return Finding(check=CHECK, state="ok", found=f"{name} runs: {renewed}")


def _answers(pods: Sequence[Manifest], now: datetime) -> Iterator[tuple[str, float]]:
    """Yield pods with how long ago it was that the scheduler last said something new on them."""
    for pod in pods:
        for entry in walk.sequence(pod, "status", "conditions"):
            if entry.get("type") == "PodScheduled" and entry.get("lastTransitionTime") and not _is_gated(entry):
                yield _name(pod), _age(entry["lastTransitionTime"], now)


def _is_gated(condition: Manifest) -> bool:
    """Return whether the API server itself says so, of a pod that no scheduler looks at."""
    return condition.get("reason") == "SchedulingGated"


def _is_silent(pod: Manifest) -> bool:
    conditions = walk.sequence(pod, "status", "conditions")
    gated = walk.sequence(pod, "spec", "schedulingGates")
    return not (
        walk.get(pod, "spec", "nodeName") or gated or any(one.get("type") == "PodScheduled" for one in conditions)
    )


def _age(stamp: object, now: datetime) -> float:
    return (now - datetime.fromisoformat(str(stamp))).total_seconds() if stamp else float("inf")


def _ago(seconds: float) -> str:
    if seconds == float("inf"):
        return "an unknown time"
    whole = max(0, int(seconds))
    return f"{whole} s" if whole < _MINUTES else f"{whole // 60} min"


def _place(lease: Manifest) -> str:
    return f"{walk.get(lease, 'metadata', 'namespace')}/{_name(lease)}"


def _name(manifest: Manifest) -> str:
    return str(walk.get(manifest, "metadata", "name"))
