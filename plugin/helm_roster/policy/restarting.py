"""How far a gang is that is restarted, and which gangs are stuck since they are not; pure.

A restart deletes all pods of the old gang at once. A rolling update into a gang replaces one pod after the other, and
goes on only when that one runs: where the gang needs more of them, never.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from helm_roster import constants
from helm_roster.frozen import Frozen
from helm_roster.manifests import walk
from helm_roster.manifests.walk import Manifest
from helm_roster.model import plan as plans
from helm_roster.model.live import Live, LiveGroup
from helm_roster.model.plan import TEMPLATE_PATHS, TemplatePath
from helm_roster.policy import gang_specs, grouping, pods, rollouts


class Aim(Frozen):
    """What the restart of one group aims at: pods that name the grouping object ``name``, ``minimum`` of them placed.

    ``before`` are the uids of pods that were there and look as if they were new.
    """

    group: str
    name: str
    minimum: int
    before: frozenset[str] = frozenset()


class Stuck(NamedTuple):
    """A group of a gang whose rolling update cannot end, and how many of its pods are not in the gang."""

    gang: str
    group: str
    pods: int


def old_pods(group: LiveGroup, aim: Aim, memberships: Sequence[TemplatePath]) -> list[Manifest]:
    """Return the pods that are of the gang as it was, or of an old template; those that are being deleted too."""
    revision = group.template if rollouts.is_observed(group.workload) else ""
    return [pod for pod in group.pods if _is_old(pod, aim, memberships, revision)]


def _is_old(pod: Manifest, aim: Aim, memberships: Sequence[TemplatePath], revision: str) -> bool:
    return (
        walk.get(pod, "metadata", "uid") in aim.before
        or plans.membership(pod, memberships) != aim.name
        or bool(revision and walk.get(pod, "metadata", "labels", constants.REVISION_LABEL) != revision)
    )


def is_done(group: LiveGroup, aim: Aim, memberships: Sequence[TemplatePath]) -> bool:
    """Return whether all pods are new, and as many placed as the gang needs."""
    if not rollouts.is_observed(group.workload) or old_pods(group, aim, memberships):
        return False
    return sum(pods.is_active(pod) and pods.is_placed(pod) for pod in group.pods) >= aim.minimum


def stuck(live: Live, memberships: Sequence[TemplatePath]) -> Iterator[Stuck]:
    """Yield the groups whose pods are moved into a gang one by one, which never ends: it needs more of them."""
    specs = gang_specs.read(entry for entry in live.grouping if not pods.is_terminating(entry))
    for name, group in sorted(live.groups.items()):
        wanted = _wanted(group.workload, memberships)
        active = [pod for pod in group.pods if pods.is_active(pod)]
        new = [pod for pod in active if plans.membership(pod, memberships) == wanted]
        waits = any(not pods.is_placed(pod) for pod in new)
        needed = gang_specs.minimum(specs, group, otherwise=grouping.wanted(group))
        if group.gang and wanted and waits and len(new) < min(len(active), needed):
            yield Stuck(gang=group.gang, group=name, pods=len(active) - len(new))


def _wanted(workload: Manifest | None, memberships: Sequence[TemplatePath]) -> str:
    kind = walk.get(workload, "kind")
    template = walk.mapping(workload, *TEMPLATE_PATHS[kind]) if kind == "StatefulSet" else {}
    return plans.membership(template, memberships)
