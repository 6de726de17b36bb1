"""Who took places that a gang lacks, as while its pods were replaced: nothing keeps them, no scheduler tells; pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Final

from helm_roster.manifests import walk
from helm_roster.manifests.walk import Manifest
from helm_roster.model.live import Live
from helm_roster.model.wording import few
from helm_roster.policy import gang_specs, pods

# A place is taken when the old pod is gone, which may be a little before the new one is made; and where a scheduler
# evicts the rest of a gang, a minute or more before that.
_BEFORE: Final = timedelta(seconds=5)
_BEFORE_ALL: Final = timedelta(minutes=2)


def waiting(live: Live) -> Mapping[str, Sequence[Manifest]]:
    """Return, by group, the pods without a node of gang members that have fewer with one than the gang needs."""
    specs = gang_specs.read(live.grouping)
    found = {}
    for name, group in live.groups.items():
        minimum = int(walk.get(specs.get(group.gang) or {}, "members", name, "min", default=0))
        active = [pod for pod in group.pods if pods.is_active(pod)]
        placed = sum(map(pods.is_placed, active))
        if placed < min(minimum, len(active)):
            found[name] = [pod for pod in active if not pods.is_placed(pod)]
    return found


def told(live: Live, held: Sequence[Manifest], all_pods: Sequence[Manifest], nodes: Sequence[Manifest]) -> str:
    """Say which pods of others came to nodes of the pods that wait, about when these began to; empty where none did."""
    own = [pod for group in live.groups.values() for pod in group.pods]
    begun = min(datetime.fromisoformat(str(walk.get(pod, "metadata", "creationTimestamp"))) for pod in held)
    since = begun - (_BEFORE if any(map(pods.is_placed, own)) else _BEFORE_ALL)
    ours = {str(walk.get(pod, "metadata", "uid")) for pod in own}
    names = _suitable(held[0], nodes)
    found = sorted(
        f"{walk.get(pod, 'metadata', 'namespace')}/{pods.name(pod)} on {walk.get(pod, 'spec', 'nodeName')}"
        for pod in all_pods
        if pods.is_active(pod)
        and walk.get(pod, "spec", "nodeName") in names
        and str(walk.get(pod, "metadata", "uid")) not in ours
        and _devices(held[0]) <= _devices(pod)
        and _bound(pod, since)
    )
    return f"lately others took places on its nodes: {few(found)}" if found else ""


def _suitable(pod: Manifest, nodes: Sequence[Manifest]) -> set[str]:
    wanted = walk.mapping(pod, "spec", "nodeSelector").items()
    return {
        str(walk.get(node, "metadata", "name"))
        for node in nodes
        if wanted <= walk.mapping(node, "metadata", "labels").items()
    }


def _bound(pod: Manifest, since: datetime) -> bool:
    conditions: list[Manifest] = walk.sequence(pod, "status", "conditions")
    times = (entry.get("lastTransitionTime") for entry in conditions if entry.get("type") == "PodScheduled")
    return any(datetime.fromisoformat(str(time)) >= since for time in times if time)


def _devices(pod: Manifest) -> set[str]:
    """Return the names of the extended resources that the pod's containers ask for; limits have all of them."""
    asked = (walk.mapping(one, "resources", "limits") for one in walk.sequence(pod, "spec", "containers"))
    return {name for names in asked for name in names if "/" in name}
