"""The state of a live operation: per group, and the operation's verdict.

A *service* with routers is ready when every router has a ready pod and so has each group that it requires
(annotation ``helm-roster.dev/requires``); without a router, when every primary group has all its pods ready. A *job* is
complete when the Jobs of all primary groups are, and failed when one of them is. Anything in between:

| verdict | meaning |
|---|---|
| NotFound | no object carries the operation's name |
| Terminating | what is left of it is being deleted |
| Ready | ready (service), with every pod that was asked for |
| Running | every pod that was asked for runs or has ended well (job) |
| Degraded | it serves or runs with fewer pods than asked for, or not all of its routers serve |
| Suspended | groups are kept out until somebody resumes them (`helm roster resume`) |
| Failing | it does not, and a group crashes, is missing, or cannot be placed any more: waiting does not help |
| WaitingForQuota | pods are not admitted yet |
| WaitingForPlacement | pods have no node yet |
| Starting | all pods have nodes, not all are ready |
| Complete, Failed | the ends of a job |
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal

from helm_roster import constants
from helm_roster.manifests import walk
from helm_roster.manifests.walk import Manifest
from helm_roster.model import wording
from helm_roster.model.live import Live, LiveGroup
from helm_roster.policy import events, filling, pods, replicas, rollouts
from helm_roster.policy.events import Event
from helm_roster.policy.pods import Hold, Problem

Verdict = Literal[
    "NotFound",
    "Terminating",
    "Ready",
    "Running",
    "Degraded",
    "Suspended",
    "Failing",
    "WaitingForQuota",
    "WaitingForPlacement",
    "Starting",
    "Complete",
    "Failed",
]

_QUOTA_WORDS: Final = "exceeded quota"
REQUIRED_AT_NONE: Final = "it is required, and scaled to zero"


@dataclass(frozen=True, kw_only=True)
class GroupHealth:
    """One group. All counts are pods; ``pods`` leaves out those that have ended or are being deleted.

    But for ``ready_replicas``: where a replica spans pods (``pods_per_replica``) it serves when all of them are ready.
    """

    name: str
    workload: str = ""
    kind: str = ""
    lifecycle: str = "primary"
    router: bool = False
    requires: tuple[str, ...] = ()
    gang: str = ""
    autoscaler: str = ""
    desired: int = 0
    pods: int = 0
    placed: int = 0
    ready: int = 0
    pods_per_replica: int = 1
    ready_replicas: int = 0
    succeeded: int = 0
    terminating: int = 0
    restarts: int = 0
    ended: Literal["", "Complete", "Failed"] = ""
    leaving: bool = False
    suspended: bool = False
    problems: tuple[Problem, ...] = ()
    holds: tuple[Hold, ...] = ()
    events: tuple[Event, ...] = ()

    @property
    def missing(self) -> bool:
        """Return whether the group's workload object is gone although the group was not removed."""
        return not self.workload and not self.leaving

    @property
    def whole(self) -> bool:
        """Return whether every pod that was asked for is ready or has ended well."""
        if self.missing or self.suspended:
            return False
        return self.ended == "Complete" or self.ready + self.succeeded >= self.desired

    @property
    def faulty(self) -> bool:
        """Return whether something is wrong now that waiting does not cure."""
        return self.missing or any(not problem.recovered for problem in self.problems)


@dataclass(frozen=True, kw_only=True)
class Health:
    """The operation. ``ready`` follows the rules above whatever the verdict; ``broken`` are faults of gangs."""

    kind: str
    verdict: Verdict
    ready: bool
    groups: tuple[GroupHealth, ...]
    broken: tuple[str, ...] = ()

    def held(self, stage: str) -> Iterator[tuple[GroupHealth, Hold]]:
        """Yield what waits at ``stage`` (quota, placement or readiness), group by group."""
        for group in self.groups:
            for hold in group.holds:
                if hold.stage == stage:
                    yield group, hold


def assess(
    live: Live,
    *,
    notes: Mapping[str, str] | None = None,
    broken: Sequence[str] = (),
    quota: Mapping[str, str] | None = None,
) -> Health:
    """Return the operation's health.

    Args:
        live: What the cluster holds.
        notes: By group, why its controller could not create pods (the message of its last FailedCreate event).
        broken: What backends say of gangs that cannot go on, a line each.
        quota: By group, what admission says of its quota, of which its pods know no more than that they wait.
    """
    staying = (found.workload for found in live.groups.values() if not _leaving(found))
    required = {name for workload in staying for name in _requires(workload)}
    absent = [LiveGroup(name=name, workload=None) for name in sorted(required - set(live.groups))]
    found = [*sorted(live.groups.values(), key=lambda group: group.name), *absent]
    said = quota or {}
    judged = (_group(group, (notes or {}).get(group.name, ""), said.get(group.name, "")) for group in found)
    groups = tuple(_asleep(group) if group.name in required else group for group in judged)
    kind = next(
        (text for group in found if (text := _annotation(group.workload, constants.KIND_ANNOTATION))), "service"
    )
    ready = _all_whole(groups) if _is_job(kind) else _service_ready(groups)
    verdict = _verdict(live, kind, groups, ready=ready, broken=bool(broken))
    return Health(kind=kind, verdict=verdict, ready=ready, groups=groups, broken=tuple(broken))


def _is_job(kind: str) -> bool:
    return kind == "job"


def _verdict(live: Live, kind: str, groups: Sequence[GroupHealth], *, ready: bool, broken: bool) -> Verdict:
    staying = [group for group in groups if not group.leaving]
    if not staying:
        return "Terminating" if groups or live.grouping else "NotFound"
    if _is_job(kind) and (ended := _job_end(staying)):
        return ended
    faulty = broken or any(group.faulty for group in staying) or _requires_nothing(staying)
    if all(group.whole for group in staying) and not faulty:
        return "Running" if _is_job(kind) else "Ready"
    if _serves(staying, ready=ready):
        return "Degraded"
    if any(group.suspended for group in staying):
        return "Suspended"
    return "Failing" if faulty else _waits_for(staying)


def _waits_for(groups: Sequence[GroupHealth]) -> Verdict:
    stages = {hold.stage for group in groups for hold in group.holds}
    if "quota" in stages:
        return "WaitingForQuota"
    return "WaitingForPlacement" if "placement" in stages else "Starting"


def _job_end(groups: Sequence[GroupHealth]) -> Verdict | None:
    primary = [group for group in groups if group.lifecycle == "primary"]
    if any(group.ended == "Failed" for group in primary):
        return "Failed"
    return "Complete" if primary and all(group.ended == "Complete" for group in primary) else None


def _requires_nothing(groups: Sequence[GroupHealth]) -> bool:
    """Return whether a group is required that is scaled to zero, for good: who requires it will never be ready."""
    required = {name for group in groups for name in group.requires}
    return any(group.name in required and not group.desired and not group.autoscaler for group in groups)


def _serves(groups: Sequence[GroupHealth], *, ready: bool) -> bool:
    """Return whether it does its work at least in part.

    It is ready, or one of its routers serves, or (without a router) some pods of every group run.
    """
    if routers := _routers(groups):
        return ready or any(_all_ready(groups, [router]) for router in routers)
    return ready or all(group.whole or group.ready_replicas for group in groups)


def _service_ready(groups: Sequence[GroupHealth]) -> bool:
    if routers := _routers(groups):
        return _all_ready(groups, routers)
    return _all_whole([group for group in groups if group.lifecycle == "primary"])


def _routers(groups: Sequence[GroupHealth]) -> list[GroupHealth]:
    return [group for group in groups if group.router and not group.leaving]


def _all_ready(groups: Sequence[GroupHealth], routers: Sequence[GroupHealth]) -> bool:
    """Return whether each of the routers has a ready replica, and so has each group that they require."""
    needed = {name for router in routers for name in (router.name, *router.requires)}
    return all(group.ready_replicas > 0 for group in groups if group.name in needed)


def _all_whole(groups: Sequence[GroupHealth]) -> bool:
    staying = [group for group in groups if not group.leaving]
    return bool(staying) and all(group.whole for group in staying)


def _group(whole: LiveGroup, note: str, quota: str) -> GroupHealth:
    group = rollouts.of_this_run(whole)
    workload = group.workload
    active = [pod for pod in group.pods if pods.is_active(pod)]
    desired = _desired(workload)
    suspended = _suspended(group)
    succeeded = sum(map(pods.has_succeeded, group.pods))
    lacking = len(active) + succeeded < desired and not end_of(workload)
    holds = [hold for pod in active if (hold := pods.hold(pod))]
    holds += [*_workload_holds(workload, lacking, note), *filling.holds(group)]
    # Of pods that wait for quota that is all that counts, once it is told why.
    waiting = {pod for hold in holds if hold.stage == "quota" for pod in hold.pods} if suspended or quota else set()
    if suspended:
        holds = [*(hold for hold in holds if hold.stage != "quota"), _kept_out(workload, active)]
    elif quota:
        holds = [replace(hold, message=quota) if hold.stage == "quota" else hold for hold in holds]
    return GroupHealth(
        name=group.name,
        workload=str(walk.get(workload, "metadata", "name", default="")),
        kind=str(walk.get(workload, "kind", default="")),
        lifecycle=_annotation(workload, constants.LIFECYCLE_ANNOTATION) or "primary",
        router=_annotation(workload, constants.ROUTER_ANNOTATION) == "true",
        requires=_requires(workload),
        gang=whole.gang,
        autoscaler=whole.autoscaler,
        desired=desired,
        pods=len(active),
        placed=sum(map(pods.is_placed, active)),
        ready=sum(map(pods.is_ready, active)),
        pods_per_replica=replicas.size(workload),
        ready_replicas=replicas.ready(workload, active),
        succeeded=succeeded,
        terminating=sum(map(pods.is_terminating, whole.pods)),
        restarts=sum(map(pods.restarts, group.pods)),
        ended=end_of(workload),
        leaving=_leaving(group),
        suspended=suspended,
        problems=pods.fold_problems(
            [*_pod_problems(group, desired), *_workload_problems(workload, lacking, note), *filling.problems(group)]
        ),
        holds=pods.fold_holds(holds),
        events=events.current(
            group.events,
            [pod for pod in active if pods.name(pod) not in waiting],
            whole=not lacking,
            ready=sum(map(pods.is_ready, active)) + succeeded >= desired,
        ),
    )


def _asleep(group: GroupHealth) -> GroupHealth:
    """Return a group that is required, with what is waited for where it is scaled to none."""
    if group.desired or group.suspended or group.missing or group.leaving:
        return group
    message = REQUIRED_AT_NONE
    if group.autoscaler:
        message = f"it is required, and scaled to none until its autoscaler ({group.autoscaler}) raises it"
    return replace(group, holds=(*group.holds, Hold(stage="readiness", message=message)))


def _suspended(group: LiveGroup) -> bool:
    """Return whether the group is kept out as its workload says: who let it in otherwise may have left the mark."""
    mark = _annotation(group.workload, constants.SUSPENDED_ANNOTATION)
    if mark.isdigit():
        return not _desired(group.workload)
    return bool(mark) and not any(pods.is_active(pod) and pods.is_placed(pod) for pod in group.pods)


def _kept_out(workload: Manifest | None, active: Sequence[Manifest]) -> Hold:
    count = _annotation(workload, constants.SUSPENDED_ANNOTATION)
    before = f" ({wording.counted(int(count), 'replica')})" if count.isdigit() else ""
    message = f"suspended{before}"
    return Hold(stage="quota", message=message, pods=tuple(pods.name(pod) for pod in active))


def _pod_problems(group: LiveGroup, desired: int) -> Iterator[Problem]:
    """Yield the pods' problems; those of ended pods are over where others took their places, or a Job still retries."""
    taken = sum(pods.is_active(pod) or pods.has_succeeded(pod) for pod in group.pods) >= desired
    replaced = taken or _retries(group.workload)
    for pod in group.pods:
        if pods.is_terminating(pod):
            continue
        ended = pods.phase(pod) == "Failed"
        for problem in pods.problems(pod):
            recovered = (ended and replaced) or (not ended and problem.recovered)
            yield Problem(**{**vars(problem), "recovered": recovered})


def _workload_problems(workload: Manifest | None, lacking: bool, note: str) -> Iterator[Problem]:  # noqa: FBT001
    for condition in _conditions(workload):
        kind, status, reason = (str(condition.get(key) or "") for key in ("type", "status", "reason"))
        message = str(condition.get("message") or "")
        if (kind, status) == ("Failed", "True") or reason == "ProgressDeadlineExceeded":
            yield Problem(reason=reason or kind, message=message)
    message = note or _replica_failure(workload)
    if lacking and message and _QUOTA_WORDS not in message:
        yield Problem(reason=events.FAILED_CREATE, message=message)


def _workload_holds(workload: Manifest | None, lacking: bool, note: str) -> Iterator[Hold]:  # noqa: FBT001
    message = note or _replica_failure(workload)
    if lacking and _QUOTA_WORDS in message:
        yield Hold(stage="quota", message=message)
    if walk.get(workload, "spec", "suspend") is True and not end_of(workload):
        yield Hold(stage="quota", message="its Job is suspended")
    if old := rollouts.paused(workload):
        left = wording.counted(old, "pod")
        name = walk.get(workload, "metadata", "name")
        message = f"its rollout is paused, with {left} of an old template: kubectl rollout resume deployment/{name}"
        yield Hold(stage="readiness", message=message)


def _conditions(workload: Manifest | None) -> list[Manifest]:
    """Return the workload's conditions; none while they are of an older spec than the one that it has now."""
    return walk.mappings(workload or {}, "status", "conditions") if rollouts.is_observed(workload) else []


def _replica_failure(workload: Manifest | None) -> str:
    failed = (
        entry
        for entry in _conditions(workload)
        if entry.get("type") == "ReplicaFailure" and entry.get("status") == "True"
    )
    return str(next(failed, {}).get("message") or "")


def _desired(workload: Manifest | None) -> int:
    if workload is None:
        return 0
    if walk.get(workload, "kind") == "Job":
        completions = walk.get(workload, "spec", "completions")
        return int(completions if completions is not None else walk.get(workload, "spec", "parallelism", default=1))
    return replicas.pods_wanted(workload)


def end_of(workload: Manifest | None) -> Literal["", "Complete", "Failed"]:
    """Return how a Job has ended by its own conditions; empty while it has not, and for other kinds."""
    for condition in walk.mappings(workload or {}, "status", "conditions"):
        if condition.get("status") == "True" and condition.get("type") in {"Complete", "Failed"}:
            return "Complete" if condition["type"] == "Complete" else "Failed"
    return ""


def _retries(workload: Manifest | None) -> bool:
    """Return whether a Job replaces pods that fail: until it fails itself, which ``FailureTarget`` says first."""
    if walk.get(workload, "kind") != "Job" or pods.is_terminating(workload or {}):
        return False
    conditions: list[Manifest] = walk.mappings(workload or {}, "status", "conditions")
    failing = {str(entry.get("type")) for entry in conditions if entry.get("status") == "True"}
    return not failing & {"Failed", "FailureTarget"}


def _leaving(group: LiveGroup) -> bool:
    """Return whether the group is on its way out: its workload is deleted, or only terminating pods are left."""
    if group.workload is not None:
        return pods.is_terminating(group.workload)
    return bool(group.pods) and all(map(pods.is_terminating, group.pods))


def _annotation(workload: Manifest | None, key: str) -> str:
    return str(walk.get(workload, "metadata", "annotations", key, default=""))


def _requires(workload: Manifest | None) -> tuple[str, ...]:
    listed = _annotation(workload, constants.REQUIRES_ANNOTATION).split(",")
    return tuple(name.strip() for name in listed if name.strip())
