"""The volume claims that an operation makes: how many, of which size, and whether they outlive it; pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from helm_roster.manifests import walk
from helm_roster.manifests.walk import Manifest
from helm_roster.model.operation import Group
from helm_roster.model.plan import Plan, groups_of


@dataclass(frozen=True, kw_only=True)
class Claim:
    """Claims of one kind: one of the operation (``group`` is empty), or ``count`` of a group, one a pod.

    ``name`` is the claim's, or that of the volume of which each pod gets its own. ``size`` is a Kubernetes quantity.
    """

    name: str
    group: str = ""
    count: int = 1
    size: str
    kept: bool


def of_plan(plan: Plan, claims: Sequence[Manifest]) -> list[Claim]:
    """Return what ``plan`` makes; ``claims`` are the PersistentVolumeClaims among its manifests.

    One of the operation is kept by Helm's rule; one of a StatefulSet's templates by Kubernetes, unless
    ``persistentVolumeClaimRetentionPolicy`` says Delete; one that is ephemeral goes with its pod.
    """
    return [
        *(
            Claim(name=str(walk.get(claim, "metadata", "name")), size=_size(claim), kept=walk.is_kept(claim))
            for claim in claims
        ),
        *(claim for group in groups_of(plan) for claim in _of_pods(plan, group)),
    ]


def _of_pods(plan: Plan, group: Group) -> Iterator[Claim]:
    spec = plan.spec(group.name)
    spec = spec.get("leaderWorkerTemplate", spec)
    kept = walk.get(spec, "persistentVolumeClaimRetentionPolicy", "whenDeleted") != "Delete"
    for template in walk.sequence(spec, "volumeClaimTemplates"):
        name = str(walk.get(template, "metadata", "name"))
        yield Claim(name=name, group=group.name, count=group.pods, size=_size(template), kept=kept)
    found: dict[tuple[str, str], int] = {}
    for part in plan.parts(group.name):
        for volume in walk.sequence(part.spec, "volumes"):
            if template := walk.get(volume, "ephemeral", "volumeClaimTemplate"):
                claim = str(volume["name"]), _size(template)
                found[claim] = found.get(claim, 0) + part.count * group.replicas
    for (name, size), count in found.items():
        yield Claim(name=name, group=group.name, count=count, size=size, kept=False)


def _size(claim: Manifest) -> str:
    return str(walk.get(claim, "spec", "resources", "requests", "storage", default="?"))
