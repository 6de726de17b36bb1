"""Who took places that a gang lacks, as while its pods were replaced: nothing keeps them, no scheduler tells; pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Final

from helm_roster.manifests import quantities, walk
from helm_roster.manifests.walk import Manifest
from helm_roster.model.live import Live
from helm_roster.model.wording import few
from helm_roster.policy import gang_specs, node_choice, pods

# A place is taken when the old pod is gone, which may be a little before the new one is made; and where a scheduler
# evicts the rest of a gang, a minute or more before that.
_BEFORE: Final = timedelta(seconds=5)
_BEFORE_ALL: Final = timedelta(minutes=2)


def waiting(live: Live) -> Mapping[str, Sequence[Manifest]]:
    """Return, by group, the pods without a node of gang members that have fewer with one than the gang needs."""
    specs = gang_specs.read(live.grouping)
    found = {}
    for name, group in live.groups.items():
        minimum = gang_specs.minimum(specs, group, otherwise=0)
        active = [pod for pod in group.pods if pods.is_active(pod)]
        placed = sum(map(pods.is_placed, active))
        if placed < min(minimum, len(active)):
            found[name] = [pod for pod in active if not pods.is_placed(pod)]
    return found


def may_be_told(held: Sequence[Manifest]) -> bool:
    """Return whether who took a place can be told at all: of devices it can, of a share of a node's CPU nobody knows.

    And an age is needed, to tell lately from before.
    """
    return bool(_devices(held[0]) and any(map(_created, held)))


def has_survivors(live: Live, gang: str, held: Sequence[Manifest]) -> bool:
    """Return whether another pod of the gang had its place before those that wait were made: so they replace others.

    At a first placement all pods of the minimum are there before any gets a place.
    """
    begun = min(filter(None, map(_created, held)), default=None)
    own = [pod for group in live.groups.values() if group.gang == gang for pod in group.pods]
    times = [time for pod in own if pods.is_placed(pod) and (time := _bound(pod))]
    return begun is not None and any(time < begun for time in times)


def told(live: Live, held: Sequence[Manifest], all_pods: Sequence[Manifest], nodes: Sequence[Manifest]) -> str:
    """Say which pods of others came to nodes of the pods that wait, about when these began to; empty where none did."""
    begun = min(filter(None, map(_created, held)), default=None)
    if begun is None or not may_be_told(held):
        return ""
    own = [pod for group in live.groups.values() for pod in group.pods]
    since = begun - (_BEFORE if any(map(pods.is_placed, own)) else _BEFORE_ALL)
    ours = {str(walk.get(pod, "metadata", "uid")) for pod in own}
    spec = walk.mapping(held[0], "spec")
    names = {str(walk.get(node, "metadata", "name")) for node in nodes if node_choice.may_run(spec, node)}
    found = sorted(
        f"{walk.get(pod, 'metadata', 'namespace')}/{pods.name(pod)} on {walk.get(pod, 'spec', 'nodeName')}"
        for pod in all_pods
        if pods.is_active(pod)
        and walk.get(pod, "spec", "nodeName") in names
        and str(walk.get(pod, "metadata", "uid")) not in ours
        and not _is_of_node(pod)
        and _devices(held[0]) <= _devices(pod)
        and (time := _bound(pod))
        and time >= since
    )
    return f"lately others took places on its nodes: {few(found)}" if found else ""


def _is_of_node(pod: Manifest) -> bool:
    """Return whether the pod is one that each node has: of a DaemonSet, or of the node itself."""
    return any(
        owner.get("kind") in {"DaemonSet", "Node"} for owner in walk.mappings(pod, "metadata", "ownerReferences")
    )


def _created(pod: Manifest) -> datetime | None:
    return _time(walk.get(pod, "metadata", "creationTimestamp"))


def _bound(pod: Manifest) -> datetime | None:
    """Return when the pod came to its node, None where it has none or does not say."""
    found = walk.mappings(pod, "status", "conditions")
    said = [entry for entry in found if entry.get("type") == "PodScheduled" and entry.get("status") == "True"]
    return _time(said[0].get("lastTransitionTime")) if said else None


def _time(said: object) -> datetime | None:
    return datetime.fromisoformat(str(said)) if said else None


def _devices(pod: Manifest) -> set[str]:
    """Return the names of the extended resources that the pod's containers ask for; limits have all of them."""
    asked = (walk.mapping(one, "resources", "limits") for one in walk.mappings(pod, "spec", "containers"))
    return {name for names in asked for name in names if quantities.is_extended(name)}
