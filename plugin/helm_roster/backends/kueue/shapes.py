"""How each part of an operation is admitted: as a Job by itself, as one group of pods, or pod by pod."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from helm_roster.backends.kueue import kinds
from helm_roster.manifests import walk
from helm_roster.manifests.walk import Manifest
from helm_roster.model.operation import Admission, Gang, Group
from helm_roster.model.plan import Plan, groups_of
from helm_roster.policy import localities, names

# What Kueue says of a pod before it deletes it.
_TARGET: Final = "TerminationTarget"


def places(plan: Plan) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield where the values may say how pods are admitted, and what they say there: for all, and for single groups."""
    operation = plan.operation
    yield operation.at("scheduling.admission"), operation.admission
    for group in groups_of(plan):
        yield operation.at(f"groups.{group.name}.admission"), group.admission


def jobs(plan: Plan, gang: Gang) -> list[str]:
    """Return the members of a gang that are Jobs."""
    return [member.group for member in gang.members if plan.operation.groups[member.group].workload.kind == "Job"]


def is_own_job(plan: Plan, gang: Gang) -> bool:
    """Return whether a gang is one Job, which Kueue suspends and admits as a whole itself."""
    return len(gang.members) == 1 == len(jobs(plan, gang))


def group_name(plan: Plan, gang: Gang) -> str:
    """Return the name of a gang's group of pods, which is also that of its Workload.

    Kueue counts sizes and requests once, when all pods are there, and chooses flavors, which are of nodes; so pods of
    others belong to another group. A pod that asks for other nodes than its flavor's would end the whole Workload, and
    wait for ever beside those that run (measured on 0.17.0).
    """
    from helm_roster.policy import node_choice, totals  # noqa: PLC0415  (what they import costs every render)

    fixed = {
        "sizes": {member.group: plan.operation.groups[member.group].pods for member in gang.members},
        "requests": {member.group: totals.quantities_of(plan, {member.group: 1}) for member in gang.members},
        "nodes": {member.group: node_choice.asked(plan.pod_specs(member.group)[0]) for member in gang.members},
        "queue": plan.operation.admission.get("queue"),
        "priorityClass": plan.operation.admission.get("priorityClass"),
        "topology": topology(plan, gang),
    }
    return names.label(names.gang_name(plan.operation, gang, fixed=fixed))


def topology(plan: Plan, gang: Gang) -> str:
    """Return the label of the nodes within which Kueue itself places a gang; empty where a scheduler places it."""
    if plan.operation.placement_backend != "default":
        return ""
    return next((locality.label or "" for _, locality in localities.of_gang(gang) if locality.required), "")


def total(plan: Plan, gang: Gang) -> int:
    """Return of how many pods a gang is."""
    return sum(plan.operation.groups[member.group].pods for member in gang.members)


def labels(group: Group, admission: Admission) -> dict[str, str]:
    """Return what says, on a Job or on pods, how they are admitted."""
    found = {kinds.QUEUE: admission.queue, kinds.PRIORITY: admission.priority_class}
    if group.workload.kind == "Job" and admission.max_run_time:
        found[kinds.MAX_RUN_TIME] = str(admission.max_run_time)
    return {key: value for key, value in found.items() if value}


def spare(workload: Manifest) -> None:
    """Have a Job not count the pods that Kueue deletes as failed: else a few evictions end it, or the first.

    The rule comes first, since the first that applies decides; whoever wrote the same keeps theirs.
    """
    if not is_spared(workload):
        policy = walk.ensure(workload, "spec", "podFailurePolicy")
        policy["rules"] = [_ignored(), *walk.sequence(policy, "rules")]


def is_spared(workload: Manifest) -> bool:
    """Return whether a Job does not count the pods that Kueue deletes."""
    rules = walk.mappings(workload, "spec", "podFailurePolicy", "rules")
    ignored = (rule for rule in rules if rule.get("action") == "Ignore")
    return any(entry.get("type") == _TARGET for rule in ignored for entry in walk.mappings(rule, "onPodConditions"))


def _ignored() -> Mapping[str, object]:
    return {"action": "Ignore", "onPodConditions": [{"type": _TARGET, "status": "True"}]}
