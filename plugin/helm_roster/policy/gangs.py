"""Pure decisions about gangs that hold for every scheduling system; no YAML, no scheduler's name.

Each function returns refusals, one line each: what, why, what to do instead.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from helm_roster.manifests import walk
from helm_roster.model.operation import Gang
from helm_roster.model.plan import Plan


def priority_class(plan: Plan, gang: Gang) -> str:
    """Return the priorityClassName that the gang's pods share, or an empty string (see ``uneven_priorities``)."""
    return next((found for member in gang.members if (found := priority_of(plan, member.group))), "")


def settings(plan: Plan) -> list[str]:
    """Return where the values ask for more than members placed together: settings that not every backend keeps."""
    return [plan.operation.at(path) for gang in plan.operation.gangs for path in _settings(gang)]


def _settings(gang: Gang) -> Iterator[str]:
    at = f"scheduling.gangs.{gang.name}"
    said = {
        "locality": gang.locality,
        "minResources": gang.min_resources,
        "stalenessGracePeriod": gang.staleness_grace_period,
        "preemption": gang.preemption,
    }
    yield from (f"{at}.{key}" for key, value in said.items() if value)
    yield from (f"groups.{member.group}.locality" for member in gang.members if member.locality)


def unkept(plan: Plan, why: Mapping[str, str]) -> list[str]:
    """Refuse a queue and settings of gangs that a backend does not keep; ``why`` says so by their last step."""
    queue = (
        [plan.operation.at("scheduling.placement.queue")] if plan.operation.placement.get("queue") is not None else []
    )
    found = ((path, why.get(path.rpartition(".")[2])) for path in queue + settings(plan))
    return [f"{path} is given, but {reason}: remove it" for path, reason in found if reason]


def unplaceable(plan: Plan) -> list[str]:
    """Refuse gangs that no scheduler places whole: uneven priorities, uneven gates, pods one by one."""
    return uneven_priorities(plan) + uneven_gates(plan) + unparallel_members(plan)


def uneven_priorities(plan: Plan) -> list[str]:
    """Refuse gangs whose members differ in priority: a group has one, and unequal pods make it unschedulable."""
    return _refuse(plan, _uneven_priority)


def uneven_gates(plan: Plan) -> list[str]:
    """Refuse gangs of which some members only have scheduling gates: the others wait until those are taken away."""
    return _refuse(plan, _uneven_gate)


def system_priorities(plan: Plan) -> list[str]:
    """Refuse Kubernetes' own critical classes: a group's priority is at most 1000000000, and theirs are above."""
    return _refuse(plan, _system_priority)


def unparallel_members(plan: Plan) -> list[str]:
    """Refuse members whose pods come one after the other: the second waits for the first, which waits for all."""
    return _refuse(plan, _unparallel_member)


def partial_replicas(plan: Plan, scheduler: str) -> list[str]:
    """Refuse members of which some replicas are enough, where a replica spans pods that nothing tells apart."""
    told = f"cannot be kept by {scheduler}, which would count pods of several replicas together"
    refusals = []
    for gang in plan.operation.gangs:
        for member in gang.members:
            group = plan.operation.groups[member.group]
            if group.pods_per_replica > 1 and (member.elastic or member.minimum < group.pods):
                refusals.append(
                    f'gang "{gang.name}", member "{member.group}": min {member.minimum // group.pods_per_replica} of '
                    f"{group.replicas} replicas of {group.pods_per_replica} pods each {told}: set min to replicas, "
                    "without elastic or autoscaling, or make the extra replicas a group outside the gang"
                )
    return refusals


def required_affinity(plan: Plan) -> list[str]:
    """Refuse required pod affinity inside a gang.

    A greedy scheduler keeps the first domain that it tries, also one that is too small (measured: racks of 3 and
    4, a gang of 4 never starts), so the rule cannot be promised.
    """
    return _refuse(plan, _required_affinity)


def foreign_schedulers(plan: Plan, own: str) -> list[str]:
    """Refuse members whose pods the scheduler called ``own`` does not place: the gang would be nothing to them."""
    return _refuse(plan, lambda plan, gang: _foreign_scheduler(plan, gang, own))


def _refuse(plan: Plan, rule: Callable[[Plan, Gang], str | None]) -> list[str]:
    return [refusal for gang in plan.operation.gangs if (refusal := rule(plan, gang))]


def priority_of(plan: Plan, group: str) -> str:
    """Return the priorityClassName of a group's pods, or an empty string."""
    return next((str(found) for spec in plan.pod_specs(group) if (found := spec.get("priorityClassName"))), "")


def _uneven_priority(plan: Plan, gang: Gang) -> str | None:
    found = {name: str(spec.get("priorityClassName") or "") for name, spec in _pods(plan, gang)}
    if len(set(found.values())) <= 1:
        return None
    shown = ", ".join(f"{group}: {priority or 'none'}" for group, priority in sorted(found.items()))
    return (
        f'gang "{gang.name}": its members differ in priorityClassName ({shown}); '
        "set environment.priorityClassName alike on all of them, best in defaults"
    )


def _uneven_gate(plan: Plan, gang: Gang) -> str | None:
    found = {
        name: ", ".join(sorted(str(walk.get(gate, "name")) for gate in walk.sequence(spec, "schedulingGates")))
        or "none"
        for name, spec in _pods(plan, gang)
    }
    if len(set(found.values())) <= 1:
        return None
    shown = ", ".join(f"{group}: {gates}" for group, gates in sorted(found.items()))
    return f'gang "{gang.name}": its members differ in schedulingGates ({shown}); patch all of them alike, or none'


def _pods(plan: Plan, gang: Gang) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield the pods of the members by template, called as people know them: ``decode``, ``decode, leader``."""
    for member in gang.members:
        for part in plan.parts(member.group):
            yield f"{member.group}{f', {part.name}' if part.name else ''}", part.spec


def _system_priority(plan: Plan, gang: Gang) -> str | None:
    found = priority_class(plan, gang)
    if not found.startswith("system-"):
        return None
    return f'gang "{gang.name}": priorityClassName {found} is for parts of the cluster itself; use a class of your own'


def _unparallel_member(plan: Plan, gang: Gang) -> str | None:
    for member in gang.members:
        workload, spec = plan.workloads[member.group], plan.spec(member.group)
        if workload.get("kind") == "StatefulSet" and spec.get("podManagementPolicy") != "Parallel":
            policy = spec.get("podManagementPolicy", "OrderedReady")
            fault = f"its StatefulSet starts pods one by one (podManagementPolicy {policy}), and a gang all at once"
        elif workload.get("kind") == "Job" and spec.get("completionMode") != "Indexed":
            fault = "its Job is not Indexed"
        elif spec.get("startupPolicy") == "LeaderReady":
            fault = (
                "its LeaderWorkerSet makes workers once their leader is ready (LeaderReady), and a gang starts whole"
            )
        elif workload.get("kind") == "Deployment":
            fault = "a Deployment replaces pods by new ones beside the old, which a gang has no room for"
        else:
            continue
        return f'gang "{gang.name}", member "{member.group}": {fault}; use the chart of this tool, unpatched'
    return None


def _required_affinity(plan: Plan, gang: Gang) -> str | None:
    for name, spec in _pods(plan, gang):
        affinity = walk.mapping(spec, "affinity", "podAffinity")
        if affinity.get("requiredDuringSchedulingIgnoredDuringExecution"):
            return (
                f'gang "{gang.name}", member "{name}": required pod affinity may hold a gang for ever '
                "(the first domain that is tried is kept, also when it is too small); use preferred pod affinity "
                "under environment.affinity, or a node selector"
            )
    return None


def _foreign_scheduler(plan: Plan, gang: Gang, own: str) -> str | None:
    for name, spec in _pods(plan, gang):
        for field in ("nodeName", "schedulerName"):
            found = spec.get(field)
            if found and (field, found) != ("schedulerName", own):
                return (
                    f'gang "{gang.name}", member "{name}": {field} {found} of its pods means that the '
                    f"scheduler of this gang does not place them; remove the patch that sets it"
                )
    return None


def hard_spreads(plan: Plan, gang: Gang) -> list[str]:
    """Return the members whose pods must be spread (topologySpreadConstraints with DoNotSchedule)."""
    return [
        member.group
        for member in gang.members
        if any(
            rule.get("whenUnsatisfiable", "DoNotSchedule") == "DoNotSchedule"
            for spec in plan.pod_specs(member.group)
            for rule in walk.sequence(spec, "topologySpreadConstraints")
        )
    ]
