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
from helm_roster.backend_base import ApiKind, Ask, Decision, Finding, Need, State, Topic
from helm_roster.manifests import walk
from helm_roster.manifests.walk import Manifest
from helm_roster.model.live import Live, LiveGroup
from helm_roster.model.operation import Gang, Group, Locality, Member
from helm_roster.model.plan import Plan, TemplatePath
from helm_roster.policy import gangs, greedy, localities, names, standing
from helm_roster.policy.gang_specs import Aspect

NAME: Final = "native"

_BETA, _ALPHA = "scheduling.k8s.io/v1beta1", "scheduling.k8s.io/v1alpha3"
POD_GROUP: Final = ApiKind(api_version=_BETA, kind="PodGroup", plural="podgroups")
WORKLOAD: Final = ApiKind(api_version=_BETA, kind="Workload", plural="workloads")
COMPOSITE: Final = ApiKind(api_version=_ALPHA, kind="CompositePodGroup", plural="compositepodgroups")
NODE: Final = ApiKind(api_version="v1", kind="Node", plural="nodes")
GROUPING_KINDS: Final[tuple[ApiKind, ...]] = (POD_GROUP, WORKLOAD, COMPOSITE)
# The prefix is that of the API group itself: whatever it is put on a pod for, it says how the pod is scheduled.
OWNED: Final[tuple[TemplatePath, ...]] = (
    ("spec", "schedulingGroup"),
    ("metadata", "labels", "scheduling.k8s.io/*"),
    ("metadata", "annotations", "scheduling.k8s.io/*"),
)
MEMBERSHIP: Final[TemplatePath] = ("spec", "schedulingGroup", "podGroupName")
# The survivors run on below the minimum.
IN_PLACE: Final[frozenset[Aspect]] = frozenset({"minimum raised"})
BEFORE = backend_base.NOTHING_BEFORE

# kube-scheduler places what no gang holds anyway.
PLACES_ALL: Final = False
KEEPS: Final[Mapping[Topic, str]] = {
    "first placement": "no pod is bound until the minimum of every member fits together",
    "death of a member": "the pod is replaced alone as soon as there is room; its place is not kept for it",
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
_CONDITION: Final = "PodGroupInitiallyScheduled"
_GONE: Final = "{} is gone, and pods that are created now are not placed: upgrade to make it again"
_UNDECIDED: Final = "kube-scheduler has not decided on it yet"
_ENDED: Final = (
    ", and those that have completed do not count (kubernetes/kubernetes#142330): run again with another operation.run"
)
_SILENT: Final = "kube-scheduler has said nothing for {} s: it does not run, or has not the feature gates of gangs"
_UNKEPT: Final = {
    "queue": "kube-scheduler has no queues",
    "minResources": "kube-scheduler has no queues to wait in",
    "stalenessGracePeriod": "kube-scheduler evicts no gang that is below its minimum",
}
_MODES: Final[Mapping[str, Manifest]] = {"pod": {"single": {}}, "gang": {"all": {}}}
_TOPOLOGY: Final = "TopologyAwareWorkloadScheduling"
_GATES: Final = {
    POD_GROUP: ("GenericWorkload",),
    WORKLOAD: ("GenericWorkload",),
    COMPOSITE: ("GenericWorkload", _TOPOLOGY, "CompositePodGroup"),
}
_Grouping = Mapping[tuple[str, str], Manifest]


class _Node(NamedTuple):
    """A group of pods or, with ``children``, of groups; ``spec`` is what the object and its template share."""

    name: str
    template: str
    spec: Manifest
    children: tuple[_Node, ...] = ()


def check(plan: Plan) -> list[str]:
    """Refuse what kube-scheduler cannot keep."""
    return (
        gangs.unkept(plan, _UNKEPT)
        + greedy.refusals(plan, "kube-scheduler")
        + [refusal for gang in plan.operation.gangs if (refusal := _too_many(gang))]
        + gangs.unplaceable(plan)
        + gangs.required_affinity(plan)
        + gangs.foreign_schedulers(plan, "default-scheduler")
        + localities.segments(plan)
        + localities.unlabelled(plan)
        + localities.two_levels(plan)
    )


def guarantees(plan: Plan) -> list[str]:
    """Say what kube-scheduler keeps of each gang, and what it does not."""
    peculiar = [line for gang in plan.operation.gangs for line in _peculiarities(plan, gang)]
    return backend_base.promises(KEEPS, plan) + peculiar


def objects(plan: Plan) -> list[Manifest]:
    """Return each gang's objects: flat PodGroup, or Workload, composite groups and leaves, parents first."""
    return [made for gang in plan.operation.gangs for made in _objects(gang, _tree(plan, gang))]


def stamp(pod_template: Manifest, group: Group, plan: Plan) -> bool:
    """Put the group's pods into their PodGroup. A Job with this field set is left alone by the Job controller."""
    found = plan.operation.gang_of(group.name)
    if found is None:
        return False
    gang, _ = found
    pod_template.setdefault("spec", {})["schedulingGroup"] = {"podGroupName": _leaf_names(plan, gang)[group.name]}
    localities.prefer(pod_template, plan, group.name)
    return True


def needs(plan: Plan) -> list[Need]:
    """Return the kinds that the API server must serve: they are off by default in Kubernetes 1.37."""
    made = objects(plan)
    kinds, constrained = {str(manifest["kind"]) for manifest in made}, any(map(_is_constrained, made))
    gates = _GATES | ({POD_GROUP: (*_GATES[POD_GROUP], _TOPOLOGY)} if constrained else {})
    return [Need(kind=kind, remedy=_remedy(kind, gates[kind]), gates=gates[kind])
            for kind in GROUPING_KINDS if kind.kind in kinds]  # fmt: skip


def inspect(plan: Plan, ask: Ask) -> list[Finding]:
    """Look whether required locality would be kept: the API server drops it, without a word, where its gate is off."""
    constrained = [made for made in objects(plan) if _is_constrained(made)]
    if not constrained:
        return []
    stored = ask.stored(constrained[0], plan.operation.namespace)
    nodes = ask.all_of(NODE) or ()
    found = [Finding(state="warns", message=text) for text in localities.unknown_to(plan, nodes)]
    if stored is None:
        message = f"whether required locality is kept is not checked: it takes the feature gate {_TOPOLOGY}"
        return [Finding(state="unknown", message=message), *found]
    if _is_constrained(stored):
        return found
    message = (
        f"the API server drops required locality, since its feature gate {_TOPOLOGY} is off: switch it on there and in "
        "kube-scheduler, or set required: false"
    )
    return [Finding(state="stops", message=message), *found]


def explain(live: Live, ask: Ask) -> list[Decision]:
    """Return the scheduler's words on each leaf: the composite group's own status is never written in 1.37."""
    found = {(str(entry["kind"]), str(entry["metadata"]["name"])): entry for entry in live.grouping}
    members = sorted(standing.members(live, MEMBERSHIP).items())
    stated = [(name, group, *_state(name, found, group, live, ask)) for name, group in members]
    return [
        Decision(gang=group.gang, group=group.name, state=state, message=said, was_placed=_was_placed(found, name))
        for name, group, state, said in stated
    ]


def _remedy(kind: ApiKind, gates: tuple[str, ...]) -> str:
    return (
        f"needs Kubernetes 1.37 with the feature gates {', '.join(gates)} on kube-apiserver, kube-scheduler and "
        f"kube-controller-manager, and kube-apiserver --runtime-config={kind.api_version}=true"
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


def _is_constrained(manifest: Manifest) -> bool:
    return bool(walk.get(manifest, "spec", "schedulingConstraints", "topology"))


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


def _state(name: str, found: _Grouping, group: LiveGroup, live: Live, ask: Ask) -> tuple[State, str]:
    pod_group = found.get((POD_GROUP.kind, name))
    if fault := _fault(name, pod_group, found, group, ask):
        return "broken", fault
    if group.autoscaler and (lacking := standing.lacking(group, _minimum(pod_group))):
        return "waiting", f"{lacking}: until its autoscaler ({group.autoscaler}) raises it, no pod of it is placed"
    conditions = walk.get(pod_group, "status", "conditions", default=[])
    said: Manifest = next((condition for condition in conditions if condition.get("type") == _CONDITION), {})
    placed, message = said.get("status") == "True", str(said.get("message") or "")
    if (placed or not said) and (silence := standing.silent([group], ask.now())):
        return "waiting", _unsaid(found, group, live, silence)
    return ("placed" if placed else "waiting"), message if said else _UNDECIDED


def _was_placed(found: _Grouping, name: str) -> bool:
    said = walk.sequence(found.get((POD_GROUP.kind, name)), "status", "conditions")
    return any(entry.get("type") == _CONDITION and entry.get("status") == "True" for entry in said)


def _unsaid(found: _Grouping, group: LiveGroup, live: Live, silence: int) -> str:
    """Return why a pod waits and nothing was said of it: its gang is not whole, or nobody looks at it."""
    members = {name: other for name, other in standing.members(live, MEMBERSHIP).items() if other.gang == group.gang}
    minima = [(other, _minimum(found.get((POD_GROUP.kind, name)))) for name, other in sorted(members.items())]
    if missing := standing.missing(minima):
        return missing + (_ENDED if any(standing.has_ended(other) for other, _ in minima) else "")
    return _SILENT.format(silence)


def _fault(name: str, pod_group: Manifest | None, found: _Grouping, group: LiveGroup, ask: Ask) -> str | None:
    """Return why pods that are created now would wait for ever, without a word from the scheduler."""
    if pod_group is None:
        return _gone(POD_GROUP, name, ask)
    if pod_group["metadata"].get("deletionTimestamp"):
        return f"PodGroup {name} is being deleted, and goes with its last pod: cancel, then install again"
    parent = str(pod_group["spec"].get("parentCompositePodGroupName") or "")
    while parent:
        above = found.get((COMPOSITE.kind, parent))
        if above is None:
            return _gone(COMPOSITE, parent, ask)
        parent = str(above["spec"].get("parentCompositePodGroupName") or "")
    lacking = "" if group.autoscaler else standing.lacking(group, _minimum(pod_group))
    end = "so a pod that is lost is never placed again: bring the replicas back, or lower the gang's min"
    return f"{lacking}, {end}" if lacking else None


def _gone(kind: ApiKind, name: str, ask: Ask) -> str:
    if ask.serves(kind) is False:
        return f"the cluster serves no {kind.kind} ({kind.api_version}) any more: {_remedy(kind, _GATES[kind])}"
    return _GONE.format(f"{kind.kind} {name}")


def _minimum(pod_group: Manifest | None) -> int:
    return int(walk.get(pod_group, "spec", "schedulingPolicy", "gang", "minCount", default=0))
