"""What only the cluster can tell of PodGroups before they are made: KAI's age, their queue, classes and topologies."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any, Final

from helm_roster.backend_base import DEFINITION, PRIORITY_CLASS, Ask, Finding
from helm_roster.backends.kai.kinds import DEFAULT_CLASS, POD_GROUP, QUEUE, TOPOLOGY
from helm_roster.manifests import walk
from helm_roster.manifests.walk import Manifest
from helm_roster.model import nearest
from helm_roster.model.operation import Locality
from helm_roster.model.plan import Plan
from helm_roster.model.wording import few
from helm_roster.policy import quotas
from helm_roster.policy.totals import pod_requests

# The priority of whoever names no class, where the cluster has none for them (KAI, DefaultPodGroupPriority).
_DEFAULT_PRIORITY: Final = 50
# From this priority on a PodGroup is not preemptible (KAI, pkg/common/podgroup).
_NEVER_PREEMPTED: Final = 100
_RESOURCES: Final = ("cpu", "memory", "gpu")
# What KAI counts as a GPU of a queue (pkg/scheduler/api/resource_info).
_GPU: Final = re.compile(r"(nvidia|amd)\.com/gpu|nvidia\.com/mig-.*")
_WHOLE_GPU: Final = re.compile(r"(nvidia|amd)\.com/gpu")
# A queue says cpu in millicores and memory in megabytes.
_UNITS: Final = {"cpu": Fraction(1, 1000), "memory": Fraction(10**6)}
# By fields of a PodGroup: what an older KAI than has them does.
_MINSUBGROUP: Final = "KAI is older than 0.15, and would put the pods into groups of its own: upgrade it"
_STALENESS: Final = "KAI is older than 0.17, and knows no stalenessGracePeriod: remove it, or upgrade KAI"


def inspect(plan: Plan, made: Sequence[Manifest], ask: Ask) -> list[Finding]:
    """Return what the cluster says of PodGroups that will be made."""
    queues = sorted({str(walk.get(entry, "spec", "queue")) for entry in made})
    classes = sorted({str(walk.get(entry, "spec", "priorityClassName")) for entry in made})
    constraints = sorted({found for entry in made for found in _constraints(walk.mapping(entry, "spec"))})
    looks = {
        "KAI's version": _version(made, ask),
        **{f'queue "{name}"': _queue(name, plan, made, ask) for name in queues},
        **{
            f'PriorityClass "{name}"': _priority(
                name, queues, frozenset(_in(made, "priorityClassName", name)), plan, ask
            )
            for name in classes
        },
        **{f'Topology "{name}"': _level(name, label, plan, ask) for name, label in constraints},
    }
    unread = [what for what, found in looks.items() if found is None]
    told = [*(finding for found in looks.values() for finding in found or ()), *_wider(plan, ask)]
    if unread:
        told.append(Finding(state="unknown", message=f"not checked: {', '.join(unread)}"))
    return told


def queue(name: str, ask: Ask, at: str = "scheduling.placement.queue") -> list[Finding] | None:
    """Return why KAI places nothing in a queue, which the values name at ``at``; None where queues cannot be read."""
    queues = ask.all_of(QUEUE)
    if queues is None:
        return None
    parents = {_name(entry): str(walk.get(entry, "spec", "parentQueue") or "") for entry in queues}
    below = sorted(child for child, parent in parents.items() if parent == name)
    if name not in parents:
        return _stop(f'KAI has no queue "{name}"{_known(name, parents.keys() - parents.values(), at)}')
    if below:
        return _stop(f'KAI places nothing in queue "{name}", which has queues below it: name one of them, {few(below)}')
    if parents[name] and parents[name] not in parents:
        return _stop(f'KAI takes no pods into queue "{name}", since its parentQueue "{parents[name]}" is not there')
    return []


def _queue(name: str, plan: Plan, made: Sequence[Manifest], ask: Ask) -> list[Finding] | None:
    """Return why KAI places nothing in a queue, or that it lets nothing be used of what is asked for."""
    found, queues = queue(name, ask, plan.operation.at("scheduling.placement.queue")), ask.all_of(QUEUE) or ()
    asked = _asked(plan, _in(made, "queue", name))
    return found if found is None else [*found, *_unlimited(name, asked, queues), *_limits(name, plan, queues)]


def _limits(name: str, plan: Plan, queues: Sequence[Manifest]) -> Iterator[Finding]:
    """Yield gangs that a queue, or one above it, can never hold, by its limits; those of 0 are told elsewhere."""
    known = {_name(entry): entry for entry in queues}
    seen: list[str] = []
    while name in known and name not in seen:
        most = _amounts(known[name], "limit")
        for gang in plan.operation.gangs:
            if told := quotas.beyond(_counted(quotas.minimum(plan, gang)), most):
                yield from _stop(f'KAI\'s queue "{name}" can never hold gang "{gang.name}": {told}')
        seen.append(name)
        name = str(walk.get(known[name], "spec", "parentQueue") or "")


def _amounts(queue: Manifest, of: str) -> dict[str, Fraction]:
    """Return what a queue says of each resource, in cores, bytes and devices; not what is free, or 0."""
    found = {key: walk.get(queue, "spec", "resources", key, of, default=0) for key in _RESOURCES}
    return {key: Fraction(str(each)) * _UNITS.get(key, 1) for key, each in found.items() if float(each) > 0}


def _counted(requests: Mapping[str, Fraction]) -> dict[str, Fraction]:
    """Return requests by the resources of queues; of partitions of GPUs it is not known what they count for."""
    found = {key: each for key, each in requests.items() if key in _UNITS}
    return found | {"gpu": sum((each for key, each in requests.items() if _WHOLE_GPU.fullmatch(key)), Fraction())}


def _unlimited(name: str, asked: Collection[str], queues: Sequence[Manifest]) -> Iterator[Finding]:
    """Yield a warning where a queue lets nothing of a resource be used; one that it does not name counts as 0."""
    if lacking := _zero(name, asked, queues, "limit"):
        yield Finding(state="warns", message=f'queue "{name}" limits {lacking} to 0: no pod that asks for it is placed')


def _version(made: Sequence[Manifest], ask: Ask) -> list[Finding] | None:
    """Judge KAI's age by the fields of its PodGroups."""
    found = ask.all_of(DEFINITION, f"{POD_GROUP.plural}.{POD_GROUP.api_version.partition('/')[0]}")
    if not found:
        return None
    known = str(walk.get(found[0], "spec", "versions"))
    if "minSubGroup" not in known:
        return _stop(_MINSUBGROUP)
    asked = any("stalenessGracePeriod" in entry["spec"] for entry in made)
    return _stop(_STALENESS) if asked and "stalenessGracePeriod" not in known else []


def _in(made: Sequence[Manifest], field: str, name: str) -> Iterator[str]:
    """Yield the groups whose PodGroups have ``name`` in a field: a sub-group that holds pods is called as its group."""
    for entry in made:
        if walk.get(entry, "spec", field) == name:
            yield from (str(leaf["name"]) for leaf in walk.sequence(entry, "spec", "subGroups") if "minMember" in leaf)


def _asked(plan: Plan, groups: Iterable[str]) -> frozenset[str]:
    """Return the resources of queues that pods of these groups request."""
    specs = [spec for group in groups for spec in plan.pod_specs(group)]
    found = {resource for spec in specs for resource, amount in pod_requests(spec).items() if amount}
    return frozenset("gpu" if _GPU.fullmatch(resource) else resource for resource in found)


def _priority(name: str, queues: Sequence[str], groups: frozenset[str], plan: Plan, ask: Ask) -> list[Finding] | None:
    """Say that the PriorityClass of groups is missing, or that they wait for quota that their queue has not."""
    classes = ask.all_of(PRIORITY_CLASS)
    if classes is None:
        return None
    values = {_name(entry): int(entry.get("value") or 0) for entry in classes}
    standard = next(
        (int(entry.get("value") or 0) for entry in classes if entry.get("globalDefault")), _DEFAULT_PRIORITY
    )
    if name not in values and name != DEFAULT_CLASS:
        return _stop(f'PriorityClass "{name}" does not exist, and pods that name it are refused')
    value = values.get(name, standard)
    known = ask.all_of(QUEUE) or ()
    lacking = [
        f'"{one}" has none of {zero}' for one in queues if (zero := _zero(one, _asked(plan, groups), known, "quota"))
    ]
    lacking += [
        f'"{_name(one)}" has too little, {short}'
        for one in known
        for gang in plan.operation.gangs
        if _name(one) in queues and gang.members[0].group in groups
        if (short := quotas.beyond(_counted(quotas.minimum(plan, gang)), _amounts(one, "quota")))
    ]
    if value < _NEVER_PREEMPTED or not lacking:
        return []
    text = (
        f"pods of priority {value} ({name}) are started within the quota of their queue only, since KAI never preempts "
        f"them from {_NEVER_PREEMPTED} on, and queue {' and '.join(lacking)}: choose a lower class, or have quota set"
    )
    return [Finding(state="warns", message=text)]


def _zero(name: str, asked: Collection[str], queues: Sequence[Manifest], of: str) -> str:
    found = next((entry for entry in queues if _name(entry) == name), None)
    zero = [key for key in _RESOURCES if found and not walk.get(found, "spec", "resources", key, of, default=0)]
    return ", ".join(key for key in zero if key in asked)


def _constraints(spec: Manifest) -> Iterator[tuple[str, str]]:
    """Yield the Topology objects that a PodGroup refers to, each with the node label of the level."""
    for holder in (spec, *walk.sequence(spec, "subGroups")):
        found = walk.mapping(holder, "topologyConstraint")
        if found:
            level: Any = found.get("requiredTopologyLevel") or found.get("preferredTopologyLevel")
            yield str(found.get("topology")), str(level)


def _wider(plan: Plan, ask: Ask) -> Iterator[Finding]:
    """Yield a stop for each member whose level stands above the one that all of its gang is within."""
    levels = _levels(ask.all_of(TOPOLOGY) or ())
    for gang in plan.operation.gangs:
        own = gang.locality
        if own is None or not own.required or not (inner := _from(levels, own)):
            continue
        for member in gang.members:
            found = member.locality
            if found and found.topology == own.topology and len(_from(levels, found)) > len(inner):
                yield from _stop(
                    f'gang "{gang.name}", member "{member.group}": {found.within} is a wider level of Topology '
                    f'"{found.topology}" than {own.within}, within which all of the gang is: remove its locality'
                )


def _from(levels: Mapping[str, list[str]], locality: Locality) -> list[str]:
    """Return the levels from a locality's on down; none where its Topology has not that level."""
    found = levels.get(str(locality.topology), [])
    return found[found.index(str(locality.label)) :] if locality.label in found else []


def _level(name: str, label: str, plan: Plan, ask: Ask) -> list[Finding] | None:
    topologies = ask.all_of(TOPOLOGY)
    if topologies is None:
        return None
    levels = _levels(topologies)
    if name not in levels:
        at = plan.operation.at("scheduling.topology.levels")
        return _stop(f'KAI has no Topology "{name}"{_known(name, levels, at)}')
    if label not in levels[name]:
        return _stop(f'Topology "{name}" has no level with the node label {label}; it has {", ".join(levels[name])}')
    return []


def _levels(topologies: Sequence[Manifest]) -> dict[str, list[str]]:
    """Return the node labels of Topology objects by name, the widest level first."""
    return {
        _name(entry): [str(level.get("nodeLabel")) for level in walk.sequence(entry, "spec", "levels")]
        for entry in topologies
    }


def _known(name: str, names: Collection[str], where: str) -> str:
    if not names:
        return ", nor any other: have one made by who runs the cluster"
    there = nearest.hint(name, names) or f"; it has {few(sorted(names))}"
    return f"{there}: name one that it has in {where}"


def _name(manifest: Manifest) -> str:
    return str(walk.get(manifest, "metadata", "name"))


def _stop(message: str) -> list[Finding]:
    return [Finding(state="stops", message=message)]
