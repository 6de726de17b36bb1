"""How far a gang is that is restarted, and which gangs are stuck since they are not; pure.

A restart deletes all pods of the old gang at once. A rolling update into a gang replaces one pod after the other, and
goes on only when that one runs: where the gang needs more of them, never.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from helm_roster.frozen import Frozen
from helm_roster.manifests import walk
from helm_roster.manifests.walk import Manifest
from helm_roster.model import plan as plans
from helm_roster.model.live import Live, LiveGroup
from helm_roster.model.plan import TEMPLATE_PATHS, TemplatePath
from helm_roster.policy import gang_specs, grouping, pods, rollouts

# The kinds of members that replace one pod or replica after the other.
_ONE_BY_ONE: Final = frozenset({"StatefulSet", "LeaderWorkerSet"})


class Aim(Frozen):
    """What the restart of one group aims at: pods that name the grouping object ``name``, ``minimum`` of them placed.

    ``before`` are the uids of pods that were there and look as if they were new.
    """

    group: str
    name: str
    minimum: int
    before: frozenset[str] = frozenset()


class Deleted(NamedTuple):
    """One object that a restart deletes, with all that it owns."""

    kind: str
    name: str
    uid: str


class Stuck(NamedTuple):
    """A group of a gang whose rolling update cannot end, and how many of its pods are not in the gang."""

    gang: str
    group: str
    pods: int


def old_pods(group: LiveGroup, aim: Aim, memberships: Sequence[TemplatePath]) -> list[Manifest]:
    """Return the pods that are of the gang as it was, or of an old template; those that are being deleted too."""
    revision = group.template if rollouts.is_observed(group.workload) else ""
    label = rollouts.label(group.workload)
    return [pod for pod in group.pods if _is_old(pod, aim, memberships, (label, revision))]


def _is_old(pod: Manifest, aim: Aim, memberships: Sequence[TemplatePath], newest: tuple[str, str]) -> bool:
    label, revision = newest
    return (
        walk.get(pod, "metadata", "uid") in aim.before
        or plans.membership(pod, memberships) != aim.name
        or bool(revision and walk.get(pod, "metadata", "labels", label) != revision)
    )


def to_delete(workload: Manifest | None, pod: Manifest) -> Deleted | None:
    """Return what is deleted for an old pod to go: the pod; of replicas that span pods what makes all leaders.

    A worker goes with its leader.
    """
    if walk.get(workload, "kind") != "LeaderWorkerSet":
        return Deleted("Pod", pods.name(pod), str(walk.get(pod, "metadata", "uid")))
    owners: list[Manifest] = walk.sequence(pod, "metadata", "ownerReferences")
    made_by = next((owner for owner in owners if owner.get("name") == walk.get(workload, "metadata", "name")), None)
    return Deleted("StatefulSet", str(made_by["name"]), str(made_by.get("uid"))) if made_by else None


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
    kind = str(walk.get(workload, "kind"))
    path = next(iter(TEMPLATE_PATHS[kind].values())) if kind in _ONE_BY_ONE else ()
    return plans.membership(walk.mapping(workload, *path), memberships) if path else ""
