"""Volcano 1.14 and newer: one PodGroup of scheduling.volcano.sh a gang, one a group outside gangs.

Minima by member stand in ``minTaskMember``, and ``minMember`` is their sum: with less, Volcano ignores them all. It
takes pods one after the other until every minimum is met, so a fixed member's pods come first by
``volcano.sh/task-priority``; with two elastic members no order is right (measured on 1.15.1: 2 of 8 and 2 of 8 on four
nodes never start). There, and where replicas span pods, each member is a ``subGroupPolicy`` instead, whose minimum is
taken as one. A sub-group needs ``matchLabelKeys`` before 1.16.1, so it always has them.

Sources: volcano-sh/volcano v1.15.1, pkg/scheduler/{api/job_info.go,actions/allocate/allocate.go}; the rest is measured.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from helm_roster import backend_base, constants
from helm_roster.backend_base import ApiKind, Ask, Decision, Need, Topic
from helm_roster.manifests import walk
from helm_roster.manifests.walk import Manifest
from helm_roster.model.live import Live, LiveGroup
from helm_roster.model.operation import Gang, Group, Member
from helm_roster.model.plan import Plan, TemplatePath, groups_of
from helm_roster.policy import gangs, names
from helm_roster.policy.gang_specs import Aspect

NAME: Final = "volcano"

POD_GROUP: Final = ApiKind(api_version="scheduling.volcano.sh/v1beta1", kind="PodGroup", plural="podgroups")
QUEUE: Final = ApiKind(api_version="scheduling.volcano.sh/v1beta1", kind="Queue", plural="queues")
GROUPING_KINDS: Final[tuple[ApiKind, ...]] = (POD_GROUP,)

_GROUP_NAME: Final = "scheduling.k8s.io/group-name"
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
MEMBERSHIP: Final[TemplatePath] = ("metadata", "annotations", _GROUP_NAME)
# Every field of a PodGroup can be changed, and the scheduler counts anew.
IN_PLACE: Final[frozenset[Aspect]] = frozenset(
    {"member added", "member removed", "size", "elasticity", "order", "priority"}
)
PLACES_ALL: Final = True
KEEPS: Final[Mapping[Topic, str]] = {
    "first placement": "no pod is bound until the minimum of every member fits together",
    "death of a member": "the pod is replaced alone as soon as there is room; its place is not kept for it",
    "below the minimum": (
        "survivors run on; replacements are bound once the pods that run and those that fit reach the minimum again"
    ),
    "rolling update": (
        "no place is kept: a foreign pod that waits may take one, and the update waits for it"
    ),
    "extras and locality": "pods above the minimum join one by one; required locality binds them to the gang's domain",
    "preemption": (
        "nothing is preempted unless the scheduler's configuration has the action preempt; then pods may be taken "
        "one by one down to the gang's minimum in all"
    ),
}  # fmt: skip

_SCHEDULER: Final = "volcano"
_DEFAULT_QUEUE: Final = "default"
# The label by which the pods of one replica know each other, by the kind that makes them.
_REPLICA: Final = {"LeaderWorkerSet": "leaderworkerset.sigs.k8s.io/group-index"}
# Fixed members come before elastic ones whatever their order is; the values take orders from 0 on.
_FIRST: Final = 1_000_000


def check(plan: Plan) -> list[str]:
    """Refuse what Volcano cannot keep."""
    return [
        *(f"{path} is given, but this backend does not keep it: remove it" for path in gangs.settings(plan)),
        *(refusal for gang in plan.operation.gangs for member in gang.members for refusal in _replicas(plan, member)),
        *gangs.uneven_priorities(plan),
        *gangs.uneven_gates(plan),
        *gangs.unparallel_members(plan),
        *gangs.required_affinity(plan),
        *gangs.foreign_schedulers(plan, _SCHEDULER),
    ]


def guarantees(plan: Plan) -> list[str]:
    """Say what Volcano keeps of each gang, and what it does not."""
    return backend_base.promises(KEEPS, plan)


def objects(plan: Plan) -> list[Manifest]:
    """Return a PodGroup for each gang and for each group outside gangs."""
    alone = [group for group in groups_of(plan) if plan.operation.gang_of(group.name) is None]
    return [*(_of_gang(plan, gang) for gang in plan.operation.gangs), *(_of_group(plan, group) for group in alone)]


def stamp(pod_template: Manifest, group: Group, plan: Plan) -> bool:
    """Put the group's pods into their PodGroup, with their member's name and place in it."""
    found = plan.operation.gang_of(group.name)
    annotations = walk.ensure(pod_template, "metadata", "annotations")
    annotations[_GROUP_NAME] = _gang_name(plan, found[0]) if found else names.group_name(plan.operation, group.name)
    annotations[_ROLE] = group.name
    if found:
        annotations[_PRIORITY] = str(_task_priority(found[1]))
    pod_template.setdefault("spec", {})["schedulerName"] = _SCHEDULER
    return True


def needs(plan: Plan) -> list[Need]:
    """Return the kinds that the API server must serve."""
    del plan
    remedy = "needs Volcano 1.14 or newer: install it, or choose another scheduling.placement.backend"
    return [Need(kind=POD_GROUP, remedy=remedy), Need(kind=QUEUE, remedy=remedy)]


inspect = backend_base.no_findings


def explain(live: Live, ask: Ask) -> list[Decision]:
    """Return what is known of each group's PodGroup."""
    del ask
    found = {str(entry["metadata"]["name"]): entry for entry in live.grouping if entry.get("kind") == POD_GROUP.kind}
    decisions = [
        _decision(name, found.get(name), group)
        for group in live.groups.values()
        if (name := walk.get(group.workload, "spec", "template", "metadata", "annotations", _GROUP_NAME))
    ]
    return [decision for decision in decisions if decision.gang or decision.state != "placed"]


def _replicas(plan: Plan, member: Member) -> Iterator[str]:
    group = plan.operation.groups[member.group]
    size = group.pods_per_replica
    if size > 1 and group.workload.kind not in _REPLICA:
        yield f'group "{group.name}": pods of a {group.workload.kind} do not say which replica they are of'
    elif member.minimum % size:
        yield (
            f'group "{group.name}": min {member.minimum} is no whole number of replicas of {size} pods; '
            f"set it to a multiple of {size}"
        )


def _gang_name(plan: Plan, gang: Gang) -> str:
    """Return the gang's name: every field of a PodGroup can be changed in place."""
    return names.gang_name(plan.operation, gang)


def _task_priority(member: Member) -> int:
    """Return the place of a member's pods: higher is first."""
    return (_FIRST if not member.elastic else 0) - member.order


def _of_gang(plan: Plan, gang: Gang) -> Manifest:
    spec: dict[str, Any] = {"minMember": sum(member.minimum for member in gang.members)}
    if _in_sub_groups(plan, gang):
        spec["subGroupPolicy"] = [_sub_group(plan, member) for member in gang.members]
    else:
        spec["minTaskMember"] = {member.group: member.minimum for member in gang.members}
    labels = {constants.GANG_LABEL: gang.name}
    return _pod_group(plan, _gang_name(plan, gang), spec, gangs.priority_class(plan, gang), labels)


def _of_group(plan: Plan, group: Group) -> Manifest:
    """Return the PodGroup of a group outside gangs: Volcano schedules no pod without one."""
    priority = str(plan.pod_spec(group.name).get("priorityClassName") or "")
    name = names.group_name(plan.operation, group.name)
    return _pod_group(plan, name, {"minMember": 1}, priority, {constants.GROUP_LABEL: group.name})


def _pod_group(plan: Plan, name: str, spec: Manifest, priority: str, labels: Mapping[str, str]) -> Manifest:
    spec["queue"] = str(plan.operation.placement.get("queue") or _DEFAULT_QUEUE)
    if priority:
        spec["priorityClassName"] = priority
    metadata = {"name": name, "labels": dict(labels)}
    return {"apiVersion": POD_GROUP.api_version, "kind": POD_GROUP.kind, "metadata": metadata, "spec": spec}


def _in_sub_groups(plan: Plan, gang: Gang) -> bool:
    """Return whether each member's minimum has to be taken as one (see above)."""
    spanning = any(plan.operation.groups[member.group].pods_per_replica > 1 for member in gang.members)
    return spanning or len(gang.elastic) > 1


def _sub_group(plan: Plan, member: Member) -> Manifest:
    """Return the policy by which a member's pods, or those of each of its replicas, are placed together."""
    group = plan.operation.groups[member.group]
    size = group.pods_per_replica
    together = {"subGroupSize": size, "minSubGroups": member.minimum // size}
    keys = [_REPLICA.get(group.workload.kind, constants.GROUP_LABEL)]
    if size == 1:
        together, keys = {"subGroupSize": member.minimum, "minSubGroups": 1}, [constants.GROUP_LABEL]
    selector = {"matchLabels": {constants.GROUP_LABEL: group.name}}
    return {"name": group.name, **together, "labelSelector": selector, "matchLabelKeys": keys}


def _decision(name: str, pod_group: Manifest | None, group: LiveGroup) -> Decision:
    if pod_group is None:
        message = f"PodGroup {name} is gone, and pods that are created now are not placed: upgrade to make it again"
        return Decision(gang=group.gang, group=group.name, state="broken", message=message)
    if pod_group["metadata"].get("deletionTimestamp"):
        message = f"PodGroup {name} is being deleted: cancel, then install again"
        return Decision(gang=group.gang, group=group.name, state="broken", message=message)
    minimum = int(walk.get(pod_group, "spec", "minTaskMember", group.name, default=1))
    if sum(bool(walk.get(pod, "spec", "nodeName")) for pod in group.pods) >= minimum:
        return Decision(gang=group.gang, group=group.name, state="placed")
    conditions = walk.sequence(pod_group, "status", "conditions")
    said = next((str(entry.get("message")) for entry in conditions if entry.get("type") == "Unschedulable"), "")
    return Decision(gang=group.gang, group=group.name, state="waiting", message=said)
