"""Coscheduling of scheduler-plugins: one PodGroup of scheduling.x-k8s.io a gang, one a group outside gangs.

It renders only: this scheduler is not among those that the tests run, so what it keeps is read from its source. A
PodGroup has one minimum over all of its pods, whatever their role. So a gang of several members is taken where all of
them are fixed, as then every pod is needed; else "any six" would stand for "four and two".

The scheduler stands in for kube-scheduler, or beside it under the name below; that of a cluster that calls it
otherwise cannot be set here. Groups outside gangs have a group of their own with minimum 1: by its age they queue.

Sources: kubernetes-sigs/scheduler-plugins, apis/scheduling/v1alpha1/types.go, pkg/coscheduling/core/core.go.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Final

from helm_roster import backend_base, constants
from helm_roster.backend_base import ApiKind, Ask, Decision, Need, Process, State, Topic
from helm_roster.manifests import walk
from helm_roster.manifests.walk import Manifest
from helm_roster.model.live import Live, LiveGroup
from helm_roster.model.operation import Gang, Group
from helm_roster.model.plan import Plan, TemplatePath, groups_outside, pod_templates
from helm_roster.policy import gangs, names
from helm_roster.policy.gang_specs import Aspect

NAME: Final = "coscheduling"

POD_GROUP: Final = ApiKind(api_version="scheduling.x-k8s.io/v1alpha1", kind="PodGroup", plural="podgroups")
GROUPING_KINDS: Final[tuple[ApiKind, ...]] = (POD_GROUP,)

_LABEL: Final = "scheduling.x-k8s.io/pod-group"
_SCHEDULER: Final = "scheduler-plugins-scheduler"
OWNED: Final[tuple[TemplatePath, ...]] = (
    ("spec", "schedulerName"),
    ("metadata", "labels", "scheduling.x-k8s.io/*"),
)
_MEMBERSHIP: Final[TemplatePath] = ("metadata", "labels", _LABEL)
MEMBERSHIPS: Final[tuple[TemplatePath, ...]] = (_MEMBERSHIP,)
# What holds for running pods was not tried; the scheduler judges only pods that have no place yet.
IN_PLACE: Final[frozenset[Aspect]] = frozenset({"minimum raised"})
BEFORE = backend_base.NOTHING_BEFORE
PREEMPTS_WHERE = backend_base.ALWAYS
PROCESSES: Final[tuple[Process, ...]] = (Process(name="scheduler-plugins", scheduler=_SCHEDULER),)
MARKS_ALL: Final = True
KEEPS: Final[Mapping[Topic, str]] = {
    "first placement": (
        "no pod is bound until all of the minimum have a place; those that have one hold it for a minute at most, and "
        "begin again; as its source says, not run on its scheduler by us"
    ),
    "death of a member": (
        "the pod (of a replica that recovers as a whole: all of them) is replaced alone as soon as there is room; its "
        "place is not kept for it"
    ),
    "below the minimum": "survivors run on; replacements are bound once pods that run and that fit reach the minimum",
    "rolling update": "no place is kept: a foreign pod that waits may take one, and the update waits for it",
    "extras and locality": "pods above the minimum join one by one; locality is refused",
    "preemption": "pods are taken one by one, by their own priority; nothing is preempted for the gang as a whole",
}

_UNKEPT: Final = {
    "queue": "coscheduling has no queues",
    "locality": "coscheduling does not know where pods of a gang are",
    "minResources": "coscheduling has no queues to wait in",
    "stalenessGracePeriod": "coscheduling evicts no gang that is below its minimum",
    "preemption": "coscheduling does not choose what of a gang is taken",
}


def check(plan: Plan) -> list[str]:
    """Refuse what one minimum over all pods cannot say."""
    return [
        *gangs.unkept(plan, _UNKEPT),
        *(refusal for gang in plan.operation.gangs if (refusal := _by_role(plan, gang))),
        *gangs.partial_replicas(plan, "coscheduling"),
        *gangs.unplaceable(plan),
        *gangs.system_priorities(plan),
        *gangs.required_affinity(plan),
        *gangs.foreign_schedulers(plan, _SCHEDULER),
    ]


def guarantees(plan: Plan) -> list[str]:
    """Say what its source promises."""
    return backend_base.promises(KEEPS, plan)


def objects(plan: Plan) -> list[Manifest]:
    """Return a PodGroup for each gang and for each group outside gangs."""
    made = []
    for gang in plan.operation.gangs:
        minimum = sum(member.minimum for member in gang.members)
        made.append(_pod_group(_name(plan, gang.members[0].group), minimum, constants.GANG_LABEL, gang.name))
    alone = (group.name for group in groups_outside(plan))
    return [*made, *(_pod_group(_name(plan, name), 1, constants.GROUP_LABEL, name) for name in alone)]


def stamp(workload: Manifest, group: Group, plan: Plan) -> bool:
    """Label the pods with their PodGroup and give them to its scheduler."""
    for template in pod_templates(workload).values():
        walk.ensure(template, "metadata", "labels")[_LABEL] = _name(plan, group.name)
        walk.ensure(template, "spec")["schedulerName"] = _SCHEDULER
    return True


def needs(plan: Plan) -> list[Need]:
    """Return the kind that the API server must serve."""
    del plan
    remedy = f"needs scheduler-plugins, with its definitions and its scheduler as {_SCHEDULER}: install it"
    return [Need(kind=POD_GROUP, remedy=remedy)]


inspect = backend_base.no_findings


def explain(live: Live, ask: Ask) -> list[Decision]:
    """Return what can be seen of each gang's PodGroup; the scheduler's words stand on the pods."""
    from helm_roster.policy import grouping  # noqa: PLC0415  (no render needs it)

    found = grouping.by_name(live, POD_GROUP.api_version)
    members = [(name, group) for name, group in grouping.members(live, _MEMBERSHIP) if group.gang]
    together = Counter(name for name, _ in members)
    stated = [
        (group, *_state(name, found.get(name), group, ask, alone=together[name] == 1))
        for name, group in members
        if not grouping.has_ended(group)
    ]
    return [Decision(gang=group.gang, group=group.name, state=state, message=said) for group, state, said in stated]


def _by_role(plan: Plan, gang: Gang) -> str | None:
    if len(gang.members) == 1 or not gang.elastic:
        return None
    named = ", ".join(f'"{member.group}"' for member in gang.elastic)
    return (
        f'gang "{gang.name}": coscheduling knows one minimum over all pods of a gang, so with {named} elastic it might '
        "start without a whole member; give every member min equal to replicas, or choose another "
        f"{plan.operation.at('scheduling.placement.backend')}"
    )


def _name(plan: Plan, group: str) -> str:
    """Return the name of the PodGroup for a group's pods; every field of it can be changed in place.

    It is a label of the pods too, so a long one keeps its beginning and its hash.
    """
    found = plan.operation.gang_of(group)
    name = names.gang_name(plan.operation, found[0]) if found else names.group_name(plan.operation, group)
    return names.label(name)


def _pod_group(name: str, minimum: int, label: str, value: str) -> Manifest:
    metadata = {"name": name, "labels": {label: value}}
    spec = {"minMember": minimum}
    return {"apiVersion": POD_GROUP.api_version, "kind": POD_GROUP.kind, "metadata": metadata, "spec": spec}


def _state(name: str, pod_group: Manifest | None, group: LiveGroup, ask: Ask, *, alone: bool) -> tuple[State, str]:
    """Return how a member stands. In a gang of several each is fixed, and needs all of its pods."""
    from helm_roster.policy import grouping  # noqa: PLC0415

    if fault := grouping.fault(pod_group, f"PodGroup {name}"):
        return "broken", fault
    silence = grouping.silence(group, ask.now())
    said = f"{_SCHEDULER} has said nothing for {silence} s: ask whether it runs" if silence else ""
    wanted = grouping.wanted(group)
    needed = int(walk.get(pod_group, "spec", "minMember", default=wanted)) if alone else wanted
    return ("placed" if grouping.placed(group) >= needed else "waiting"), said
