"""What the cluster tells of a plan before it is applied: queues that exist, are open, and can ever hold it.

Kueue itself says little of these: of quota that can never fit the same as of quota that is in use, of a flavor of nodes
that are not there nothing, of a missing LocalQueue only on a Workload that nobody looks at (measured on 0.17.0).
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, Final

from helm_roster.backend_base import NAMESPACE, NODE, ApiKind, Ask, Finding
from helm_roster.backends.kueue import kinds, quota, shapes
from helm_roster.frozen import Frozen
from helm_roster.manifests import walk
from helm_roster.manifests.walk import Manifest
from helm_roster.model import nearest
from helm_roster.model.plan import Plan, groups_of, groups_outside
from helm_roster.model.wording import few
from helm_roster.policy import node_choice, quotas
from helm_roster.policy.quotas import Flavor, Part

_OPEN: Final = "None"
_SHOWN: Final = 3
# As Kueue's own manifests name its configuration; what it leaves out of counts, or counts as something else.
_CONFIG_MAP: Final = ApiKind(api_version="v1", kind="ConfigMap", plural="configmaps")
_CONFIGURATION, _KEY = "kueue-manager-config", "controller_manager_config.yaml"
_LEAVES_OUT: Final = re.compile(r"^\s*(excludeResourcePrefixes|transformations):(?!\s*\[\s*\])", re.MULTILINE)
_LESS: Final = "ask for less, or have the quota changed by who runs Kueue"
_NOT_CHECKED: Final = "not checked: "


class _Asked(Frozen):
    """What one Workload will ask a queue for; ``topology`` is the label within which Kueue itself is to place it."""

    what: str
    parts: tuple[Part, ...]
    topology: str = ""


def inspect(plan: Plan, ask: Ask) -> Iterator[Finding]:
    """Yield why the cluster's queues cannot keep the plan, and what was not looked at."""
    for name, asked in _by_queue(plan).items():
        yield from _queue(plan, name, asked, ask)
    yield from _classes(plan, ask)


def folded(found: Sequence[Finding]) -> list[Finding]:
    """Return findings with all that was not looked at in one, the last."""
    looked = [finding for finding in found if not _is_blind(finding)]
    blind = dict.fromkeys(finding.message.removeprefix(_NOT_CHECKED) for finding in found if _is_blind(finding))
    return [*looked, _unknown("; ".join(blind))] if blind else looked


def _is_blind(finding: Finding) -> bool:
    return finding.state == "unknown" and finding.message.startswith(_NOT_CHECKED)


def _by_queue(plan: Plan) -> dict[str, list[_Asked]]:
    """Return, by LocalQueue, what will be asked for."""
    found: dict[str, list[_Asked]] = {}
    for gang in plan.operation.gangs:
        parts = tuple(_part(plan, member.group) for member in gang.members)
        admission = plan.operation.admission_of(gang.members[0].group)
        if admission:
            asked = _Asked(what=f'gang "{gang.name}"', parts=parts, topology=shapes.topology(plan, gang))
            found.setdefault(admission.queue, []).append(asked)
    for group in groups_outside(plan):
        admission = plan.operation.admission_of(group.name)
        if admission and group.most_pods:
            part = _part(plan, group.name)
            if group.workload.kind != "Job":
                part = part.replace(count=1)
            found.setdefault(admission.queue, []).append(_Asked(what=f'group "{group.name}"', parts=(part,)))
    return found


def _part(plan: Plan, group: str) -> Part:
    return Part(name=group, count=plan.operation.groups[group].pods, spec=plan.pod_specs(group)[0])


def _queue(plan: Plan, name: str, asked: Sequence[_Asked], ask: Ask) -> Iterator[Finding]:
    namespace = plan.operation.namespace
    there = ask.here(kinds.LOCAL_QUEUE, namespace)
    if there is None:
        yield _unknown(f'whether namespace "{namespace}" has the LocalQueue {name}, and what its quota can hold')
        return
    queues = {_name(entry): entry for entry in there}
    if name not in queues:
        yield _stops(f'namespace "{namespace}" has no LocalQueue "{name}"{_known(plan, name, queues)}')
        return
    found = queues[name]
    if (policy := walk.get(found, "spec", "stopPolicy", default=_OPEN)) != _OPEN:
        yield _stops(
            f'LocalQueue "{name}" is stopped (stopPolicy {policy}), and admits nothing: open it, or name another'
        )
    behind = str(walk.get(found, "spec", "clusterQueue", default=""))
    clusters = ask.all_of(kinds.CLUSTER_QUEUE, behind) if behind else []
    if clusters is None:
        yield from _by_local_queue(name, behind, found)
    elif not clusters:
        yield _stops(f'ClusterQueue "{behind}", to which LocalQueue "{name}" belongs, is not there: have it made')
    else:
        yield from _cluster_queue(plan, clusters[0], asked, ask)


def _said(plan: Plan, key: str, value: str) -> str:
    """Return where the values say it: for the operation, or for groups alone."""
    return few([f"{at}.{key}" for at, said in shapes.places(plan) if said.get(key) == value])


def _known(plan: Plan, name: str, there: Collection[str]) -> str:
    at = _said(plan, "queue", name)
    if not there:
        return ", nor any other: have one made by who runs Kueue"
    return f"{nearest.hint(name, there) or f'; it has {few(sorted(there))}'}: name one that it has in {at}"


def _by_local_queue(name: str, behind: str, found: Manifest) -> Iterator[Finding]:
    """Yield what the LocalQueue's own status tells where the ClusterQueue may not be read."""
    if said := quota.inactive(found):
        yield _stops(f'LocalQueue "{name}" admits nothing now: {said}')
    yield _unknown(f"what ClusterQueue {behind} of LocalQueue {name} can hold, and whether it takes this namespace")


def _cluster_queue(plan: Plan, queue: Manifest, asked: Sequence[_Asked], ask: Ask) -> Iterator[Finding]:
    at = f'ClusterQueue "{_name(queue)}"'
    policy = walk.get(queue, "spec", "stopPolicy", default=_OPEN)
    if policy != _OPEN:
        yield _stops(
            f"{at} is stopped (stopPolicy {policy}), and admits nothing: have it opened, or name another queue"
        )
    elif said := quota.inactive(queue):
        yield _stops(f"{at} admits nothing: {said}")
    yield from _selects(plan.operation.namespace, at, queue, ask)
    sets = quota.sets(queue, ask)
    if sets is None:
        yield _unknown(f"what {at} can hold at most, since its flavors or what it may borrow cannot be read")
        return
    for one in asked:
        yield from _never(at, one, sets, ask)
    yield from _flavors(plan, at, sets, asked, ask)


def _never(at: str, asked: _Asked, sets: Sequence[quotas.FlavorSet], ask: Ask) -> Iterator[Finding]:
    """Yield that a queue can never admit something; what it has no quota of may yet be left out of all counts."""
    never = f"{at} can never admit {asked.what}"
    if told := quotas.uncovered(asked.parts, sets):
        found = ask.all_of(_CONFIG_MAP, _CONFIGURATION)
        leaves_out = [entry for entry in found or () if _LEAVES_OUT.search(str(walk.get(entry, "data", _KEY)))]
        if found and not leaves_out:
            yield _stops(f"{never}: {few(told, by='; ')}: {_LESS}")
        else:
            unless = "unless Kueue's configuration leaves the resource out or makes another of it"
            yield Finding(state="warns", message=f"{never}, {unless}: {few(told, by='; ')}")
    elif told := quotas.never(asked.parts, sets):
        yield _stops(f"{never}, whatever else runs: {few(told, by='; ')}: {_LESS}")


def _selects(namespace: str, at: str, queue: Manifest, ask: Ask) -> Iterator[Finding]:
    """Yield that the queue takes nothing of this namespace: without a selector it takes nothing of any."""
    selector = walk.get(queue, "spec", "namespaceSelector")
    if selector == {}:
        return
    found = ask.all_of(NAMESPACE, namespace) if selector else []
    if found is None:
        yield _unknown(f'whether {at} takes what is in namespace "{namespace}"')
        return
    labels = walk.mapping(found[0], "metadata", "labels") if found else {}
    if not selector or (found and not node_choice.matches(selector, labels)):
        yield _stops(f'{at} takes nothing of namespace "{namespace}", which its namespaceSelector does not select')


def _flavors(
    plan: Plan, at: str, sets: Sequence[quotas.FlavorSet], asked: Sequence[_Asked], ask: Ask
) -> Iterator[Finding]:
    """Yield flavors of nodes that are not there, and those by which Kueue cannot place, or places by itself."""
    known = {_name(entry): entry for entry in ask.all_of(kinds.RESOURCE_FLAVOR) or ()}
    nodes = ask.all_of(NODE)
    for one in asked:
        for part in one.parts:
            for flavors in (found for found in sets if quotas.concerns(part, found)):
                usable = [flavor for flavor in flavors if quotas.may_take(flavor, flavors, part.spec)]
                if nodes is not None:
                    yield from _without_nodes(f"{at}, {one.what}", part, usable, nodes)
                if one.topology:
                    yield from _without_topology(f"{at}, {one.what}", one.topology, usable, known, ask)
    if nodes is None:
        yield _unknown(f"{at}: whether there are nodes of its flavors")
    yield from _placing(plan, at, sets, known)


def _without_nodes(at: str, part: Part, flavors: Sequence[Flavor], nodes: Sequence[Manifest]) -> Iterator[Finding]:
    """Yield that pods would be admitted and find no node: none of the flavor's is one that they may run on."""
    empty = [
        flavor.name
        for flavor in flavors
        if flavor.labels and not any(node_choice.may_run(_admitted(part.spec, flavor), node) for node in nodes)
    ]
    if empty:
        rest = "" if len(empty) == len(flavors) else ", though others have"
        yield Finding(
            state="warns",
            message=(
                f"{at}: flavor {few(empty, _SHOWN)} has no node that {part.name} may run on{rest}: admitted by it, its "
                "pods wait until there is one"
            ),
        )


def _admitted(spec: Mapping[str, Any], flavor: Flavor) -> Mapping[str, Any]:
    """Return a pod spec as Kueue changes it when it admits the pod by a flavor."""
    return {
        **spec,
        "nodeSelector": {**walk.mapping(spec, "nodeSelector"), **flavor.labels},
        "tolerations": [*(spec.get("tolerations") or ()), *flavor.tolerations],
    }


def _without_topology(
    at: str, label: str, flavors: Sequence[Flavor], known: Mapping[str, Manifest], ask: Ask
) -> Iterator[Finding]:
    """Yield that no flavor knows the level within which Kueue is to place a gang."""
    topologies = ask.all_of(kinds.TOPOLOGY)
    if topologies is None:
        yield _unknown(f"{at}: whether a flavor has a topology with the level {label}")
        return
    levels = {_name(entry): _levels(entry) for entry in topologies}
    named = {
        flavor.name: str(walk.get(known.get(flavor.name), "spec", "topologyName", default="")) for flavor in flavors
    }
    if not any(label in levels.get(topology, ()) for topology in named.values()):
        there = [f"{flavor} ({few(levels[topology])})" for flavor, topology in named.items() if topology in levels]
        yield _stops(
            f"{at}: no flavor has a topology with the level {label}, so Kueue can place it within none; "
            f"with a topology {'are ' + few(there) if there else 'is none'}"
        )


def _placing(plan: Plan, at: str, sets: Sequence[quotas.FlavorSet], known: Mapping[str, Manifest]) -> Iterator[Finding]:
    """Yield that Kueue chooses the nodes though a scheduler is to do it for gangs."""
    topologies = [
        flavor.name
        for flavors in sets
        for flavor in flavors
        if walk.get(known.get(flavor.name), "spec", "topologyName")
    ]
    if topologies and plan.operation.gangs and plan.operation.placement_backend != "default":
        message = (
            f"{at}: flavor {few(topologies, _SHOWN)} has a topology, so Kueue itself chooses the nodes of what it "
            "admits by it, before the scheduler is asked: use a flavor without, or scheduling.placement.backend default"
        )
        yield Finding(state="warns", message=message)


def _levels(topology: Manifest) -> list[str]:
    return [str(level.get("nodeLabel")) for level in walk.sequence(topology, "spec", "levels")]


def _classes(plan: Plan, ask: Ask) -> Iterator[Finding]:
    """Yield WorkloadPriorityClasses that are not there, without which no Workload is made."""
    admissions = [plan.operation.admission_of(group.name) for group in groups_of(plan)]
    asked = sorted({one.priority_class for one in admissions if one and one.priority_class})
    classes = ask.all_of(kinds.PRIORITY_CLASS) if asked else []
    if classes is None:
        yield _unknown(f"whether there is the WorkloadPriorityClass {few(asked)}")
        return
    there = {_name(entry) for entry in classes}
    for name in asked:
        if name not in there:
            known = nearest.hint(name, there) or f"; there are {few(sorted(there)) or 'none'}"
            at = _said(plan, "priorityClass", name)
            yield _stops(f'there is no WorkloadPriorityClass "{name}"{known}: have it made, or name another in {at}')


def _name(manifest: Manifest) -> str:
    return str(walk.get(manifest, "metadata", "name"))


def _stops(message: str) -> Finding:
    return Finding(state="stops", message=message)


def _unknown(what: str) -> Finding:
    return Finding(state="unknown", message=f"{_NOT_CHECKED}{what}")
