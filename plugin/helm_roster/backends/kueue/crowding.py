"""Groups whose pods are Workloads of their own, beside gangs in the same queue.

Measured on Kueue 0.17.0: extras that are made first keep their own gang out for ever, unless they have a lower priority
and the ClusterQueue preempts by it; and 200 single pods in one ClusterQueue delay a gang by 24 s, or, in one that is
StrictFIFO, until those before it are admitted.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, Literal, TypeAlias

from helm_roster.backend_base import PRIORITY_CLASS, Ask, Finding
from helm_roster.backends.kueue import kinds, quota
from helm_roster.manifests import walk
from helm_roster.model.operation import Admission, Gang, Group
from helm_roster.model.plan import Plan, groups_outside
from helm_roster.model.wording import few
from helm_roster.policy import gangs

_MANY: Final = 100
_PREEMPTION: Final = "preemption.withinClusterQueue: LowerPriority"
_State: TypeAlias = Literal["unknown", "warns"]
_Fault: TypeAlias = tuple[_State, str]


def findings(plan: Plan, ask: Ask) -> Iterator[Finding]:
    """Yield what may keep gangs from their quota, or hold up their queue."""
    alone = list(_one_by_one(plan))
    many = sum(group.most_pods for group, _ in alone)
    if many >= _MANY:
        told = few([group.name for group, _ in alone])
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
        yield from _beside(plan, gang, alone, ask)


def _one_by_one(plan: Plan) -> Iterator[tuple[Group, Admission]]:
    """Yield the groups of which each pod is a Workload of its own, with how they are admitted."""
    for group in groups_outside(plan):
        admission = plan.operation.admission_of(group.name)
        if admission and group.workload.kind != "Job" and group.most_pods:
            yield group, admission


def _is_one(plan: Plan, queue: str, other: str, ask: Ask) -> bool:
    """Return whether two LocalQueues give quota of one ClusterQueue, as far as that is known."""
    namespace = plan.operation.namespace
    behind = [walk.get(quota.local_queue(namespace, name, ask), "spec", "clusterQueue") for name in (queue, other)]
    return queue == other or (behind[0] is not None and behind[0] == behind[1])


def _beside(plan: Plan, gang: Gang, alone: Sequence[tuple[Group, Admission]], ask: Ask) -> Iterator[Finding]:
    """Yield which groups may keep a gang out, those with the same fault together."""
    ours = plan.operation.admission_of(gang.members[0].group)
    found: dict[_Fault, list[str]] = {}
    for group, theirs in alone:
        if ours and _is_one(plan, ours.queue, theirs.queue, ask):
            found.setdefault(_crowded(plan, gang, group, (ours, theirs), ask), []).append(group.name)
    for (state, why), names in found.items():
        at = plan.operation.at(f"groups.{names[0] if len(names) == 1 else 'NAME'}.admission.priorityClass")
        told = few([f'"{name}"' for name in names])
        start = f'gang "{gang.name}" may never be admitted beside {told}, whose pods use up quota of the same'
        if why:
            yield Finding(state=state, message=f"{start} ClusterQueue one by one{why.format(at=at)}")


def _crowded(plan: Plan, gang: Gang, group: Group, asked: tuple[Admission, Admission], ask: Ask) -> _Fault:
    """Return why a group may keep a gang out, with ``{at}`` for its class in the values; empty where it cannot."""
    first, (ours, theirs) = gang.members[0].group, asked
    high, low = _priority(plan, first, ours), _priority(plan, group.name, theirs)
    if high == low:
        cure = f"a WorkloadPriorityClass that is lower than the gang's, and {_PREEMPTION} in the ClusterQueue"
        return "warns", f" and have the same priority: set {{at}} to {cure}"
    values, preempts = (
        [_value(plan, *one, ask) for one in ((first, ours), (group.name, theirs))],
        _preempts(plan, ours, ask),
    )
    is_lower = None if None in values else values[1] < values[0]  # type: ignore[operator]
    lacking = [f"{low or 'no class'} is lower than {high or 'no class'}"] if not is_lower else []
    lacking += [f"the ClusterQueue has {_PREEMPTION}"] if not preempts else []
    state: _State = "unknown" if None in {is_lower, preempts} else "warns"
    return state, f", unless {' and '.join(lacking)}" if lacking else ""


def _priority(plan: Plan, group: str, admission: Admission) -> str:
    """Return the class by which Kueue orders pods: its own, else that of the pods."""
    return admission.priority_class or gangs.priority_of(plan, group)


def _value(plan: Plan, group: str, admission: Admission, ask: Ask) -> int | None:
    """Return what that class is worth; None where it is not known."""
    name = _priority(plan, group, admission)
    found = ask.all_of(kinds.PRIORITY_CLASS if admission.priority_class else PRIORITY_CLASS)
    if found is None:
        return None
    values = {str(walk.get(entry, "metadata", "name")): int(entry.get("value") or 0) for entry in found}
    default = next((int(entry.get("value") or 0) for entry in found if entry.get("globalDefault")), 0)
    return values.get(name) if name else default


def _preempts(plan: Plan, admission: Admission, ask: Ask) -> bool | None:
    """Return whether the queue takes quota from Workloads of lower priority; None where it is not known."""
    queue = quota.cluster_queue(plan.operation.namespace, admission.queue, ask)
    if queue is None:
        return None
    return str(walk.get(queue, "spec", "preemption", "withinClusterQueue", default="Never")) != "Never"
