"""Kubernetes' own gang scheduling: PodGroup and CompositePodGroup of scheduling.k8s.io, Kubernetes 1.37.

One member: a PodGroup with ``gang.minCount``. Several: a CompositePodGroup that needs all its children, over one
PodGroup a member. The scheduler is greedy: a leaf takes all the pods it can before the next leaf is tried, oldest
first, then by name, and it never goes back (framework/types.go GetChildGroups; measured on 1.37.2). An elastic
member that comes first therefore takes the fixed members' nodes and nothing is bound, for ever. So all fixed
members stand under one CompositePodGroup that comes first, and at most one elastic member comes after it.

Sources: KEP-4671 (gangs), KEP-6012 (composite groups), scheduling.k8s.io/v1beta1 and v1alpha3.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final, Literal

from helm_roster import backend_base, constants
from helm_roster.backend_base import ApiKind, Ask, Decision, Need, Topic
from helm_roster.manifests import walk
from helm_roster.manifests.walk import Manifest
from helm_roster.model.live import Live, LiveGroup
from helm_roster.model.operation import Gang, Group, Member
from helm_roster.model.plan import Plan, TemplatePath
from helm_roster.policy import gangs, names

NAME: Final = "native"

POD_GROUP: Final = ApiKind(api_version="scheduling.k8s.io/v1beta1", kind="PodGroup", plural="podgroups")
WORKLOAD: Final = ApiKind(api_version="scheduling.k8s.io/v1beta1", kind="Workload", plural="workloads")
COMPOSITE: Final = ApiKind(
    api_version="scheduling.k8s.io/v1alpha3", kind="CompositePodGroup", plural="compositepodgroups"
)
GROUPING_KINDS: Final[tuple[ApiKind, ...]] = (POD_GROUP, WORKLOAD, COMPOSITE)
# The prefix is that of the API group itself: whatever it is put on a pod for, it says how the pod is scheduled.
OWNED: Final[tuple[TemplatePath, ...]] = (
    ("spec", "schedulingGroup"),
    ("metadata", "labels", "scheduling.k8s.io/*"),
    ("metadata", "annotations", "scheduling.k8s.io/*"),
)
MEMBERSHIP: Final[TemplatePath] = ("spec", "schedulingGroup", "podGroupName")
IN_PLACE = backend_base.NOTHING_IN_PLACE

# kube-scheduler places what no gang holds anyway.
PLACES_ALL: Final = False
KEEPS: Final[Mapping[Topic, str]] = {
    "first placement": "no pod is bound until the minimum of every member fits together",
    "death of a member": "the pod is replaced alone as soon as there is room; its place is not kept for it",
    "below the minimum": (
        "survivors run on; replacements are bound once the pods that run and those that fit reach the minimum again"
    ),
    "rolling update": (
        "no place is kept: a foreign pod of the same priority that waits may take one, and the update waits for it"
    ),
    "extras and locality": "pods above the minimum join one by one; required locality binds them to the gang's domain",
    "preemption": "the gang preempts pods of lower priority as one, when its minimum would fit then",
}

# scheduling.k8s.io/v1beta1 WorkloadMaxPodGroupTemplates: each list of templates holds at most eight.
_MAX_TEMPLATES: Final = 8
# Template names are unique over a Workload's whole tree; a group's begins with "member-", so none meets these.
_ROOT: Final = "root"
_FIXED: Final = "fixed"
_SCHEDULER: Final = "default-scheduler"
_CONDITION: Final = "PodGroupInitiallyScheduled"
_UNDECIDED: Final = "kube-scheduler has not decided on it yet"
_GONE: Final = "{} is gone, and pods that are created now are not placed: upgrade to make it again"
_Grouping = Mapping[tuple[str, str], Manifest]
_GATES: Final = {
    POD_GROUP: ("GenericWorkload",),
    WORKLOAD: ("GenericWorkload",),
    COMPOSITE: ("GenericWorkload", "TopologyAwareWorkloadScheduling", "CompositePodGroup"),
}


def check(plan: Plan) -> list[str]:
    """Refuse what kube-scheduler cannot keep."""
    refusals = _unknown_settings(plan)
    for gang in plan.operation.gangs:
        refusals += [
            refusal for refusal in (_two_elastic(plan, gang), _elastic_first(gang), _too_many(gang)) if refusal
        ]
    refusals += (
        gangs.uneven_priorities(plan)
        + gangs.uneven_gates(plan)
        + gangs.system_priorities(plan)
        + gangs.unparallel_members(plan)
        + gangs.required_affinity(plan)
        + gangs.foreign_schedulers(plan, _SCHEDULER)
    )
    return refusals


def guarantees(plan: Plan) -> list[str]:
    """Say what kube-scheduler keeps of each gang, and what it does not."""
    peculiar = [line for gang in plan.operation.gangs for line in _peculiarities(plan, gang)]
    return backend_base.promises(KEEPS, plan) + peculiar


def objects(plan: Plan) -> list[Manifest]:
    """Return each gang's objects: flat PodGroup, or Workload, composite groups and leaves, parents first."""
    return [made for gang in plan.operation.gangs for made in _objects(plan, gang)]


def stamp(pod_template: Manifest, group: Group, plan: Plan) -> bool:
    """Put the group's pods into their PodGroup. A Job with this field set is left alone by the Job controller."""
    found = plan.operation.gang_of(group.name)
    if found is None:
        return False
    gang, _ = found
    pod_template.setdefault("spec", {})["schedulingGroup"] = {"podGroupName": _leaf_names(plan, gang)[group.name]}
    return True


def needs(plan: Plan) -> list[Need]:
    """Return the kinds that the API server must serve: they are off by default in Kubernetes 1.37."""
    made = {str(manifest["kind"]) for manifest in objects(plan)}
    return [Need(kind=kind, remedy=_remedy(kind), gates=_GATES[kind]) for kind in GROUPING_KINDS if kind.kind in made]


inspect = backend_base.no_findings


def explain(live: Live, ask: Ask) -> list[Decision]:
    """Return the scheduler's words on each leaf: the composite group's own status is never written in 1.37."""
    del ask
    found = {(str(entry["kind"]), str(entry["metadata"]["name"])): entry for entry in live.grouping}
    return [_decision(name, found, group) for name, group in sorted(_memberships(live).items())]


def _remedy(kind: ApiKind) -> str:
    return (
        f"needs Kubernetes 1.37 with the feature gates {', '.join(_GATES[kind])} on kube-apiserver, kube-scheduler and "
        f"kube-controller-manager, and kube-apiserver --runtime-config={kind.api_version}=true"
    )


def _unknown_settings(plan: Plan) -> list[str]:
    queue = plan.operation.placement.get("queue")
    said = [] if queue is None else [f"scheduling.placement.queue is {queue!r}, but kube-scheduler has no queues"]
    said += [f"{path} is given, but this backend does not keep it" for path in gangs.settings(plan)]
    return [f"{fault}: remove it" for fault in said]


def _two_elastic(plan: Plan, gang: Gang) -> str | None:
    if len(gang.elastic) <= 1:
        return None
    scaled = any(plan.operation.groups[member.group].autoscaling for member in gang.elastic)
    named = ", ".join(f'"{member.group}"' for member in gang.elastic)
    return (
        f'gang "{gang.name}": two elastic members ({named}) cannot be placed by kube-scheduler: the first takes every '
        "node before the second is tried, and nothing starts; give all but one min equal to replicas"
        f"{', without autoscaling' if scaled else ''}, or split it into a fixed group and an extra group outside the "
        "gang"
    )


def _elastic_first(gang: Gang) -> str | None:
    if not gang.elastic or not gang.fixed:
        return None
    elastic, last = gang.elastic[0], max(gang.fixed, key=lambda member: member.order)
    if elastic.order >= last.order:
        return None
    return (
        f'gang "{gang.name}": elastic member "{elastic.group}" (order {elastic.order}) would come before fixed member '
        f'"{last.group}" (order {last.order}); kube-scheduler would give it every node and start nothing: set its '
        f"order to {last.order} or higher"
    )


def _too_many(gang: Gang) -> str | None:
    if max(len(gang.fixed), len(gang.members) if not gang.elastic else 0) <= _MAX_TEMPLATES:
        return None
    return (
        f'gang "{gang.name}" has {len(gang.fixed)} fixed members, and a Workload holds at most {_MAX_TEMPLATES}: '
        "join groups, or make several gangs"
    )


def _peculiarities(plan: Plan, gang: Gang) -> Iterator[str]:
    if len(gang.fixed) > 1:
        sequence = ", then ".join(member.group for member in gang.fixed)
        yield (
            f'gang "{gang.name}": {sequence} are placed in this order and no other is tried; set order so that the '
            "one with the fewest fitting nodes comes first"
        )
    if spread := gangs.hard_spreads(plan, gang):
        yield (
            f'gang "{gang.name}": {", ".join(spread)} must be spread, and the first arrangement that is tried is kept: '
            "it may wait although another would fit"
        )
    if any(plan.workloads[member.group].get("kind") == "Job" for member in gang.members):
        yield (
            f'gang "{gang.name}": once a pod has completed, a failed one is not replaced (kubernetes/kubernetes#142330)'
        )


def _tree(gang: Gang) -> bool:
    return len(gang.members) > 1


def _objects(plan: Plan, gang: Gang) -> list[Manifest]:
    if not _tree(gang):
        return [_pod_group(plan, gang, gang.members[0])]
    leaves = [_pod_group(plan, gang, member) for member in (*gang.fixed, *gang.elastic)]
    return [_workload(plan, gang), *_composites(plan, gang), *leaves]


def _name(plan: Plan, gang: Gang) -> str:
    """Return the gang's name, which changes with everything that the API keeps fixed: all but minCount.

    A single member may become elastic and back under one name: only its minimum changes.
    """
    members = [*gang.fixed, *gang.elastic]
    fixed = {
        "members": [[member.group, member.elastic and len(members) > 1] for member in members],
        "priority": gangs.priority_class(plan, gang),
    }
    return names.gang_name(plan.operation, gang, fixed=fixed)


def _fixed_name(plan: Plan, gang: Gang) -> str | None:
    """Return the inner composite group's name, or None where the members need no order between kinds."""
    return f"{_name(plan, gang)}-0-fixed" if gang.elastic and _tree(gang) else None


def _leaf_names(plan: Plan, gang: Gang) -> dict[str, str]:
    """Return each member's PodGroup name; they sort in placement order, after the fixed composite group's."""
    name = _name(plan, gang)
    if not _tree(gang):
        return {gang.members[0].group: name}
    fixed = {member.group: f"{name}-0-{index}-{member.group}" for index, member in enumerate(gang.fixed)}
    return fixed | {member.group: f"{name}-1-{member.group}" for member in gang.elastic}


def _pod_group(plan: Plan, gang: Gang, member: Member) -> Manifest:
    spec: dict[str, Any] = {"schedulingPolicy": {"gang": {"minCount": member.minimum}}} | _priority(plan, gang)
    if _tree(gang):
        parent = None if member.elastic else _fixed_name(plan, gang)
        spec["parentCompositePodGroupName"] = parent or _name(plan, gang)
        spec["workloadRef"] = _reference(plan, gang, _template(member))
    return _manifest(POD_GROUP, gang, _leaf_names(plan, gang)[member.group], spec)


def _composites(plan: Plan, gang: Gang) -> list[Manifest]:
    fixed = _fixed_name(plan, gang)
    root: dict[str, Any] = {
        "schedulingPolicy": {"gang": {"minGroupCount": 2 if fixed else len(gang.members)}},
        "workloadRef": _reference(plan, gang, _ROOT),
    }
    made = [_manifest(COMPOSITE, gang, _name(plan, gang), root | _priority(plan, gang))]
    if fixed:
        inner: dict[str, Any] = {
            "schedulingPolicy": {"gang": {"minGroupCount": len(gang.fixed)}},
            "parentCompositePodGroupName": _name(plan, gang),
            "workloadRef": _reference(plan, gang, _FIXED),
        }
        made.append(_manifest(COMPOSITE, gang, fixed, inner | _priority(plan, gang)))
    return made


def _workload(plan: Plan, gang: Gang) -> Manifest:
    """Return the Workload: the static template tree that composite groups must refer to."""
    priority = _priority(plan, gang)
    leaves = {
        member.group: {"name": _template(member), "schedulingPolicy": {"gang": {"minCount": member.minimum}}} | priority
        for member in gang.members
    }
    root: dict[str, Any] = {
        "name": _ROOT,
        "schedulingPolicy": {"gang": {"minGroupCount": len(gang.members)}},
    } | priority
    if _fixed_name(plan, gang):
        fixed = {
            "name": _FIXED,
            "schedulingPolicy": {"gang": {"minGroupCount": len(gang.fixed)}},
            "podGroupTemplates": [leaves[member.group] for member in gang.fixed],
        }
        root |= {
            "schedulingPolicy": {"gang": {"minGroupCount": 2}},
            "compositePodGroupTemplates": [fixed | priority],
            "podGroupTemplates": [leaves[member.group] for member in gang.elastic],
        }
    else:
        root["podGroupTemplates"] = [leaves[member.group] for member in gang.members]
    return _manifest(WORKLOAD, gang, _name(plan, gang), {"compositePodGroupTemplates": [root]})


def _template(member: Member) -> str:
    return f"member-{member.group}"


def _reference(plan: Plan, gang: Gang, template: str) -> dict[str, str]:
    return {"workloadName": _name(plan, gang), "templateName": template}


def _priority(plan: Plan, gang: Gang) -> dict[str, str]:
    """Copy the pods' priorityClassName: a group whose pods differ from it in priority is never scheduled."""
    found = gangs.priority_class(plan, gang)
    return {"priorityClassName": found} if found else {}


def _manifest(kind: ApiKind, gang: Gang, name: str, spec: Manifest) -> Manifest:
    metadata = {"name": name, "labels": {constants.GANG_LABEL: gang.name}}
    return {"apiVersion": kind.api_version, "kind": kind.kind, "metadata": metadata, "spec": spec}


def _memberships(live: Live) -> dict[str, LiveGroup]:
    """Return the PodGroup names that live pod templates point at, with the group that does so."""
    found: dict[str, LiveGroup] = {}
    for group in live.groups.values():
        name = walk.get(group.workload, "spec", "template", "spec", "schedulingGroup", "podGroupName")
        if name:
            found[str(name)] = group
    return found


def _decision(name: str, found: _Grouping, group: LiveGroup) -> Decision:
    pod_group = found.get((POD_GROUP.kind, name))
    if fault := _fault(name, pod_group, found, group):
        return Decision(gang=group.gang, group=group.name, state="broken", message=fault)
    if pod_group and group.autoscaler and (lacking := _lacking(pod_group, group)):
        message = f"{lacking}: until its autoscaler ({group.autoscaler}) raises it, no pod of it is placed"
        return Decision(gang=group.gang, group=group.name, state="waiting", message=message)
    conditions = walk.get(pod_group, "status", "conditions", default=[])
    said = next((condition for condition in conditions if condition.get("type") == _CONDITION), None)
    if said is None:
        return Decision(gang=group.gang, group=group.name, state="waiting", message=_UNDECIDED)
    state: Literal["placed", "waiting"] = "placed" if said.get("status") == "True" else "waiting"
    return Decision(gang=group.gang, group=group.name, state=state, message=str(said.get("message") or ""))


def _fault(name: str, pod_group: Manifest | None, found: _Grouping, group: LiveGroup) -> str | None:
    """Return why pods that are created now would wait for ever, without a word from the scheduler."""
    if pod_group is None:
        return _GONE.format(f"PodGroup {name}")
    if pod_group["metadata"].get("deletionTimestamp"):
        return f"PodGroup {name} is being deleted, and goes with its last pod: cancel, then install again"
    parent = str(pod_group["spec"].get("parentCompositePodGroupName") or "")
    while parent:
        above = found.get((COMPOSITE.kind, parent))
        if above is None:
            return _GONE.format(f"CompositePodGroup {parent}")
        parent = str(above["spec"].get("parentCompositePodGroupName") or "")
    lacking = "" if group.autoscaler else _lacking(pod_group, group)
    if lacking:
        return (
            f"{lacking}, so a pod that is lost is never placed again: bring the replicas back, or lower the gang's min"
        )
    return None


def _lacking(pod_group: Manifest, group: LiveGroup) -> str:
    """Return how many pods the group asks for where its gang needs more, or an empty string."""
    minimum = int(walk.get(pod_group, "spec", "schedulingPolicy", "gang", "minCount", default=0))
    pods = _asked(group)
    return f"{group.name} asks for {pods} of the {minimum} pods that its gang needs" if pods < minimum else ""


def _asked(group: LiveGroup) -> int:
    """Return how many pods the live workload asks for; a Job's parallelism, else replicas."""
    replicas = walk.get(group.workload, "spec", "replicas", default=1)
    return int(walk.get(group.workload, "spec", "parallelism", default=replicas))
