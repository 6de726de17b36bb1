"""What Kueue cannot keep, in words: pure, of the plan alone.

Measured on Kueue 0.17.0: a group of pods has one size for ever, and what is above it is deleted at once.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from helm_roster.backends.kueue import kinds, shapes
from helm_roster.manifests import walk
from helm_roster.model.operation import Gang, Member
from helm_roster.model.plan import Plan, groups_of, groups_outside, pod_templates
from helm_roster.model.wording import few
from helm_roster.policy import device_claims, gangs, localities

# Kueue 0.17 takes so many pod sets in one Workload.
_MOST_ROLES: Final = 8
_NAME: Final = re.compile(r"[a-z0-9]([-.a-z0-9]{0,61}[a-z0-9])?")
_ALONE: Final = {
    "queue": "no scheduler of this operation reads one",
    "minResources": "Kueue itself waits for all of a gang's resources",
    "stalenessGracePeriod": "Kueue evicts no gang that is below its size",
    "preemption": "Kueue always takes all of a gang",
}


def check(plan: Plan) -> list[str]:
    """Return what is refused, one line each."""
    return [
        *_names(plan),
        *_foreign(plan),
        *_spanning(plan),
        *_claimed(plan),
        *(refusal for gang in plan.operation.gangs for refusal in _of_gang(plan, gang)),
        *gangs.unparallel_members(plan),
        *(_unplaced(plan) if plan.operation.placement_backend == "default" else ()),
        *_run_times(plan),
    ]


def _names(plan: Plan) -> Iterator[str]:
    """Yield queues and classes that no label can hold, and a queue that is missing."""
    operation = plan.operation
    at = operation.at("scheduling.admission")
    if not operation.admission.get("queue"):
        yield f"{at}.queue is missing: set it to a LocalQueue of the namespace, through which Kueue admits pods"
    for where, said in shapes.places(plan):
        for key in ("queue", "priorityClass"):
            if (name := str(said.get(key) or "")) and not _NAME.fullmatch(name):
                yield (
                    f"{where}.{key} is {name!r}, which pods cannot carry as a label: at most 63 lower-case letters, "
                    "digits, dots and dashes, letter or digit at the ends"
                )


def _foreign(plan: Plan) -> Iterator[str]:
    """Yield marks of Kueue that are not ours: they would change what is counted, or who is."""
    for group in groups_of(plan):
        workload = plan.workloads[group.name]
        environment = plan.operation.at(f"groups.{group.name}.environment.")
        # A patch of the workload may be it, too; one of the pods is refused as a patch.
        patches = [str(patch) for patch in plan.operation.patches if patch.group == group.name]
        templates = ((template, environment) for template in pod_templates(workload).values())
        for node, at in ((workload, plan.operation.at("")), *templates):
            beside = f" or {few(patches, by=' or ')}" if patches and node is workload else ""
            for part in ("labels", "annotations"):
                found = sorted(key for key in walk.mapping(node, "metadata", part) if key.startswith(kinds.PREFIX))
                if found:
                    named = ", ".join(found)
                    yield f'group "{group.name}": {at}{part}{beside} sets {named}, but admission decides it: remove it'


def _spanning(plan: Plan) -> Iterator[str]:
    """Yield groups whose replicas span pods: of these nobody asked yet how Kueue admits them."""
    for group in groups_of(plan):
        if group.workload.kind == "LeaderWorkerSet" and plan.operation.admission_of(group.name):
            at = plan.operation.at(f"groups.{group.name}")
            yield (
                f'group "{group.name}": it is a LeaderWorkerSet, and for the pods of one this version asks no quota: '
                f"set {at}.admission to none and keep it out of gangs, or give it one pod a replica, without workload: "
                "LeaderWorkerSet"
            )


def _claimed(plan: Plan) -> Iterator[str]:
    """Yield groups whose accelerators no quota would count.

    Kueue 0.17.0 admits pods with claims and counts nothing of them; with its alpha gate DynamicResourceAllocation it
    knows no selectors, constraints and parameters, and holds back what has some.
    """
    for group in groups_of(plan):
        if (of := device_claims.accelerators(group)) and plan.operation.admission_of(group.name):
            at = plan.operation.at(f"groups.{group.name}")
            yield (
                f'group "{group.name}": its accelerators are claimed ({of}), and Kueue counts no claims, so they would '
                f"be used beside the quota: take a preset with accelerator.resource, or set {at}.admission to none and "
                "keep it out of gangs"
            )


def _of_gang(plan: Plan, gang: Gang) -> Iterator[str]:
    at = f'gang "{gang.name}"'
    if len(gang.members) > _MOST_ROLES:
        yield (
            f"{at}: {len(gang.members)} members, and Kueue 0.17 admits at most {_MOST_ROLES} together: make some of "
            "them groups outside the gang"
        )
    for member in gang.members:
        yield from _resized(plan, gang, member)
    if shapes.is_own_job(plan, gang):
        return
    kept = [name for name in shapes.jobs(plan, gang) if plan.spec(name).get("ttlSecondsAfterFinished") is not None]
    if kept:
        yield (
            f"{at}: ttlSecondsAfterFinished deletes the Job of {', '.join(kept)} while others of the gang may run, "
            f"and Kueue would hold the quota of those for ever: remove {plan.operation.at('operation.job')}."
            "ttlSecondsAfterFinished"
        )
    if shapes.jobs(plan, gang) and not plan.operation.admission.get("maxRunTime"):
        yield from _counting(plan, gang)


def _counting(plan: Plan, gang: Gang) -> Iterator[str]:
    """Yield Jobs that cannot but count the pods which Kueue deletes as failed."""
    at = f'gang "{gang.name}"'
    for name in shapes.jobs(plan, gang):
        counts = f"{at}: the Job of {name} could not spare pods that Kueue deletes, which would count as failed, with"
        policy = plan.spec(name).get("podReplacementPolicy")
        if policy not in {None, "Failed"}:
            yield f"{counts} {plan.operation.at('operation.job.podReplacementPolicy')} {policy}: remove it"
        if plan.pod_specs(name)[0].get("restartPolicy") == "OnFailure":
            yield f"{counts} restartPolicy OnFailure: leave it Never"


def _resized(plan: Plan, gang: Gang, member: Member) -> Iterator[str]:
    group, name = plan.operation.groups[member.group], member.group
    at = f'gang "{gang.name}", member "{name}"'
    base = member.minimum // group.pods_per_replica
    why = "but Kueue admits a gang of one size, all of its pods or none"
    if group.autoscaling:
        yield (
            f"{at}: it is autoscaled, {why}: declare {name} with replicas {base} and without autoscaling, and "
            f"autoscale {name}-extra, a group outside the gang"
        )
    elif member.minimum < group.pods:
        yield (
            f"{at}: min {member.minimum} of {group.pods} pods, {why}: declare {name} with replicas {base} and "
            f"{name}-extra, with the other {group.replicas - base}, as a group outside the gang"
        )
    elif member.elastic:
        yield f"{at}: elastic is true, {why}: leave elastic out"


def _unplaced(plan: Plan) -> Iterator[str]:
    """Yield what nobody would place together: of gangs, Kueue itself places one group within one domain only."""
    operation = plan.operation
    if operation.gangs:
        yield from gangs.unkept(plan, _ALONE)
        yield from localities.unlabelled(plan)
        yield from localities.segments(plan)
    for gang in operation.gangs:
        found = [locality for _, locality in localities.of_gang(gang)]
        if len(gang.members) > 1 or len(found) != 1 or not found[0].required:
            yield (
                f'gang "{gang.name}": once admitted, nothing would place its pods together: set '
                f"{operation.at('scheduling.placement.backend')} to one that places gangs, or make it a gang of one "
                "group with one locality that is required, which Kueue places itself"
            )


def _run_times(plan: Plan) -> Iterator[str]:
    """Yield run times that end nothing: what a StatefulSet or Deployment makes anew is admitted and runs again."""
    operation = plan.operation
    again = "and what Kueue stops there is made anew and runs again: only Jobs end by it"
    for group in groups_outside(plan):
        if group.admission.get("maxRunTime") and group.workload.kind != "Job":
            at = operation.at(f"groups.{group.name}.admission.maxRunTime")
            yield f"{at} is given, but the group is a {group.workload.kind}, {again}: remove it"
    if not operation.admission.get("maxRunTime"):
        return
    at = operation.at("scheduling.admission.maxRunTime")
    if not any(group.workload.kind == "Job" and operation.admission_of(group.name) for group in groups_of(plan)):
        yield f"{at} is given, but no group is a Job, {again}: remove it"
        return
    for gang in operation.gangs:
        others = [member.group for member in gang.members if member.group not in shapes.jobs(plan, gang)]
        retried = [name for name in shapes.jobs(plan, gang) if plan.spec(name).get("backoffLimit") != 0]
        if others:
            yield f'{at} is given, but {", ".join(others)} of gang "{gang.name}" is no Job, {again}: remove it'
        elif retried and not shapes.is_own_job(plan, gang):
            yield (
                f'{at} is given, but the Jobs of gang "{gang.name}" would make their pods anew: set '
                f"{operation.at('operation.job.backoffLimit')} to 0, or remove it"
            )
