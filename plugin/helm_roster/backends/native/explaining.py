"""What kube-scheduler says of gangs that are there, and what it does not say though pods wait.

A PodGroup's condition never goes back once its minimum was placed, so pods are judged. The status of a composite group
is never written in 1.37.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from helm_roster.backend_base import ApiKind, Ask, Decision
from helm_roster.backends.native import kinds
from helm_roster.backends.native.kinds import COMPOSITE, MEMBERSHIP, POD_GROUP
from helm_roster.manifests import walk
from helm_roster.manifests.walk import Manifest
from helm_roster.model.live import Live, LiveGroup
from helm_roster.model.wording import once
from helm_roster.policy import grouping

_CONDITION: Final = "PodGroupInitiallyScheduled"
_UNDECIDED: Final = "kube-scheduler has not decided on it yet"
_ENDED: Final = (
    ", and those that have completed do not count (kubernetes/kubernetes#142330): run again with another operation.run"
)
_SILENT: Final = "kube-scheduler has said nothing for {} s: it does not run, or has not the feature gates of gangs"


class _Seen(NamedTuple):
    """Grouping objects by kind and name, and the members of all gangs with the names of theirs."""

    found: Mapping[tuple[str, str], Manifest]
    members: Sequence[tuple[str, LiveGroup]]

    def minimum(self, name: str) -> int:
        """Return how many pods the PodGroup of that name needs."""
        return int(walk.get(self.found.get((POD_GROUP.kind, name)), *_MINIMUM, default=0))


_MINIMUM: Final = ("spec", "schedulingPolicy", "gang", "minCount")


def explain(live: Live, ask: Ask) -> Iterator[Decision]:
    """Yield how each member stands that is not over."""
    found = {(str(walk.get(entry, "kind")), str(walk.get(entry, "metadata", "name"))): entry for entry in live.grouping}
    seen = _Seen(found, list(grouping.members(live, MEMBERSHIP)))
    for name, group in seen.members:
        if not grouping.has_ended(group):
            yield _decision(name, group, seen, ask)


def _decision(name: str, group: LiveGroup, seen: _Seen, ask: Ask) -> Decision:
    minimum = seen.minimum(name)
    lacking = grouping.lacking(group, minimum)
    fault = _fault(name, seen, ask)
    if lacking and not group.autoscaler:
        end = "so a pod that is lost is never placed again: bring the replicas back, or lower the gang's min"
        fault = fault or f"{lacking}, {end}"
    if fault:
        return Decision(gang=group.gang, group=group.name, state="broken", message=fault)
    if lacking:
        message = grouping.to_be_raised(group, lacking)
        return Decision(gang=group.gang, group=group.name, state="waiting", message=message)
    conditions = walk.mappings(seen.found.get((POD_GROUP.kind, name)), "status", "conditions")
    said: Manifest = next((condition for condition in conditions if condition.get("type") == _CONDITION), {})
    before = said.get("status") == "True"
    if grouping.placed(group) >= (minimum or grouping.wanted(group)):
        silence = _silence(group, seen, ask)
        return Decision(gang=group.gang, group=group.name, state="placed", message=silence, was_placed=before)
    message = once(str(said.get("message") or "")) if said and not before else _silence(group, seen, ask)
    return Decision(
        gang=group.gang,
        group=group.name,
        state="waiting",
        message=message or _words(group, minimum),
        was_placed=before,
    )


def _words(group: LiveGroup, minimum: int) -> str:
    """Return how many pods have a place where some have, and what is said on one that has none."""
    bound, words = grouping.placed(group), grouping.words(group)
    if not bound:
        return words or _UNDECIDED
    return f"{bound} of {minimum} pods have a place{words and f': {words}'}"


def _silence(group: LiveGroup, seen: _Seen, ask: Ask) -> str:
    """Return why a pod waits and nothing was said of it: its gang is not whole, or nobody looks at it."""
    silence = grouping.silence(group, ask.now())
    if not silence:
        return ""
    members = [(other, seen.minimum(name)) for name, other in seen.members if other.gang == group.gang]
    if missing := grouping.missing(members):
        return missing + (_ENDED if any(grouping.has_completed_pods(other) for other, _ in members) else "")
    return _SILENT.format(silence)


def _fault(name: str, seen: _Seen, ask: Ask) -> str:
    """Return why pods that are created now would wait for ever, without a word from the scheduler."""
    pod_group = seen.found.get((POD_GROUP.kind, name))
    if pod_group is None:
        return _gone(POD_GROUP, name, ask)
    if fault := grouping.fault(pod_group, f"PodGroup {name}"):
        return fault
    above, passed = _parent(pod_group), {""}
    while above not in passed:
        passed.add(above)
        composite = seen.found.get((COMPOSITE.kind, above))
        if composite is None:
            return _gone(COMPOSITE, above, ask)
        above = _parent(composite)
    return ""


def _parent(manifest: Manifest) -> str:
    return str(walk.get(manifest, "spec", "parentCompositePodGroupName", default=""))


def _gone(kind: ApiKind, name: str, ask: Ask) -> str:
    if ask.serves(kind) is False:
        remedy = kinds.remedy(kind, kinds.GATES[kind])
        return f"the cluster serves no {kind.kind} ({kind.api_version}) any more: {remedy}"
    return grouping.fault(None, f"{kind.kind} {name}")
