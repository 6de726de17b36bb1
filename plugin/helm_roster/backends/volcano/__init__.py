"""Volcano 1.14 and newer: one PodGroup of scheduling.volcano.sh a gang, one a group outside gangs.

Minima by member stand in ``minTaskMember``, and ``minMember`` is their sum: with less, Volcano ignores them all. It
takes pod after pod until every minimum is met, so a fixed member's pods come first by ``volcano.sh/task-priority``;
between two elastic members no order is right (measured on 1.15.1: 2 of 8 and 2 of 8 on four nodes never start). There,
where replicas span pods, and where a part of the gang has a locality, each member is a ``subGroupPolicy`` instead,
whose minimum is taken as one. Sub-groups need ``matchLabelKeys`` before 1.16.1, so they always have them.

Sources: volcano-sh/volcano v1.15.1, pkg/scheduler/api/job_info.go, sub_job_info.go, actions/allocate/allocate.go; the
rest is measured.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from helm_roster import backend_base, constants
from helm_roster.backend_base import ApiKind, Ask, Decision, Finding, Need, Process, Topic
from helm_roster.backends.volcano import kinds
from helm_roster.backends.volcano.kinds import DEFAULT_QUEUE, GROUP_NAME, HYPER_NODE, POD_GROUP, QUEUE
from helm_roster.manifests import walk
from helm_roster.manifests.walk import Manifest
from helm_roster.model.live import Live
from helm_roster.model.operation import Gang, Group, Locality, Member
from helm_roster.model.plan import Plan, TemplatePath, groups_outside, pod_templates
from helm_roster.policy import device_claims, gangs, localities, names
from helm_roster.policy.gang_specs import Aspect

NAME: Final = "volcano"
GROUPING_KINDS: Final[tuple[ApiKind, ...]] = (POD_GROUP,)

_ROLE: Final = "volcano.sh/task-spec"
_PRIORITY: Final = "volcano.sh/task-priority"
OWNED: Final[tuple[TemplatePath, ...]] = (
    ("spec", "schedulerName"),
    ("metadata", "annotations", "scheduling.k8s.io/*"),
    ("metadata", "annotations", "volcano.sh/*"),
    ("metadata", "annotations", "scheduling.volcano.sh/*"),
    ("metadata", "labels", "volcano.sh/*"),
    ("metadata", "labels", "scheduling.volcano.sh/*"),
)
MEMBERSHIPS: Final[tuple[TemplatePath, ...]] = (kinds.MEMBERSHIP,)
# Removing a member touches no pod, and order moves pods within one group (measured); preemption stands in no object.
# Every field of a PodGroup can be changed, but what it then asks for holds for pods to come: those that run were never
# placed so.
IN_PLACE: Final[frozenset[Aspect]] = frozenset({"member removed", "minimum raised", "order", "preemption"})
# Helm makes kinds that it does not know after all others, by their names; and a queue is not open at once.
BEFORE: Final[tuple[ApiKind, ...]] = (QUEUE,)
# Leader election is on by default, by the lease of that name.
PROCESSES: Final[tuple[Process, ...]] = (Process(name="Volcano's scheduler", leases=("volcano",), scheduler="volcano"),)
MARKS_ALL: Final = True
KEEPS: Final[Mapping[Topic, str]] = {
    "first placement": "no pod is bound until the minimum of every member fits together",
    "death of a member": (
        "the pod (of a replica that recovers as a whole: all of them) is replaced alone as soon as there is room; its "
        "place is not kept for it"
    ),
    "below the minimum": (
        "survivors run on; replacements are bound once the pods that run and those that fit reach the minimum again"
    ),
    "rolling update": "no place is kept: a foreign pod that waits may take one, and the update waits for it",
    "extras and locality": "pods above the minimum join one by one; required locality binds them to the gang's domain",
    "preemption": (
        "none, unless the scheduler's configuration has the action preempt: a gang of a higher class then takes single "
        "pods of its queue, also below the minimum of their gang; one that has a locality takes none, and one that "
        "needs the room of several pods on a node evicts them again and again, since those that replace them are first"
    ),
}

PREEMPTS_WHERE: Final = (
    "the configuration of its scheduler has the action preempt, and the room of one of the group's pods is enough for "
    "one of the gang's"
)

_SCHEDULER: Final = "volcano"
# The label by which the pods of one replica know each other, by the kind that makes them.
_REPLICA: Final = {"LeaderWorkerSet": "leaderworkerset.sigs.k8s.io/group-index"}
# Fixed members come before elastic ones, whatever their order is; the values take orders from 0 on.
_FIRST: Final = 1_000_000


_CLAIMS: Final = (
    "no device is held while a gang waits; none is taken from pods of a lower priority, which keep what they claimed "
    "until they end"
)


def check(plan: Plan) -> list[str]:
    """Refuse what Volcano cannot keep."""
    unkept = [refusal for gang in plan.operation.gangs for refusal in _unkept(plan, gang)]
    return [
        *unkept,
        *_bare(plan),
        *_shared(plan),
        *localities.wider(plan),
        *gangs.unplaceable(plan),
        *gangs.required_affinity(plan),
        *gangs.foreign_schedulers(plan, _SCHEDULER),
    ]


def _bare(plan: Plan) -> Iterator[str]:
    """Yield members whose pods would be bound one by one: those without a request count as placed (1.15.1)."""
    for gang, name in device_claims.bare(plan):
        yield (
            f'gang "{gang.name}": pods of "{name}" claim devices and request nothing else, and such pods Volcano '
            f"before 1.16.1 binds one by one, so the gang would not be held: set "
            f"{plan.operation.at(f'groups.{name}')}.resources.requests.cpu or .memory"
        )


def _shared(plan: Plan) -> Iterator[str]:
    """Yield gangs that would never start: no pod gets a claim that another is about to get (1.15.1)."""
    for gang, name, _ in device_claims.shared(plan):
        yield (
            f'gang "{gang.name}": its pods share the claim "{name}", which Volcano 1.15 never gives to several pods '
            "that start together: give each pod its own (claims without shared), or keep who shares it out of gangs"
        )


def guarantees(plan: Plan) -> list[str]:
    """Say what Volcano keeps of each gang, and what it does not."""
    held = [
        f'gang "{gang.name}": minResources keeps it out of its queue until its minimum is free there, and once in, it '
        "counts as if it ran"
        for gang in plan.operation.gangs
        if gang.min_resources
    ]
    return backend_base.promises(KEEPS, plan) + held + device_claims.promises(plan, _CLAIMS)


def objects(plan: Plan) -> list[Manifest]:
    """Return a PodGroup for each gang and for each group outside gangs."""
    alone = [_of_group(plan, group) for group in groups_outside(plan)]
    return [_of_gang(plan, gang) for gang in plan.operation.gangs] + alone


def stamp(workload: Manifest, group: Group, plan: Plan) -> bool:
    """Put the group's pods into their PodGroup, with their member's name and place in it."""
    found = plan.operation.gang_of(group.name)
    name = _gang_name(plan, found[0]) if found else names.group_name(plan.operation, group.name)
    marks = {GROUP_NAME: name, _ROLE: group.name} | ({_PRIORITY: str(_task_priority(*found))} if found else {})
    for template in pod_templates(workload).values():
        walk.ensure(template, "metadata", "annotations").update(marks)
        walk.ensure(template, "spec")["schedulerName"] = _SCHEDULER
    return True


def needs(plan: Plan) -> list[Need]:
    """Return the kinds that the API server must serve."""
    kinds = [POD_GROUP, QUEUE] + [HYPER_NODE] * bool(localities.of_plan(plan))
    return [Need(kind=kind, remedy="install Volcano 1.14 or newer") for kind in kinds]


def inspect(plan: Plan, ask: Ask) -> list[Finding]:
    """Look at the queue and at Volcano's age, at all that a locality would be ignored without, and at preemption."""
    from helm_roster.backends.volcano import inspecting  # noqa: PLC0415  (no render needs it)

    return inspecting.inspect(plan, objects(plan), ask)


def explain(live: Live, ask: Ask) -> list[Decision]:
    """Return Volcano's words on each group of a gang, and what it does not say on any."""
    from helm_roster.backends.volcano import explaining  # noqa: PLC0415  (no render needs it)

    return list(explaining.explain(live, ask))


def _unkept(plan: Plan, gang: Gang) -> Iterator[str]:
    at = plan.operation.at(f"scheduling.gangs.{gang.name}")
    if gang.staleness_grace_period is not None:
        yield f"{at}.stalenessGracePeriod: Volcano evicts no gang for being below its minimum; remove it"
    if gang.preemption:
        yield (
            f"{at}.preemption is {gang.preemption}, but whether Volcano takes single pods, whole gangs or none is set "
            "for the whole cluster, in its scheduler's configuration: remove it"
        )
    for place, locality in localities.of_gang(gang):
        if locality.tier is None:
            level = plan.operation.at(f"scheduling.topology.levels.{locality.within}")
            yield (
                f'{plan.operation.at(place)} is within "{locality.within}", and Volcano knows levels by the tier of '
                f"its HyperNodes: set {level}.tier, a number or a tierName"
            )
    for member in gang.members:
        yield from _unkept_replicas(plan, gang, member)


def _unkept_replicas(plan: Plan, gang: Gang, member: Member) -> Iterator[str]:
    group = plan.operation.groups[member.group]
    size, locality = group.pods_per_replica, _part_locality(gang, member)
    segment = locality.segment if locality else None
    if size > 1 and group.workload.kind not in _REPLICA:
        yield f'group "{group.name}": the pods of a {group.workload.kind} do not say which replica they are of'
    elif member.minimum % size:
        yield (
            f'group "{group.name}": min {member.minimum} is no whole number of its replicas of {size} pods; make it a '
            f"multiple of {size}"
        )
    if segment is not None and (segment != size or size == 1):
        yield (
            f'group "{group.name}": locality.segment is {segment}, but Volcano keeps apart only replicas that span '
            f"pods, one segment each, and a replica of it is {size} pod{'s' * (size > 1)}: remove segment"
        )
    if locality and segment is None and size > 1 and member.elastic:
        yield (
            f'group "{group.name}": locality of all its pods and a minimum in whole replicas exclude each other in '
            f"Volcano: set locality.segment to {size}, or min to replicas"
        )


def _gang_name(plan: Plan, gang: Gang) -> str:
    """Return the gang's name, which changes with its localities only: pods that run keep the gang where it is."""
    parts = {part.group: part.locality for part in gang.members if part.locality}
    fixed = {"locality": gang.locality and _network(gang.locality), "parts": {k: _network(v) for k, v in parts.items()}}
    return names.gang_name(plan.operation, gang, fixed=fixed if any(fixed.values()) else None)


def _task_priority(gang: Gang, member: Member) -> int:
    """Return the place of a member's pods, higher is first; that of a lone member stays when it becomes elastic."""
    return (0 if member.elastic and len(gang.members) > 1 else _FIRST) - member.order


def _of_gang(plan: Plan, gang: Gang) -> Manifest:
    spec: dict[str, Any] = {"minMember": sum(member.minimum for member in gang.members)}
    if _in_sub_groups(plan, gang):
        spec["subGroupPolicy"] = [_sub_group(plan, gang, member) for member in gang.members]
    else:
        spec["minTaskMember"] = {member.group: member.minimum for member in gang.members}
    if gang.locality and gang.locality.segment is None:
        spec["networkTopology"] = _network(gang.locality)
    if gang.min_resources:
        from helm_roster.policy import totals  # noqa: PLC0415  (what it imports costs every render)

        spec["minResources"] = totals.quantities_of(plan, {member.group: member.minimum for member in gang.members})
    labels = {constants.GANG_LABEL: gang.name}
    return _pod_group(plan, _gang_name(plan, gang), spec, gangs.priority_class(plan, gang), labels)


def _of_group(plan: Plan, group: Group) -> Manifest:
    """Return the PodGroup of a group outside gangs: Volcano schedules no pod without one."""
    priority = gangs.priority_of(plan, group.name)
    name = names.group_name(plan.operation, group.name)
    return _pod_group(plan, name, {"minMember": 1}, priority, {constants.GROUP_LABEL: group.name})


def _pod_group(plan: Plan, name: str, spec: Manifest, priority: str, labels: Mapping[str, str]) -> Manifest:
    spec["queue"] = str(plan.operation.placement.get("queue") or DEFAULT_QUEUE)
    if priority:
        spec["priorityClassName"] = priority
    metadata = {"name": name, "labels": dict(labels)}
    return {"apiVersion": POD_GROUP.api_version, "kind": POD_GROUP.kind, "metadata": metadata, "spec": spec}


def _in_sub_groups(plan: Plan, gang: Gang) -> bool:
    """Return whether each member's minimum has to be taken as one (see above)."""
    spanning = any(plan.operation.groups[member.group].pods_per_replica > 1 for member in gang.members)
    return spanning or len(gang.elastic) > 1 or any(_part_locality(gang, member) for member in gang.members)


def _part_locality(gang: Gang, member: Member) -> Locality | None:
    """Return what holds for a member or each of its segments; a gang's own locality is of all of it, or of segments."""
    return member.locality or (gang.locality if gang.locality and gang.locality.segment is not None else None)


def _sub_group(plan: Plan, gang: Gang, member: Member) -> Manifest:
    """Return the policy by which a member's pods, or those of each of its replicas, are placed together."""
    group, locality = plan.operation.groups[member.group], _part_locality(gang, member)
    size, count, key = member.minimum, 1, constants.GROUP_LABEL
    if group.pods_per_replica > 1 and (locality is None or locality.segment is not None):
        size = group.pods_per_replica
        count, key = member.minimum // size, _REPLICA[group.workload.kind]
    return {
        "name": group.name,
        "subGroupSize": size,
        "minSubGroups": count,
        "labelSelector": {"matchLabels": {constants.GROUP_LABEL: group.name}},
        "matchLabelKeys": [key],
        **({"networkTopology": _network(locality)} if locality else {}),
    }


def _network(locality: Locality) -> dict[str, Any]:
    tier = "highestTierName" if isinstance(locality.tier, str) else "highestTierAllowed"
    return {"mode": "hard" if locality.required else "soft", tier: locality.tier}
