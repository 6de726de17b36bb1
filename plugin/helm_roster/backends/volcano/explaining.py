"""What Volcano says of groups that are there, and what it does not say though pods wait for it.

It never takes a condition back, so placement is judged by pods. It says nothing of a PodGroup that is gone, nor of a
queue that is missing; and of one that is closed no more than that pods wait.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from helm_roster.backend_base import Ask, Decision
from helm_roster.backends.volcano.kinds import DEFAULT_QUEUE, MEMBERSHIP, OPEN, POD_GROUP, QUEUE
from helm_roster.manifests import walk
from helm_roster.manifests.walk import Manifest
from helm_roster.model.live import Live, LiveGroup
from helm_roster.policy import grouping

_UNDECIDED = "Volcano has not decided on it yet"
_SILENT = "Volcano has said nothing for 30 s: ask whether its scheduler runs"


def explain(live: Live, ask: Ask) -> Iterator[Decision]:
    """Yield how each group of a gang stands, and of the others those that wait for more than their pods say."""
    found = grouping.by_name(live, POD_GROUP.api_version)
    for name, group in grouping.members(live, MEMBERSHIP):
        if grouping.has_ended(group):
            continue
        decision = _decision(name, found.get(name), group, ask)
        if decision.gang or decision.message:
            yield decision


def _decision(name: str, pod_group: Manifest | None, group: LiveGroup, ask: Ask) -> Decision:
    shared: dict[str, Any] = {"gang": group.gang, "group": group.name}
    fault, minimum = grouping.fault(pod_group, f"PodGroup {name}"), _minimum(pod_group, group)
    lacking = grouping.lacking(group, minimum)
    if lacking and not group.autoscaler:
        remedy = "so a pod of the gang that is lost is never placed again: bring the replicas back, or lower its min"
        fault = fault or f"{lacking}, {remedy}"
    if fault:
        return Decision(**shared, state="broken", message=fault)
    if lacking:
        message = grouping.to_be_raised(group, lacking)
        return Decision(**shared, state="waiting", message=message)
    if grouping.placed(group) >= (minimum or grouping.wanted(group)):
        return Decision(**shared, state="placed")
    message = _queue(pod_group, ask) or _silence(group, ask) or _words(pod_group, group)
    return Decision(**shared, state="waiting", message=message, was_placed=_was_placed(pod_group))


def _was_placed(pod_group: Manifest | None) -> bool:
    """Return whether all of the gang had places once: Volcano says so and never takes it back."""
    said = walk.mappings(pod_group, "status", "conditions")
    return any(entry.get("type") == "Scheduled" for entry in said)


def _minimum(pod_group: Manifest | None, group: LiveGroup) -> int:
    """Return how many pods of the group its gang needs; 0 outside gangs."""
    for policy in walk.mappings(pod_group, "spec", "subGroupPolicy"):
        if policy.get("name") == group.name:
            return int(policy.get("subGroupSize") or 1) * int(policy.get("minSubGroups") or 0)
    return int(walk.get(pod_group, "spec", "minTaskMember", group.name, default=0))


def _queue(pod_group: Manifest | None, ask: Ask) -> str:
    """Return that the PodGroup's queue is not there, or not open: Volcano says neither."""
    name = str(walk.get(pod_group, "spec", "queue", default=DEFAULT_QUEUE))
    found = ask.all_of(QUEUE, name)
    if found is None:
        return ""
    if not found:
        return f'Volcano has no queue "{name}": pods are placed when it is made'
    state = str(walk.get(found[0], "status", "state", default=""))
    return "" if state in {OPEN, ""} else f'queue "{name}" is {state}: pods are placed when it is opened'


def _silence(group: LiveGroup, ask: Ask) -> str:
    """Return that nothing was said though there was time; empty where something was, or there was not."""
    return _SILENT if grouping.silence(group, ask.now()) else ""


def _words(pod_group: Manifest | None, group: LiveGroup) -> str:
    """Return Volcano's words on why the gang waits; what a group outside gangs waits for, its pods say."""
    if not group.gang:
        return ""
    words = _condition(pod_group, group) or grouping.words(group)
    return f"{words}{_domain(pod_group, group)}" if words else _UNDECIDED


def _condition(pod_group: Manifest | None, group: LiveGroup) -> str:
    """Return the newest condition's message where it is about the pods as they are: none was made or placed since."""
    dated = [(str(entry.get("lastTransitionTime") or ""), entry)
             for entry in walk.mappings(pod_group, "status", "conditions")]  # fmt: skip
    time, newest = max(dated, key=lambda one: one[0], default=("", {}))
    is_current = newest.get("type") == "Unschedulable" and time and time >= grouping.changed(group)
    return str(newest.get("message") or "") if is_current else ""


def _domain(pod_group: Manifest | None, group: LiveGroup) -> str:
    """Return the required locality, of which Volcano's own words tell nothing."""
    policies = walk.mappings(pod_group, "spec", "subGroupPolicy")
    for spec in (*(entry for entry in policies if entry.get("name") == group.name), walk.mapping(pod_group, "spec")):
        network = walk.mapping(spec, "networkTopology")
        if network.get("mode") == "hard":
            tier = network.get("highestTierName", network.get("highestTierAllowed"))
            return f"; it must fit within one HyperNode of tier {tier}"
    return ""
