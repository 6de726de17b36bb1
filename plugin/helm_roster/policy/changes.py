"""What an upgrade must not do to running pods; pure, and the same for every scheduling system.

Pods that are moved into a new gang by an ordinary rolling update wait for ever: the first one that is replaced is
alone in its new group (measured on three schedulers, StatefulSets and Deployments alike).
"""

from __future__ import annotations

from collections.abc import Sequence

from helm_roster import constants
from helm_roster.manifests import walk
from helm_roster.manifests.walk import Manifest
from helm_roster.model.live import Live, LiveGroup
from helm_roster.model.operation import Gang
from helm_roster.model.plan import Plan

_WAY_OUT = {
    "StatefulSet": "helm roster cancel {release}, then install it again",
    "Job": "set operation.run to a new value, and it starts anew beside what ran",
}


def regrouped(live: Live, plan: Plan, made: Sequence[Manifest]) -> list[str]:
    """Return a refusal for each gang whose running pods would have to move into other grouping objects.

    ``made`` are the grouping objects that the backend makes for ``plan``. A group whose workload kind changes is
    not moved but replaced, and one that leaves all gangs rolls as any other.
    """
    return [refusal for gang in plan.operation.gangs if (refusal := _regrouped(live, plan, gang, made))]


def _regrouped(live: Live, plan: Plan, gang: Gang, made: Sequence[Manifest]) -> str | None:
    running = [
        name for name in (member.group for member in gang.members) if _runs_on(live.groups.get(name), plan, name)
    ]
    if not running or _names(live.grouping, gang.name) == _names(made, gang.name):
        return None
    kind = str(plan.workloads[running[0]].get("kind"))
    way_out = _WAY_OUT.get(kind, _WAY_OUT["StatefulSet"]).format(release=plan.operation.release)
    return (
        f'gang "{gang.name}": pods of {", ".join(running)} run in another grouping than these values make (members, '
        "fixed or elastic, order or priority changed), and a rolling update into a new one never ends, since each "
        f"replaced pod waits alone: {way_out}"
    )


def _runs_on(group: LiveGroup | None, plan: Plan, name: str) -> bool:
    """Return whether the group has pods now, under the same kind of workload as the plan's."""
    if group is None or not group.pods or group.workload is None:
        return False
    kind, called = (walk.get(group.workload, *path) for path in (("kind",), ("metadata", "name")))
    return bool((kind, called) == (plan.workloads[name].get("kind"), plan.operation.groups[name].workload.name))


def _names(grouping: Sequence[Manifest], gang: str) -> set[tuple[str, str]]:
    return {
        (str(manifest["kind"]), str(walk.get(manifest, "metadata", "name")))
        for manifest in grouping
        if walk.get(manifest, "metadata", "labels", constants.GANG_LABEL) == gang
    }
