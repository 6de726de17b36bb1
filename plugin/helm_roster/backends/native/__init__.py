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
from typing import Final, NamedTuple

from helm_roster import backend_base, constants
from helm_roster.backend_base import ApiKind, Ask, Decision, Finding, Need, Topic
from helm_roster.backends.native import kinds as own
from helm_roster.backends.native.kinds import COMPOSITE, GATES, POD_GROUP, TOPOLOGY, WORKLOAD
from helm_roster.manifests import walk
from helm_roster.manifests.walk import Manifest
from helm_roster.model.live import Live
from helm_roster.model.operation import Gang, Group, Locality, Member
from helm_roster.model.plan import Plan, TemplatePath, pod_templates
from helm_roster.policy import device_claims, gangs, greedy, localities, names
from helm_roster.policy.gang_specs import Aspect

NAME: Final = "native"

GROUPING_KINDS: Final[tuple[ApiKind, ...]] = (POD_GROUP, WORKLOAD, COMPOSITE)
# The prefix is that of the API group itself: whatever it is put on a pod for, it says how the pod is scheduled.
OWNED: Final[tuple[TemplatePath, ...]] = (
    ("spec", "schedulingGroup"),
    ("metadata", "labels", "scheduling.k8s.io/*"),
    ("metadata", "annotations", "scheduling.k8s.io/*"),
)
MEMBERSHIPS: Final[tuple[TemplatePath, ...]] = (own.MEMBERSHIP,)
# The survivors run on below the minimum, and a preferred locality stands in pod templates alone.
IN_PLACE: Final[frozenset[Aspect]] = frozenset({"minimum raised", "preferred locality"})
BEFORE = backend_base.NOTHING_BEFORE
PREEMPTS_WHERE = backend_base.ALWAYS

PROCESSES: Final[tuple[backend_base.Process, ...]] = (
    backend_base.Process(name="kube-scheduler", leases=("kube-scheduler",), scheduler="default-scheduler"),
)
# kube-scheduler places what no gang holds anyway.
MARKS_ALL: Final = False
KEEPS: Final[Mapping[Topic, str]] = {
    "first placement": "no pod is bound until the minimum of every member fits together",
    "death of a member": (
        "the pod (of a replica that recovers as a whole: all of them) is replaced alone as soon as there is room; its "
        "place is not kept for it"
    ),
    "below the minimum": "survivors run on; replacements are bound once pods that run and that fit reach the minimum",
    "rolling update": (
        "no place is kept: a foreign pod of the same priority that waits may take one, and the update waits for it"
    ),
    "extras and locality": (
        "pods above the minimum join one by one; required locality holds them to the gang's domain, also when that is "
        "full; preferred locality is best effort: the first pod chooses the domain, also one that is too small for all"
    ),
    "preemption": (
        "the gang takes the places of pods of lower priority when its minimum fits then; of itself single pods are "
        "taken, or with preemption: gang all of it"
    ),
}

# scheduling.k8s.io/v1beta1 WorkloadMaxPodGroupTemplates: each list of templates holds at most eight. Their tree may be
# four levels deep; ours has three.
_MAX_TEMPLATES: Final = 8
_UNKEPT: Final = {
    "queue": "kube-scheduler has no queues",
    "minResources": "kube-scheduler has no queues to wait in",
    "stalenessGracePeriod": "kube-scheduler evicts no gang that is below its minimum",
}
_MODES: Final[Mapping[str, Manifest]] = {"pod": {"single": {}}, "gang": {"all": {}}}


class _Node(NamedTuple):
    """A group of pods or, with ``children``, of groups; ``spec`` is what the object and its template share."""

    name: str
    template: str
    spec: Manifest
    children: tuple[_Node, ...] = ()


_CLAIMS: Final = (
    "no device is held while a gang waits; none is taken from pods of a lower priority, which keep what they claimed "
    "until they end"
)


def check(plan: Plan) -> list[str]:
    """Refuse what kube-scheduler cannot keep."""
    return (
        gangs.unkept(plan, _UNKEPT)
        + greedy.refusals(plan, "kube-scheduler")
        + [refusal for gang in plan.operation.gangs if (refusal := _too_many(gang))]
        + gangs.partial_replicas(plan, "kube-scheduler")
        + gangs.unplaceable(plan)
        + gangs.system_priorities(plan)
        + gangs.required_affinity(plan)
        + gangs.foreign_schedulers(plan, "default-scheduler")
        + localities.segments(plan)
        + localities.unlabelled(plan)
        + localities.two_levels(plan)
        + localities.wider(plan)
    )


def guarantees(plan: Plan) -> list[str]:
    """Say what kube-scheduler keeps of each gang, and what it does not."""
    peculiar = [line for gang in plan.operation.gangs for line in _peculiarities(plan, gang)]
    return backend_base.promises(KEEPS, plan) + peculiar + device_claims.promises(plan, _CLAIMS)


def objects(plan: Plan) -> list[Manifest]:
    """Return each gang's objects: flat PodGroup, or Workload, composite groups and leaves, parents first."""
    return [made for gang in plan.operation.gangs for made in _objects(gang, _tree(plan, gang))]


def stamp(workload: Manifest, group: Group, plan: Plan) -> bool:
    """Put the group's pods into their PodGroup. A Job with this field set is left alone by the Job controller."""
    found = plan.operation.gang_of(group.name)
    if found is None:
        return False
    gang, _ = found
    for template in pod_templates(workload).values():
        template.setdefault("spec", {})["schedulingGroup"] = {"podGroupName": _leaf_names(plan, gang)[group.name]}
        localities.prefer(template, plan, group.name)
    return True


def needs(plan: Plan) -> list[Need]:
    """Return the kinds that the API server must serve: they are off by default in Kubernetes 1.37."""
    made = objects(plan)
    kinds, constrained = {str(manifest["kind"]) for manifest in made}, any(map(own.is_constrained, made))
    gates = GATES | ({POD_GROUP: (*GATES[POD_GROUP], TOPOLOGY)} if constrained else {})
    return [Need(kind=kind, remedy=own.remedy(kind, gates[kind]), gates=gates[kind], versions=own.VERSIONS)
            for kind in GROUPING_KINDS if kind.kind in kinds]  # fmt: skip


def inspect(plan: Plan, ask: Ask) -> list[Finding]:
    """Look whether the API server would keep the gangs of pods and their required locality, which gates may hide.

    Whether the kinds are served is for ``needs``; where there is no cluster to ask, it is told here that nobody has.
    """
    from helm_roster.backends.native import inspecting  # noqa: PLC0415  (no render needs it)

    if unasked := [need for need in needs(plan) if ask.serves(need.kind) is None]:
        kinds = ", ".join(dict.fromkeys(need.kind.kind for need in unasked))
        gates = ", ".join(dict.fromkeys(gate for need in unasked for gate in need.gates))
        message = f"not checked: whether the cluster serves {kinds}, which takes the feature gates {gates}"
        return [Finding(state="unknown", message=message)]
    return inspecting.inspect(plan, objects(plan), ask, stamp)


def explain(live: Live, ask: Ask) -> list[Decision]:
    """Return how each member stands, by its pods, and the scheduler's words on it."""
    from helm_roster.backends.native import explaining  # noqa: PLC0415  (no render needs it)

    return list(explaining.explain(live, ask))


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


def _tree(plan: Plan, gang: Gang) -> _Node:
    """Return the gang's group, or its tree of groups; children in the order in which they are placed.

    Template names are unique over a Workload's whole tree; no other begins with "member-".
    """
    found, shared, name = _leaf_names(plan, gang), _shared(plan, gang), _name(plan, gang)

    def leaf(member: Member) -> _Node:
        where = _constraint(member.locality) or (_constraint(gang.locality) if len(gang.members) == 1 else {})
        policy = {"schedulingPolicy": {"gang": {"minCount": member.minimum}}}
        return _Node(found[member.group], f"member-{member.group}", policy | where | shared)

    def composite(called: str, template: str, children: tuple[_Node, ...], where: Manifest) -> _Node:
        policy = {"schedulingPolicy": {"gang": {"minGroupCount": len(children)}}}
        return _Node(called, template, policy | where | shared, children)

    fixed, elastic = (tuple(map(leaf, members)) for members in (gang.fixed, gang.elastic))
    if len(gang.members) == 1:
        return (fixed + elastic)[0]
    if elastic:
        fixed = (composite(f"{name}-0-fixed", "fixed", fixed, {}),)
    return composite(name, "root", fixed + elastic, _constraint(gang.locality))


def _objects(gang: Gang, root: _Node) -> list[Manifest]:
    """Return the objects of a tree, parents first, and before them the Workload that composite groups refer to."""
    if not root.children:
        return [_manifest(POD_GROUP, gang, root.name, root.spec)]
    composites: list[Manifest] = []
    leaves: list[Manifest] = []
    pending = [(root, "")]
    while pending:
        node, parent = pending.pop(0)
        reference = {"workloadRef": {"workloadName": root.name, "templateName": node.template}}
        above = {"parentCompositePodGroupName": parent} if parent else {}
        kind, made = (COMPOSITE, composites) if node.children else (POD_GROUP, leaves)
        made.append(_manifest(kind, gang, node.name, node.spec | above | reference))
        pending += [(child, node.name) for child in node.children]
    templates = {"compositePodGroupTemplates": [_template_of(root)]}
    return [_manifest(WORKLOAD, gang, root.name, templates), *composites, *sorted(leaves, key=walk.identity)]


def _template_of(node: _Node) -> Manifest:
    lists: dict[str, list[Manifest]] = {}
    for child in node.children:
        key = "compositePodGroupTemplates" if child.children else "podGroupTemplates"
        lists.setdefault(key, []).append(_template_of(child))
    return {"name": node.template} | node.spec | lists


def _name(plan: Plan, gang: Gang) -> str:
    """Return the gang's name, which changes with everything that the API keeps fixed: all but minCount.

    A single member may become elastic and back under one name: only its minimum changes.
    """
    members = [*gang.fixed, *gang.elastic]
    fixed: dict[str, object] = {
        "members": [[member.group, member.elastic and len(members) > 1] for member in members],
        "priority": gangs.priority_class(plan, gang),
    }
    levels = {at: found.label for at, found in localities.of_gang(gang) if found.required}
    rest = {"locality": levels, "preemption": gang.preemption}
    return names.gang_name(plan.operation, gang, fixed=fixed | {key: value for key, value in rest.items() if value})


def _leaf_names(plan: Plan, gang: Gang) -> dict[str, str]:
    """Return each member's PodGroup name; they sort in placement order, after the fixed composite group's."""
    name = _name(plan, gang)
    if len(gang.members) == 1:
        return {gang.members[0].group: name}
    fixed = {member.group: f"{name}-0-{index}-{member.group}" for index, member in enumerate(gang.fixed)}
    return fixed | {member.group: f"{name}-1-{member.group}" for member in gang.elastic}


def _constraint(locality: Locality | None) -> Manifest:
    if locality is None or not locality.required:
        return {}
    return {"schedulingConstraints": {"topology": [{"key": locality.label}]}}


def _shared(plan: Plan, gang: Gang) -> Manifest:
    """Return what all groups of a gang say alike.

    Pods whose priority differs from their group's are never scheduled. Only children that go together may stand under
    a parent that does.
    """
    priority, mode = gangs.priority_class(plan, gang), _MODES.get(gang.preemption)
    found = {"priorityClassName": priority, "disruptionMode": mode}
    return {key: value for key, value in found.items() if value}


def _manifest(kind: ApiKind, gang: Gang, name: str, spec: Manifest) -> Manifest:
    metadata = {"name": name, "labels": {constants.GANG_LABEL: gang.name}}
    return {"apiVersion": kind.api_version, "kind": kind.kind, "metadata": metadata, "spec": spec}
