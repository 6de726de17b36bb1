"""Groups whose pods are Workloads of their own, beside gangs in the same queue; of the plan alone.

Measured on Kueue 0.17.0: extras that are made first keep their own gang out for ever, unless they have a lower priority
and the ClusterQueue preempts by it; and 200 single pods in one ClusterQueue delay a gang by 24 s, or, in one that is
StrictFIFO, until those before it are admitted.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from helm_roster.backend_base import Finding
from helm_roster.model.operation import Admission, Gang, Group
from helm_roster.model.plan import Plan, groups_outside
from helm_roster.policy import gangs

_MANY: Final = 100
PREEMPTION: Final = "preemption.withinClusterQueue: LowerPriority"


def findings(plan: Plan) -> Iterator[Finding]:
    """Yield what may keep gangs from their quota, or hold up their queue."""
    alone = list(one_by_one(plan))
    many = sum(group.most_pods for group, _ in alone)
    if many >= _MANY:
        told = ", ".join(group.name for group, _ in alone)
        yield Finding(
            state="warns",
            message=(
                f"{many} pods of {told} are admitted one by one, and so many that wait hold up whatever else is in "
                f"their ClusterQueue by half a minute, or in one that is StrictFIFO until they are admitted: give them "
                f"a queue of another ClusterQueue ({plan.operation.at('groups.NAME.admission.queue')}), or "
                "admission: none"
            ),
        )
    for gang in plan.operation.gangs:
        ours = plan.operation.admission_of(gang.members[0].group)
        for group, theirs in alone:
            if ours and theirs.queue == ours.queue:
                yield _crowded(plan, gang, ours, group, theirs)


def one_by_one(plan: Plan) -> Iterator[tuple[Group, Admission]]:
    """Yield the groups of which each pod is a Workload of its own, with how they are admitted."""
    for group in groups_outside(plan):
        admission = plan.operation.admission_of(group.name)
        if admission and group.workload.kind != "Job" and group.most_pods:
            yield group, admission


def _crowded(plan: Plan, gang: Gang, ours: Admission, group: Group, theirs: Admission) -> Finding:
    start = (
        f'gang "{gang.name}" may never be admitted beside "{group.name}", whose pods use up quota of the same queue '
        "one by one"
    )
    at = plan.operation.at(f"groups.{group.name}.admission.priorityClass")
    high, low = _priority(plan, gang.members[0].group, ours), _priority(plan, group.name, theirs)
    if high == low:
        return Finding(
            state="warns",
            message=(
                f"{start} and have the same priority: set {at} to a WorkloadPriorityClass that is lower than the "
                f"gang's, and {PREEMPTION} in the ClusterQueue"
            ),
        )
    return Finding(
        state="unknown",
        message=(
            f"{start}, unless {low or 'no class'} is lower than {high or 'no class'} and the ClusterQueue has "
            f"{PREEMPTION}"
        ),
    )


def _priority(plan: Plan, group: str, admission: Admission) -> str:
    """Return the class by which Kueue orders pods: its own, else that of the pods."""
    return admission.priority_class or gangs.priority_of(plan, group)
