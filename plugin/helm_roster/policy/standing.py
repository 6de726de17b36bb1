"""How the pods of a gang stand, for the words that its scheduler does not say; pure, and the same for every backend.

What tells of pods is imported late: backends import this module, and are on the render path.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Final

from helm_roster.manifests import walk
from helm_roster.model.live import Live, LiveGroup
from helm_roster.model.plan import TemplatePath

# A scheduler that runs has looked at a new pod well before: they answer within seconds.
SILENCE: Final = 30


def members(live: Live, membership: TemplatePath) -> dict[str, LiveGroup]:
    """Return the names of the grouping objects that live pod templates name, with the group that does so."""
    found = {walk.get(group.workload, "spec", "template", *membership): group for group in live.groups.values()}
    return {str(name): group for name, group in found.items() if name}


def asked(group: LiveGroup) -> int:
    """Return how many pods the live workload asks for; a Job's parallelism, else replicas."""
    replicas = walk.get(group.workload, "spec", "replicas", default=1)
    return int(walk.get(group.workload, "spec", "parallelism", default=replicas))


def there(group: LiveGroup) -> int:
    """Return how many pods count for a gang's minimum: those that have neither ended nor are being deleted."""
    from helm_roster.policy import pods  # noqa: PLC0415

    return sum(map(pods.is_active, group.pods))


def lacking(group: LiveGroup, minimum: int) -> str:
    """Say how many pods the group asks for where its gang needs more; an empty string where it asks for enough."""
    found = asked(group)
    return f"{group.name} asks for {found} of the {minimum} pods that its gang needs" if found < minimum else ""


def has_ended(group: LiveGroup) -> bool:
    """Return whether a pod of the group has completed."""
    from helm_roster.policy import pods  # noqa: PLC0415

    return any(map(pods.has_succeeded, group.pods))


def missing(members: Iterable[tuple[LiveGroup, int]]) -> str:
    """Say which of a gang's members, each with its minimum, has too few pods; an empty string where none has."""
    counts = ((group.name, there(group), minimum) for group, minimum in members)
    lack = (
        f"{name} has {found} of the {needed} pods that its gang needs"
        for name, found, needed in counts
        if found < needed
    )
    return next(lack, "")


def silent(groups: Iterable[LiveGroup], now: datetime) -> int:
    """Return for how many seconds a pod without node has waited and nothing was said of it, or 0."""
    from helm_roster.policy import pods  # noqa: PLC0415

    waiting = (pod for group in groups for pod in group.pods if pods.is_active(pod))
    told = ((pod, pods.hold(pod)) for pod in waiting)
    created = [
        str(walk.get(pod, "metadata", "creationTimestamp", default=""))
        for pod, hold in told
        if hold and hold.stage == "placement" and not hold.message
    ]
    ages = [(now - datetime.fromisoformat(text)).total_seconds() for text in created if text]
    longest = int(max(ages, default=0))
    return longest if longest >= SILENCE else 0
