"""What an operation asks for: pods, accelerators by model, and every other resource; in its three moments.

Counts come from the rendered pods by the scheduler's own formula (KEP-753): the larger of the biggest init
container and the sum of the main ones, native sidecars counted beside both, plus the pod's overhead. A container
without requests counts by its limits, as the API server fills them in. What the pod as a whole requests (KEP-2837) wins
over its containers; its limits count where neither says anything.

Which devices are accelerators ``policy.accelerators`` tells. Whatever is neither that nor an ordinary resource is a
companion: other devices, huge pages.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Final

from helm_roster import errors
from helm_roster.manifests import quantities, walk
from helm_roster.model.devices import Accelerator, Claim
from helm_roster.model.operation import Group, Operation
from helm_roster.model.plan import LEADER, Part, Plan, groups_of
from helm_roster.policy import accelerators, filled

Resources = Mapping[str, Fraction]
_COUNT_OR_SHARE = re.compile(r"[0-9]+%?", re.ASCII)

# Where a kind that adds pods while it rolls says how many, and Kubernetes' default.
_SURGES: Final = {
    "Deployment": ("strategy", "rollingUpdate", "25%"),
    "LeaderWorkerSet": ("rolloutStrategy", "rollingUpdateConfiguration", "0"),
}
_ORDINARY: Final = frozenset({"cpu", "memory", "ephemeral-storage"})


@dataclass(frozen=True, kw_only=True)
class Sum:
    """Pods and what they request. ``resources`` maps resource names to amounts.

    Amounts are in the base unit of each resource: cores of CPU, bytes of memory, storage and huge pages, devices.
    ``accelerators`` counts devices by the model that a preset names, else by their resource; ``other`` holds what is
    neither that nor CPU, memory or ephemeral storage. Devices that are claimed are in these two alone. ``nodes`` are
    those that pods take whole, one each.
    """

    pods: int = 0
    nodes: int = 0
    resources: Resources = field(default_factory=dict)
    accelerators: Mapping[str, int] = field(default_factory=dict)
    other: Resources = field(default_factory=dict)

    def __add__(self, other: Sum) -> Sum:
        """Return both together."""
        return Sum(
            pods=self.pods + other.pods,
            nodes=self.nodes + other.nodes,
            resources=_added(self.resources, other.resources),
            accelerators=dict(Counter(self.accelerators) + Counter(other.accelerators)),
            other=_added(self.other, other.other),
        )

    def times(self, count: int) -> Sum:
        """Return this, ``count`` times."""
        return Sum(
            pods=self.pods * count,
            nodes=self.nodes * count,
            resources=_times(self.resources, count),
            accelerators={model: number * count for model, number in self.accelerators.items() if number * count},
            other={name: amount for name, amount in _times(self.other, count).items() if amount},
        )


@dataclass(frozen=True, kw_only=True)
class Totals:
    """Sums by group, and over the whole operation in three moments; in a fourth where autoscalers may add pods.

    ``leaders`` are the parts of groups whose leaders ask for something else than their workers; ``fills`` the pods of
    the Jobs that fill connections, by connection. These end, so they count in the minimum to start and the peak alone.
    """

    groups: Mapping[str, Sum]
    leaders: Mapping[str, Sum]
    fills: Mapping[str, Sum]
    steady: Sum
    minimum_to_start: Sum
    rollout_peak: Sum
    at_most: Sum | None = None


def count(plan: Plan, fills: Mapping[str, dict[str, Any]] | None = None) -> Totals:
    """Return the totals of ``plan``; ``fills`` are the pods that fill connections (see ``Totals``).

    Raises:
        BadInputError: A quantity in a pod is no Kubernetes quantity.
    """
    groups = groups_of(plan)
    sized = {group.name: _Sized(plan, group) for group in groups}
    steady = {group.name: sized[group.name].of(group.pods) for group in groups}
    start = minimum_pods(plan)
    surge = {group.name: surge_pods(plan, group) for group in groups}
    whole = _sum(steady.values()) + _shared(plan, {group.name: group.pods for group in groups})
    filling = {name: _pod(Part(name="", count=1, spec=spec), f"fill of {name}") for name, spec in (fills or {}).items()}
    needed = _sum(
        one for name, one in filling.items() if any(filled.waits(plan.pod_specs(group), name) for group in start)
    )
    return Totals(
        groups=steady,
        fills=filling,
        leaders={group.name: found for group in groups if (found := sized[group.name].leaders(group.replicas))},
        steady=whole,
        minimum_to_start=_sum(sized[name].of(pods) for name, pods in start.items()) + needed + _shared(plan, start),
        rollout_peak=whole + _sum(sized[name].of(pods) for name, pods in surge.items()) + _sum(filling.values()),
        at_most=_at_most(plan, sized),
    )


class _Sized:
    """What the pods of one group request, by their part in its replicas."""

    def __init__(self, plan: Plan, group: Group) -> None:
        self._per_replica = group.pods_per_replica
        self._parts = [(part, _pod(part, group.name)) for part in plan.parts(group.name)]

    def of(self, pods: int) -> Sum:
        """Return what so many pods request: whole replicas, and workers of one more."""
        replicas, rest = divmod(pods, self._per_replica)
        _, last = self._parts[-1]
        return _sum([*(one.times(part.count * replicas) for part, one in self._parts), last.times(rest)])

    def leaders(self, replicas: int) -> Sum | None:
        """Return what the leaders of so many replicas request; None where they ask for, and hold, what workers do."""
        (first, one), *others = self._parts
        mine = (one, in_memory(first.spec))
        if first.name != LEADER or all(mine == (other, in_memory(part.spec)) for part, other in others):
            return None
        return one.times(replicas)


def quantities_of(plan: Plan, pods: Mapping[str, int]) -> dict[str, str]:
    """Return what so many pods of each group request together, by resource, as Kubernetes writes amounts."""
    asked = _sum(_Sized(plan, plan.operation.groups[name]).of(count) for name, count in pods.items()).resources
    in_bytes = {name for name in asked if name in _ORDINARY - {"cpu"} or name.startswith("hugepages-")}
    return {
        name: (quantities.format_memory if name in in_bytes else quantities.format_cpu)(amount)
        for name, amount in sorted(asked.items())
        if amount
    }


def _at_most(plan: Plan, sized: Mapping[str, _Sized]) -> Sum | None:
    """Return the sum with every autoscaled group at its maximum; None where nothing is autoscaled."""
    if not any(group.autoscaling for group in groups_of(plan)):
        return None
    most = {group.name: group.most_pods for group in groups_of(plan)}
    return _sum(sized[name].of(pods) for name, pods in most.items()) + _shared(plan, most)


def _shared(plan: Plan, pods: Mapping[str, int]) -> Sum:
    """Return the devices of the claims that so many pods of each group share."""
    names = set[str]().union(*(plan.shared_claims(name) for name, count in pods.items() if count))
    return _sum(Sum(other=_amounts(plan.operation.claims[name].devices)) for name in sorted(names))


def minimum_pods(plan: Plan) -> dict[str, int]:
    """Return, by group, the pods without which the operation does nothing useful.

    These are the gangs' minima, the routers with one replica of each group that they require, and all pods of
    primary Jobs outside gangs. Where none of that applies (a service without router), one replica of each primary
    group. With each of them comes one replica of every group that its pods wait for, and of those that these need.
    """
    operation = plan.operation
    minima = {member.group: member.minimum for gang in operation.gangs for member in gang.members}
    for group in groups_of(plan):
        if group.router:
            minima.setdefault(group.name, _one_replica(group))
            for required in group.requires:
                minima.setdefault(required, _one_replica(operation.groups[required]))
        elif group.workload.kind == "Job" and group.lifecycle == "primary":
            minima.setdefault(group.name, group.pods)
    if not any(group.router for group in operation.groups.values()) and operation.kind == "service":
        for group in groups_of(plan):
            if group.lifecycle == "primary":
                minima.setdefault(group.name, _one_replica(group))
    for name in _awaited(operation, [name for name, pods in minima.items() if pods]):
        minima.setdefault(name, _one_replica(operation.groups[name]))
    return {name: pods for name, pods in minima.items() if pods}


def _awaited(operation: Operation, names: list[str]) -> list[str]:
    """Return the groups without which pods of those named do not start: whom they wait for, and what these need."""
    found: list[str] = []
    open_ends = [other for name in names for other in operation.groups[name].waits_for]
    while open_ends:
        name = open_ends.pop()
        if name not in found:
            found.append(name)
            open_ends += (*operation.groups[name].waits_for, *operation.groups[name].requires)
    return found


def _one_replica(group: Group) -> int:
    return min(group.pods, group.pods_per_replica)


def surge_pods(plan: Plan, group: Group) -> int:
    """Return how many pods a rolling update may add: ⌈maxSurge⌉, but no more replicas than there are.

    None of a StatefulSet or Job. A new ReplicaSet grows to the replicas at most, whatever the surge would allow
    (kubernetes pkg/controller/deployment/util NewRSNewReplicas), and so does a LeaderWorkerSet (its
    rollingUpdateParameters).
    """
    if group.workload.kind not in _SURGES:
        return 0
    *path, default = _SURGES[group.workload.kind]
    strategy = walk.mapping(plan.spec(group.name), path[0])
    if strategy.get("type") == "Recreate":
        return 0
    surge = str(walk.get(strategy, *path[1:], "maxSurge", default=default))
    if not _COUNT_OR_SHARE.fullmatch(surge):
        msg = f'group "{group.name}": maxSurge is {surge}, neither a number nor a percentage'
        raise errors.BadInputError(msg)
    asked = math.ceil(Fraction(surge.removesuffix("%")) * group.replicas / 100) if surge.endswith("%") else int(surge)
    return min(asked, group.replicas) * group.pods_per_replica


def _pod(part: Part, group: str) -> Sum:
    try:
        resources = pod_requests(part.spec)
    except errors.BadInputError as cause:
        msg = f'group "{group}", resources: {cause}'
        raise errors.BadInputError(msg) from cause
    held = part.accelerator
    devices = {name for name in resources if accelerators.is_one(name, part)}
    asked = Sum(
        pods=1,
        nodes=int(part.fills_node),
        resources=resources,
        accelerators={
            held.model if held and held.resource == name else name: int(resources[name])
            for name in sorted(devices)
            if resources[name]
        },
        other={name: amount for name, amount in resources.items() if amount and name not in devices | _ORDINARY},
    )
    return _sum([asked, *(_claimed(claim, held) for claim in part.claims.values())])


def accelerators_of(part: Part) -> dict[str, int]:
    """Return the accelerators of one pod, by model."""
    return dict(_pod(part, part.name).accelerators)


def _claimed(claim: Claim, held: Accelerator | None) -> Sum:
    """Return what is claimed in pods for which a preset selected ``held``."""
    if not (held and claim.accelerators):
        return Sum(other=_amounts(claim.devices))
    others = Counter(claim.devices) - Counter({held.device_class: claim.accelerators})
    return Sum(accelerators={held.model: claim.accelerators}, other=_amounts(others))


def in_memory(spec: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Return the volumes of a pod that are kept in memory."""
    return [one for one in walk.sequence(spec, "volumes") if walk.get(one, "emptyDir", "medium") == "Memory"]


def pod_requests(spec: Mapping[str, Any]) -> Resources:
    """Return what one pod requests, by resource name."""
    running = _sum_resources(_requests(container) for container in spec.get("containers") or ())
    beside: Resources = {}
    peak: Resources = {}
    for container in spec.get("initContainers") or ():
        asked = _requests(container)
        if container.get("restartPolicy") == "Always":  # A native sidecar runs on beside all that follows.
            beside = _added(beside, asked)
            peak = _larger(peak, beside)
        else:
            peak = _larger(peak, _added(beside, asked))
    steady = _larger(_added(running, beside), peak)
    limits, requests = (_amounts(walk.mapping(spec, "resources", part)) for part in ("limits", "requests"))
    return _added({**limits, **steady, **requests}, _amounts(walk.mapping(spec, "overhead")))


def _requests(container: Mapping[str, Any]) -> Resources:
    limits, requests = (walk.mapping(container, "resources", part) for part in ("limits", "requests"))
    return {**_amounts(limits), **_amounts(requests)}


def _amounts(entries: Mapping[str, Any]) -> Resources:
    return {name: _amount(name, amount) for name, amount in entries.items()}


def _amount(name: str, amount: object) -> Fraction:
    found = quantities.parse(amount, name)
    if found < 0:
        msg = f"{name}: {amount} is negative; write an amount of zero or more"
        raise errors.BadInputError(msg)
    return found


def _sum(parts: Iterable[Sum]) -> Sum:
    return sum(parts, start=Sum())


def _sum_resources(parts: Iterable[Resources]) -> Resources:
    total: Resources = {}
    for part in parts:
        total = _added(total, part)
    return total


def _times(resources: Resources, count: int) -> Resources:
    return {name: amount * count for name, amount in resources.items()}


def _added(left: Resources, right: Resources) -> Resources:
    return {name: left.get(name, Fraction()) + right.get(name, Fraction()) for name in (*left, *right)}


def _larger(left: Resources, right: Resources) -> Resources:
    return {name: max(left.get(name, Fraction()), right.get(name, Fraction())) for name in (*left, *right)}
