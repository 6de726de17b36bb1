"""What of a group's place in a gang its pods and its grouping object tell, whatever the scheduling system.

A scheduler says nothing on pods that it does not try: those of a grouping object that is gone, or goes, or has fewer
pods than its minimum. Pods are believed before conditions, which may be of another time.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta
from typing import Final

from helm_roster.manifests import walk
from helm_roster.manifests.walk import Manifest
from helm_roster.model.live import Live, LiveGroup
from helm_roster.model.plan import TEMPLATE_PATHS, TemplatePath
from helm_roster.model.wording import once
from helm_roster.policy import health, pods, replicas

# A scheduler that runs says something on a pod within a second or two.
_SILENCE: Final = timedelta(seconds=30)


def members(live: Live, membership: TemplatePath) -> Iterator[tuple[str, LiveGroup]]:
    """Yield the groups whose pod templates name a grouping object at ``membership``, with that name, in order."""
    for _, group in sorted(live.groups.items()):
        paths = TEMPLATE_PATHS.get(str(walk.get(group.workload, "kind")), TEMPLATE_PATHS["StatefulSet"])
        named = [found for path in paths.values() if (found := walk.get(group.workload, *path, *membership))]
        if named:
            yield str(named[0]), group


def by_name(live: Live, api_version: str) -> dict[str, Manifest]:
    """Return the grouping objects of one API version by their names."""
    mine = (entry for entry in live.grouping if entry.get("apiVersion") == api_version)
    return {str(walk.get(entry, "metadata", "name")): entry for entry in mine}


def fault(found: Manifest | None, what: str) -> str:
    """Return why pods that are created now would wait for ever, without a word; empty where nothing is wrong."""
    if found is None:
        return f"{what} is gone, and pods that are created now are not placed: upgrade to make it again"
    if pods.is_terminating(found):
        return f"{what} is being deleted, and goes with its last pod: cancel, then install again"
    return ""


def lacking(group: LiveGroup, minimum: int) -> str:
    """Return how many pods the group asks for where its gang needs more, or an empty string."""
    asked = wanted(group)
    return f"{group.name} asks for {asked} of the {minimum} pods that its gang needs" if asked < minimum else ""


def to_be_raised(group: LiveGroup, lacking: str) -> str:
    """Return what a group that asks for too few pods (see ``lacking``) waits for where an autoscaler may raise it."""
    return f"{lacking}: until its autoscaler ({group.autoscaler}) raises it, no pod of it is placed"


def wanted(group: LiveGroup) -> int:
    """Return how many pods the live workload asks for; a Job's parallelism, else replicas."""
    return int(walk.get(group.workload, "spec", "parallelism", default=replicas.pods_wanted(group.workload)))


def placed(group: LiveGroup) -> int:
    """Return how many pods of the group have a node, or have ended well on one."""
    return sum(pods.is_placed(pod) and (pods.is_active(pod) or pods.has_succeeded(pod)) for pod in group.pods)


def unplaced(group: LiveGroup) -> list[Manifest]:
    """Return the group's pods that wait for a node."""
    return [pod for pod in group.pods if pods.is_active(pod) and not pods.is_placed(pod)]


def words(group: LiveGroup) -> str:
    """Return what the scheduler says on the group's pods that have no node; empty where it says nothing."""
    said = (_condition(pod).get("message") for pod in unplaced(group))
    return next((once(str(message)) for message in said if message), "")


def changed(group: LiveGroup) -> str:
    """Return when the last of the group's pods that wait was made or another came to its node; RFC 3339, in UTC."""
    made = (walk.get(pod, "metadata", "creationTimestamp") for pod in unplaced(group))
    bound = (_condition(pod).get("lastTransitionTime") for pod in group.pods if pods.is_placed(pod))
    return max((str(time) for time in (*made, *bound) if time), default="")


def silence(group: LiveGroup, now: datetime) -> int:
    """Return for how many seconds a pod has waited for a node and nothing was said of it; 0 where that is not long."""
    longest = max((_age(pod, now) for pod in unplaced(group) if not _condition(pod)), default=timedelta())
    return int(longest.total_seconds()) if longest > _SILENCE else 0


def has_ended(group: LiveGroup) -> bool:
    """Return whether the group is a Job that is over: it needs no place in its gang any more."""
    return walk.get(group.workload, "kind") == "Job" and bool(health.end_of(group.workload))


def has_completed_pods(group: LiveGroup) -> bool:
    """Return whether pods of the group have ended well, or its Job is over and they may be gone."""
    return has_ended(group) or any(map(pods.has_succeeded, group.pods))


def missing(members: Iterable[tuple[LiveGroup, int]]) -> str:
    """Say which of a gang's members, each with its minimum, has too few pods; an empty string where none has."""
    counts = ((group.name, sum(map(pods.is_active, group.pods)), minimum) for group, minimum in members)
    lack = (f"{name} has {found} of the {needed} pods that its gang needs" for name, found, needed in counts
            if found < needed)  # fmt: skip
    return next(lack, "")


def _condition(pod: Manifest) -> Manifest:
    conditions = walk.mappings(pod, "status", "conditions")
    return next((found for found in conditions if found.get("type") == "PodScheduled"), {})


def _age(pod: Manifest, now: datetime) -> timedelta:
    created = walk.get(pod, "metadata", "creationTimestamp")
    return now - datetime.fromisoformat(str(created)) if created else timedelta()
