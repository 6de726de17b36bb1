"""What one pod's status says, in plain values: where it is held and what went wrong in it.

Pure: Kubernetes pods in, facts out. The reasons are the kubelet's and the API's own words.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any, Final

from helm_roster.manifests import walk
from helm_roster.manifests.walk import Manifest
from helm_roster.model.wording import once

# Reasons of a waiting container that pass by themselves.
_STARTING: Final = frozenset({"", "ContainerCreating", "PodInitializing"})
# What tells not what a pod waits for: that it would fit, were it alone, as a scheduler of gangs says; and that it is
# gated, which the API server says, and lets stand where the gates are gone.
_NOTHING: Final = frozenset({"Schedulable", "SchedulingGated"})


@dataclass(frozen=True, kw_only=True)
class Problem:
    """What went wrong in pods of a group, folded by cause.

    ``container`` is empty where the pod or the workload itself is at fault. ``ended`` is the container's last end
    (``OOMKilled``, ``Error``), ``exit_code`` its code, ``restarts`` how often it was started again (of several pods,
    the most). ``recovered``: it runs again, or another pod took or will take its place; nothing needs to be done.
    """

    reason: str
    container: str = ""
    ended: str = ""
    exit_code: int | None = None
    message: str = ""
    recovered: bool = False
    restarts: int = 0
    pods: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Hold:
    """Why pods of a group do not go on by themselves yet. ``message`` is the scheduler's or kubelet's."""

    stage: str
    message: str
    pods: tuple[str, ...] = ()


def name(pod: Manifest) -> str:
    """Return the pod's name."""
    return str(walk.get(pod, "metadata", "name", default=""))


def phase(pod: Manifest) -> str:
    """Return the pod's phase; ``Pending`` where the status is still empty."""
    return str(walk.get(pod, "status", "phase", default="Pending"))


def is_terminating(pod: Manifest) -> bool:
    """Return whether the pod (or any object) is being deleted."""
    return bool(walk.get(pod, "metadata", "deletionTimestamp"))


def is_active(pod: Manifest) -> bool:
    """Return whether the pod counts: neither ended nor being deleted."""
    return phase(pod) not in {"Succeeded", "Failed"} and not is_terminating(pod)


def has_succeeded(pod: Manifest) -> bool:
    """Return whether the pod has ended well and stays: one that is deleted may be of a run that is over."""
    return phase(pod) == "Succeeded" and not is_terminating(pod)


def is_placed(pod: Manifest) -> bool:
    """Return whether the pod is bound to a node."""
    return bool(walk.get(pod, "spec", "nodeName"))


def claims(pod: Manifest) -> set[str]:
    """Return the names of the volume claims that the pod keeps in use; none before it has a node."""
    return named_claims(pod) if is_placed(pod) else set()


def named_claims(pod: Manifest) -> set[str]:
    """Return the names of the volume claims that the pod mounts."""
    volumes: list[Manifest] = walk.mappings(pod, "spec", "volumes")
    named = {str(walk.get(volume, "persistentVolumeClaim", "claimName", default="")) for volume in volumes}
    made = {f"{name(pod)}-{volume.get('name')}" for volume in volumes if "ephemeral" in volume}
    return (named | made) - {""}


def is_created(pod: Manifest) -> bool:
    """Return whether a container of the pod was started once: its volumes are mounted and its sandbox is there."""
    return any(walk.get(status, "state", "waiting") is None for status in statuses(pod)) or restarts(pod) > 0


def is_ready(pod: Manifest) -> bool:
    """Return whether the pod is ready, by its condition."""
    return _condition(pod, "Ready").get("status") == "True"


def restarts(pod: Manifest) -> int:
    """Return how often the pod's containers were started again, all together."""
    return sum(int(status.get("restartCount") or 0) for status in statuses(pod))


def hold(pod: Manifest) -> Hold | None:
    """Return what an active pod waits for: quota (a scheduling gate), placement or readiness; None when ready."""
    if not is_placed(pod):
        scheduled = _condition(pod, "PodScheduled")
        gates = [str(gate.get("name")) for gate in walk.mappings(pod, "spec", "schedulingGates")]
        if gates:
            return Hold(stage="quota", message=f"scheduling gate {', '.join(gates)}", pods=(name(pod),))
        said = "" if scheduled.get("reason") in _NOTHING else once(str(scheduled.get("message") or ""))
        return Hold(stage="placement", message=said, pods=(name(pod),))
    if is_ready(pod):
        return None
    return Hold(stage="readiness", message=_not_ready(pod), pods=(name(pod),))


def problems(pod: Manifest) -> list[Problem]:
    """Return what went wrong in the pod: containers that crash, were killed, or cannot start; or its own end."""
    found = [problem for status in statuses(pod) if (problem := _container_problem(status, name(pod)))]
    if phase(pod) == "Failed" and not found:
        reason = str(walk.get(pod, "status", "reason", default="Failed"))
        message = str(walk.get(pod, "status", "message", default=""))
        found.append(Problem(reason=reason, message=message, pods=(name(pod),)))
    return found


def fold_problems(found: Iterable[Problem]) -> tuple[Problem, ...]:
    """Join problems that differ only in their pods and the text of their message; the first message stays."""
    folded: dict[tuple[object, ...], Problem] = {}
    for one in found:
        key = (one.reason, one.container, one.ended, one.exit_code, one.recovered)
        known = folded.get(key)
        folded[key] = _joined(known, one) if known else one
    return tuple(sorted(folded.values(), key=lambda one: (one.recovered, -len(one.pods), one.container, one.reason)))


def fold_holds(found: Iterable[Hold]) -> tuple[Hold, ...]:
    """Join holds of one stage whose messages differ only in the name of their own pod; the first message stays."""
    folded: dict[tuple[str, str], Hold] = {}
    for one in found:
        key = (one.stage, one.message.replace(one.pods[0], "") if one.pods else one.message)
        known = folded.get(key)
        folded[key] = replace(known, pods=known.pods + one.pods) if known else one
    return tuple(folded.values())


def _joined(known: Problem, one: Problem) -> Problem:
    return replace(
        known,
        message=known.message or one.message,
        restarts=max(known.restarts, one.restarts),
        pods=known.pods + one.pods,
    )


def _condition(pod: Manifest, wanted: str) -> dict[str, Any]:
    conditions: list[dict[str, Any]] = walk.mappings(pod, "status", "conditions")
    return next((condition for condition in conditions if condition.get("type") == wanted), {})


def statuses(pod: Manifest) -> Iterator[Manifest]:
    """Yield what is said of each container of the pod, init containers first."""
    yield from walk.mappings(pod, "status", "initContainerStatuses")
    yield from walk.mappings(pod, "status", "containerStatuses")


def _container_problem(status: Manifest, pod: str) -> Problem | None:
    waiting = walk.mapping(status, "state", "waiting")
    now = walk.mapping(status, "state", "terminated")
    ended = now or walk.mapping(status, "lastState", "terminated")
    code = ended.get("exitCode")
    reason = str(waiting.get("reason") or "")
    blocked = bool(waiting) and reason not in _STARTING
    if not blocked and not code:
        return None
    return Problem(
        reason=reason if blocked else str(ended.get("reason") or "Error"),
        container=str(status.get("name") or ""),
        ended=str(ended.get("reason") or "") if blocked else "",
        exit_code=code,
        message=str(waiting.get("message") or ended.get("message") or ""),
        recovered=not blocked and not now,
        restarts=int(status.get("restartCount") or 0),
        pods=(pod,),
    )


def _not_ready(pod: Manifest) -> str:
    """Return why a bound pod is not ready: its init container, a container that starts, a probe, or a gate."""
    for status in walk.mappings(pod, "status", "initContainerStatuses"):
        if walk.get(status, "state", "running") is not None:
            return f"init container {status.get('name')} runs"
    statuses: list[Manifest] = walk.mappings(pod, "status", "containerStatuses")
    for status in statuses:
        reason = walk.get(status, "state", "waiting", "reason")
        if reason:
            return f"container {status.get('name')}: {reason}"
    for status in statuses:
        if not status.get("ready"):
            return f"container {status.get('name')} runs and is not ready"
    if not statuses:
        return "its containers are not created yet"
    ready = _condition(pod, "Ready")
    return str(ready.get("message") or ready.get("reason") or "its Ready condition is not true")
