"""What KAI says of groups now. It writes a condition on a PodGroup only while none of its pods has a place."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

from helm_roster.backend_base import Ask, Decision
from helm_roster.backends.kai import inspecting
from helm_roster.backends.kai.kinds import MEMBERSHIP, POD_GROUP
from helm_roster.manifests import walk
from helm_roster.manifests.walk import Manifest
from helm_roster.model.live import Live, LiveGroup
from helm_roster.policy import grouping, pods

_UNDECIDED: Final = "KAI has not decided on it yet"
_SILENT: Final = "KAI has said nothing for 30 s: ask whether its scheduler runs"
# How what KAI says begins where it has not even tried.
_UNTRIED: Final = "Unable to schedule pod"
_GRACE: Final = "60s"
_STARTED: Final = "kai.scheduler/last-start-timestamp"


class _Seen(NamedTuple):
    """A PodGroup, what each of its sub-groups needs, and the groups whose pods are in it."""

    pod_group: Manifest | None
    minima: Mapping[str, int]
    groups: Sequence[LiveGroup]


def explain(live: Live, ask: Ask) -> Iterator[Decision]:
    """Yield how each group of a gang stands, and of the others those that wait: placed ones are no news."""
    found = grouping.by_name(live, POD_GROUP.api_version)
    members = list(grouping.members(live, MEMBERSHIP))
    for name, group in members:
        if grouping.has_ended(group):
            continue
        pod_group = found.get(name)
        leaves = walk.mappings(pod_group, "spec", "subGroups")
        minima = {str(leaf.get("name")): int(leaf.get("minMember") or 0) for leaf in leaves}
        seen = _Seen(pod_group, minima, [other for of, other in members if of == name])
        decision = _decision(name, group, seen, ask)
        if group.gang or decision.state != "placed":
            yield decision


def _decision(name: str, group: LiveGroup, seen: _Seen, ask: Ask) -> Decision:
    shared: dict[str, Any] = {"gang": group.gang, "group": group.name}
    lacking = grouping.lacking(group, seen.minima.get(group.name, 0)) if group.gang else ""
    if fault := _fault(name, group, seen) or (lacking and not group.autoscaler and _below(lacking, seen.pod_group)):
        return Decision(**shared, state="broken", message=fault)
    if lacking:
        message = grouping.to_be_raised(group, lacking)
        return Decision(**shared, state="waiting", message=message)
    # KAI writes down when a gang got its places, and leaves that there.
    shared |= {"was_placed": bool(walk.get(seen.pod_group, "metadata", "annotations", _STARTED))}
    bound, minimum = grouping.placed(group), seen.minima[group.name]
    if bound >= min(minimum, grouping.wanted(group)):
        return Decision(**shared, state="placed")
    if bound:
        follows = _eviction(seen.pod_group) or "they run on until the others find one too"
        return Decision(**shared, state="waiting", message=f"{bound} of {minimum} pods have a place, and {follows}")
    return Decision(**shared, state="waiting", message=_words(group, seen) or _silence(group, seen, ask))


def _fault(name: str, group: LiveGroup, seen: _Seen) -> str:
    fault = grouping.fault(seen.pod_group, f"PodGroup {name}")
    if fault or group.name in seen.minima:
        return fault or _stranded(group, seen)
    return f"PodGroup {name} has no sub-group {group.name}, and its pods are not placed: upgrade to make it again"


def _stranded(group: LiveGroup, seen: _Seen) -> str:
    """Return why a pod that is tried again after others have ended well is never placed."""
    for other in seen.groups if grouping.unplaced(group) else ():
        left = sum(map(pods.is_active, other.pods))
        if left < seen.minima.get(other.name, 0) and grouping.has_completed_pods(other):
            return (
                f"pods of {other.name} have completed, and with fewer left than the minimum KAI places no other pod of "
                "the gang: run it again with another operation.run"
            )
    return ""


def _below(lacking: str, pod_group: Manifest | None) -> str:
    follows = _eviction(pod_group) or "a pod that is lost is not placed again"
    return f"{lacking}: {follows}; bring the replicas back, or lower the gang's min"


def _eviction(pod_group: Manifest | None) -> str:
    """Return what becomes of a gang that stays below its minimum; empty where it never does."""
    period = str(walk.get(pod_group, "spec", "stalenessGracePeriod", default=_GRACE))
    return "" if period.startswith("-") else f"all pods of the gang are evicted once that has lasted {period}"


def _words(group: LiveGroup, seen: _Seen) -> str:
    """Return KAI's condition, or what it says on pods; empty where that tells nothing."""
    conditions = walk.mappings(seen.pod_group, "status", "schedulingConditions")
    said = [*(str(found.get("message") or "") for found in conditions), grouping.words(group)]
    return next((words for words in said if words and not words.startswith(_UNTRIED)), "")


def _silence(group: LiveGroup, seen: _Seen, ask: Ask) -> str:
    """Return why KAI says nothing that tells."""
    if faults := inspecting.queue(str(walk.get(seen.pod_group, "spec", "queue")), ask):
        return faults[0].message
    there = {other.name: sum(map(pods.is_active, other.pods)) for other in seen.groups}
    short = [f"{count} of {seen.minima.get(name, 0)} {name}" for name, count in there.items()
             if count < seen.minima.get(name, 0)]  # fmt: skip
    if short:
        return f"KAI waits until the pods of every minimum exist: there are {', '.join(short)}"
    return _SILENT if grouping.silence(group, ask.now()) else _UNDECIDED
