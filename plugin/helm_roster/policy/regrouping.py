"""Running pods that would have to move into another gang, which is refused; pure, and the same for every backend.

Pods that are moved into a new gang by an ordinary rolling update wait for ever: the first one that is replaced is
alone in its new group (measured on three schedulers, StatefulSets and Deployments alike).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from helm_roster import constants
from helm_roster.manifests import walk
from helm_roster.manifests.walk import Manifest
from helm_roster.model.operation import Gang
from helm_roster.model.plan import Plan
from helm_roster.policy import changes


def refusals(
    running: Mapping[str, Manifest], grouping: Sequence[Manifest], plan: Plan, made: Sequence[Manifest]
) -> list[str]:
    """Return a refusal for each gang whose running pods would have to move into other grouping objects.

    ``running`` are the workloads of the groups that have pods, by group, and ``grouping`` what groups them now;
    ``made`` are the grouping objects that the backend makes for ``plan``. A group whose workload kind changes is not
    moved but replaced, and one that leaves all gangs rolls as any other.
    """
    found = (_refusal(running, grouping, plan, gang, made) for gang in plan.operation.gangs)
    return [refusal for refusal in found if refusal]


def _refusal(
    running: Mapping[str, Manifest], grouping: Sequence[Manifest], plan: Plan, gang: Gang, made: Sequence[Manifest]
) -> str | None:
    members = [member.group for member in gang.members]
    moved = [name for name in members if name in running and _stays(running[name], plan, name)]
    if not moved or _names(grouping, gang.name) == _names(made, gang.name):
        return None
    kind = str(plan.workloads[moved[0]].get("kind"))
    way_out = changes.ways(plan.operation).out(kind)
    return (
        f'gang "{gang.name}": pods of {", ".join(moved)} run in another grouping than these values make (members, '
        "fixed or elastic, order or priority changed), and a rolling update into a new one never ends, since each "
        f"replaced pod waits alone: {_elastic(running, plan, gang)}{way_out}"
    )


def _elastic(running: Mapping[str, Manifest], plan: Plan, gang: Gang) -> str:
    """Return the way for members that lose replicas: an elastic one at its minimum is fixed, unless told otherwise."""
    held = {name: walk.get(workload, "spec", "replicas", default=0) for name, workload in running.items()}
    lowered = [
        member.group
        for member in gang.members
        if not member.elastic and plan.operation.groups[member.group].pods < held.get(member.group, 0)
    ]
    if not lowered:
        return ""
    return f"if {', '.join(lowered)} was elastic and is at its minimum now, say elastic: true of it in the gang; else "


def _stays(workload: Manifest, plan: Plan, name: str) -> bool:
    """Return whether the group's workload has the kind and the name of the plan's."""
    kind, called = (walk.get(workload, *path) for path in (("kind",), ("metadata", "name")))
    return bool((kind, called) == (plan.workloads[name].get("kind"), plan.operation.groups[name].workload.name))


def _names(grouping: Sequence[Manifest], gang: str) -> set[tuple[str, str]]:
    return {
        (str(manifest["kind"]), str(walk.get(manifest, "metadata", "name")))
        for manifest in grouping
        if walk.get(manifest, "metadata", "labels", constants.GANG_LABEL) == gang
    }
