"""KAI Scheduler: one PodGroup of scheduling.run.ai a gang, with one sub-group a member. KAI 0.15 and newer.

Always sub-groups, never a flat ``minMember``: turning one into the other under running pods leaves those without a
sub-group, and their replacements are never placed (measured on 0.17.0). Groups outside gangs get a PodGroup of their
own with a minimum of one, so that their pods are placed with or without KAI's podgrouper, which ``skip-podgrouper``
(0.15) keeps away. The scheduler of 0.17.0 and older knows groups by name alone, whatever their namespace: the
namespace is in every name's hash.

Sources: KAI 0.17.0, pkg/apis/scheduling/v2alpha2, pkg/scheduler/api/podgroup_info, cache/cluster_info, actions.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from typing import Any, Final

from helm_roster import backend_base, constants
from helm_roster.backend_base import ApiKind, Ask, Decision, Finding, Need, Process, Topic
from helm_roster.backends.kai import kinds
from helm_roster.backends.kai.kinds import DEFAULT_CLASS, GROUP_ANNOTATION, POD_GROUP, QUEUE, TOPOLOGY
from helm_roster.manifests import walk
from helm_roster.manifests.walk import Manifest
from helm_roster.model.live import Live
from helm_roster.model.operation import NEVER, Gang, Group, Locality, Member
from helm_roster.model.plan import Plan, TemplatePath, groups_outside, pod_templates
from helm_roster.model.wording import few
from helm_roster.policy import device_claims, gangs, localities, names
from helm_roster.policy.gang_specs import Aspect

NAME: Final = "kai"

GROUPING_KINDS: Final[tuple[ApiKind, ...]] = (POD_GROUP,)

SCHEDULER: Final = "kai-scheduler"
# The queue in which KAI itself puts pods that name none (podgrouper, DefaultQueueName); its chart makes it.
DEFAULT_QUEUE: Final = "default-queue"
_SKIP: Final = "kai.scheduler/skip-podgrouper"
_LEAF: Final = "kai.scheduler/subgroup-name"
_QUEUE_LABEL: Final = "kai.scheduler/queue"
_LABEL_VALUE: Final = re.compile(r"[A-Za-z0-9]([-_.A-Za-z0-9]{0,61}[A-Za-z0-9])?")
OWNED: Final[tuple[TemplatePath, ...]] = (
    ("spec", "schedulerName"),
    ("metadata", "annotations", GROUP_ANNOTATION),
    ("metadata", "annotations", "kai.scheduler/*"),
    ("metadata", "labels", "kai.scheduler/*"),
)
MEMBERSHIPS: Final[tuple[TemplatePath, ...]] = (kinds.MEMBERSHIP,)
# Removing a member touches no other (measured). A member that is added, or a minimum raised above the pods that have a
# place, puts the gang below its minimum until the new pods have one; if that takes long, all are evicted.
IN_PLACE: Final[frozenset[Aspect]] = frozenset({"member removed", "order", "preemption"})
BEFORE = backend_base.NOTHING_BEFORE
PREEMPTS_WHERE = backend_base.ALWAYS

PROCESSES: Final[tuple[Process, ...]] = (Process(name="KAI's scheduler", scheduler=SCHEDULER),)
# Two schedulers over the same nodes would give one place twice.
MARKS_ALL: Final = True
KEEPS: Final[Mapping[Topic, str]] = {
    "first placement": "no pod is bound until the minimum of every member fits together",
    "death of a member": (
        "the pod (of a replica that recovers as a whole: all of them) is replaced alone as soon as there is room; its "
        "place is not kept for it"
    ),
    "below the minimum": (
        "after stalenessGracePeriod (60 s unless you set it) all pods of the gang are evicted, and it waits as a whole"
    ),
    "rolling update": (
        "no place is kept: a foreign pod that waits may take one, and after stalenessGracePeriod the gang is evicted"
    ),
    "extras and locality": (
        "pods above the minimum join one by one; required locality binds them to the domain that the gang has"
    ),
    "preemption": (
        "pods above the minimum are taken first, one by one, then the gang as a whole; with a priority of 100 or more "
        "it is never taken, and starts only within the quota of its queue"
    ),
}


_CLAIMS: Final = (
    "no device is held while a gang waits; pods of a lower priority give way with their devices; the limits of a queue "
    "count devices of the class gpu.nvidia.com"
)


def check(plan: Plan) -> list[str]:
    """Refuse what KAI cannot keep."""
    refusals = [refusal for gang in plan.operation.gangs for refusal in _unkept(plan, gang)]
    return (
        _unlabelled_queue(plan)
        + _shared(plan)
        + refusals
        + localities.wider(plan)
        + gangs.partial_replicas(plan, "KAI")
        + gangs.unplaceable(plan)
        + gangs.required_affinity(plan)
        + gangs.foreign_schedulers(plan, SCHEDULER)
    )


def guarantees(plan: Plan) -> list[str]:
    """Say what KAI keeps of each gang, and what it does not."""
    peculiar = [line for gang in plan.operation.gangs for line in _peculiarities(plan, gang)]
    return backend_base.promises(KEEPS, plan) + peculiar + device_claims.promises(plan, _CLAIMS)


def objects(plan: Plan) -> list[Manifest]:
    """Return a PodGroup for each gang, and for each group outside gangs."""
    alone = [_alone(plan, group) for group in groups_outside(plan)]
    return [_gang(plan, gang) for gang in plan.operation.gangs] + alone


def stamp(workload: Manifest, group: Group, plan: Plan) -> bool:
    """Put the group's pods into their sub-group, and away from KAI's podgrouper."""
    for template in pod_templates(workload).values():
        annotations = walk.ensure(template, "metadata", "annotations")
        annotations |= {GROUP_ANNOTATION: _name(plan, group), _SKIP: "true"}
        labels = walk.ensure(template, "metadata", "labels")
        labels |= {_LEAF: group.name, _QUEUE_LABEL: queue(plan)}
        walk.ensure(template, "spec")["schedulerName"] = SCHEDULER
    return True


def needs(plan: Plan) -> list[Need]:
    """Return the kinds that KAI brings: Topology only where a locality refers to one."""
    kinds = [POD_GROUP, QUEUE] + [TOPOLOGY] * bool(localities.of_plan(plan))
    return [Need(kind=kind, remedy="install KAI Scheduler 0.15 or newer") for kind in kinds]


def inspect(plan: Plan, ask: Ask) -> list[Finding]:
    """Look for the queue, the PriorityClasses and the Topology objects that the pods will name."""
    from helm_roster.backends.kai import inspecting  # noqa: PLC0415  (no render needs it)

    return inspecting.inspect(plan, objects(plan), ask)


def explain(live: Live, ask: Ask) -> list[Decision]:
    """Return KAI's words on each group of a gang, and on others that wait."""
    from helm_roster.backends.kai import explaining  # noqa: PLC0415  (no render needs it)

    return list(explaining.explain(live, ask))


def queue(plan: Plan) -> str:
    """Return the queue that the values name, or the one that KAI takes where none is named."""
    return str(plan.operation.placement.get("queue") or DEFAULT_QUEUE)


def _unlabelled_queue(plan: Plan) -> list[str]:
    """Refuse a queue whose name no label can hold: the pods carry it as one."""
    if _LABEL_VALUE.fullmatch(queue(plan)):
        return []
    at = plan.operation.at("scheduling.placement.queue")
    refusal = (
        f"{at} is {queue(plan)!r}, which KAI's pods cannot carry as a label: at most 63 letters, "
        "digits, dots, dashes and underscores, letter or digit at the ends"
    )
    return [refusal]


def _shared(plan: Plan) -> list[str]:
    """Refuse gangs that share GPUs by a claim: of these each pod is counted for itself (measured on 0.17.0)."""
    return [
        f'gang "{gang.name}": its pods share the claim "{name}" of {few(gpus)}, of which KAI takes as many devices '
        "from the queue and the node as there are pods: give each pod its own (claims without shared), or keep who "
        "shares it out of gangs"
        for gang, name, classes in device_claims.shared(plan)
        if (gpus := sorted(one for one in classes if one.startswith("gpu.")))
    ]


def _unkept(plan: Plan, gang: Gang) -> Iterator[str]:
    at = f'gang "{gang.name}"'
    if gang.min_resources:
        yield f"{at}: minResources is true, but KAI's queues hold no gang back by its resources: remove it"
    if gang.preemption == "pod" or (gang.preemption and gang.elastic):
        yield (
            f"{at}: preemption is {gang.preemption}, but KAI takes single pods above the minimum only, one by one, and "
            "then all of the gang: remove it"
        )
    for where, locality in _localities(gang):
        yield from (f"{at}{where}: {fault}" for fault in _unkept_locality(plan, locality))


def _unkept_locality(plan: Plan, locality: Locality) -> Iterator[str]:
    level = plan.operation.at(f"scheduling.topology.levels.{locality.within}")
    if locality.segment is not None:
        yield (
            f"locality.segment is {locality.segment}, but KAI keeps all pods of a group together, not so many at a "
            "time: remove it, or make a group of each segment"
        )
    lacking = [key for key, value in (("label", locality.label), ("topology", locality.topology)) if not value]
    if lacking:
        yield (
            f'locality is within "{locality.within}", and KAI needs the level\'s node label and Topology object: '
            f"set {' and '.join(lacking)} under {level}"
        )


def _localities(gang: Gang) -> Iterator[tuple[str, Locality]]:
    """Yield the localities of a gang and of its members, each after the words that say whose it is."""
    if gang.locality:
        yield "", gang.locality
    for member in gang.members:
        if member.locality:
            yield f', member "{member.group}"', member.locality


def _peculiarities(plan: Plan, gang: Gang) -> Iterator[str]:
    at = f'gang "{gang.name}"'
    if len(gang.members) > 1:
        sequence = ", then ".join(member.group for member in gang.members)
        yield (
            f"{at}: the minima are placed in one order, {sequence}, and no other is tried; set order so that the one "
            "with the fewest fitting nodes comes first"
        )
    if len(gang.elastic) > 1:
        yield (
            f"{at}: while a pod above the minimum of one member fits nowhere, those of the others may wait for it, "
            "though there is room for them"
        )
    period = gang.staleness_grace_period
    if period == NEVER:
        yield f"{at}: it is never evicted for being below its minimum; its survivors run on"
    elif period is not None:
        yield f"{at}: below its minimum for {period} s all of its pods are evicted"
    if any(plan.workloads[member.group].get("kind") == "Job" for member in gang.members):
        yield f"{at}: once a pod has completed, a failed one is not placed again, since KAI counts those that are left"


def _name(plan: Plan, group: Group) -> str:
    """Return the name of the PodGroup that the group belongs to; everything in one can be changed in place."""
    found = plan.operation.gang_of(group.name)
    fixed = {"namespace": plan.operation.namespace}
    if found is None:
        return names.group_name(plan.operation, group.name, fixed=fixed)
    return names.gang_name(plan.operation, found[0], fixed=fixed)


def _gang(plan: Plan, gang: Gang) -> Manifest:
    name = _name(plan, plan.operation.groups[gang.members[0].group])
    spec: Manifest = {"subGroups": _sub_groups(gang)}
    if gang.locality:
        spec["topologyConstraint"] = _constraint(gang.locality)
    if gang.staleness_grace_period is not None:
        spec["stalenessGracePeriod"] = f"{gang.staleness_grace_period}s"
    return _pod_group(plan, name, gangs.priority_class(plan, gang), spec, {constants.GANG_LABEL: gang.name})


def _sub_groups(gang: Gang) -> list[Manifest]:
    """Return a sub-group a member; where members differ in order, each under one for its place in it.

    KAI tries the minima by the names of their sub-groups and never another order, so where not every node fits every
    member it may start nothing (measured). A pod names its own sub-group alone: its place may change in place.
    """
    orders = sorted({member.order for member in gang.members})
    if len(orders) == 1:
        return [_leaf(member) for member in gang.members]
    places = dict(zip(orders, _places(len(orders), {member.group for member in gang.members}), strict=True))
    leaves = [_leaf(member) | {"parent": places[member.order]} for member in gang.members]
    return [*({"name": name} for name in places.values()), *leaves]


def _places(count: int, taken: Collection[str]) -> list[str]:
    """Return names of as many places, which sort as the places do and are none of ``taken``: sub-groups share names."""
    stem, digits = "place", len(str(count))
    while not set(taken).isdisjoint(found := [f"{stem}-{place:0{digits}}" for place in range(count)]):
        stem += "-of-order"
    return found


def _alone(plan: Plan, group: Group) -> Manifest:
    spec: Manifest = {"subGroups": [_leaf(Member(group=group.name, minimum=1))]}
    priority = gangs.priority_of(plan, group.name)
    return _pod_group(plan, _name(plan, group), priority, spec, {constants.GROUP_LABEL: group.name})


def _leaf(member: Member) -> Manifest:
    leaf: Manifest = {"name": member.group, "minMember": member.minimum}
    return leaf | ({"topologyConstraint": _constraint(member.locality)} if member.locality else {})


def _constraint(locality: Locality) -> dict[str, Any]:
    level = "requiredTopologyLevel" if locality.required else "preferredTopologyLevel"
    return {"topology": locality.topology, level: locality.label}


def _pod_group(plan: Plan, name: str, priority: str, spec: Manifest, labels: Mapping[str, str]) -> Manifest:
    shared = {"queue": queue(plan), "priorityClassName": priority or DEFAULT_CLASS}
    return {
        "apiVersion": POD_GROUP.api_version,
        "kind": POD_GROUP.kind,
        "metadata": {"name": name, "labels": dict(labels)},
        "spec": shared | spec,
    }
