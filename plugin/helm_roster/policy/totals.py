"""What an operation asks for: pods, accelerators by model, CPU and memory; steady, at the start, at the rollout's peak.

Counts come from the rendered pods by the scheduler's own formula (KEP-753): the larger of the biggest init
container and the sum of the main ones, native sidecars counted beside both, plus the pod's overhead. A container
without requests counts by its limits, as the API server fills them in.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from helm_roster import errors
from helm_roster.manifests import quantities
from helm_roster.model.operation import Group
from helm_roster.model.plan import Plan, groups_of

Resources = Mapping[str, Fraction]


@dataclass(frozen=True, kw_only=True)
class Sum:
    """Pods and what they request. ``resources`` maps resource names to amounts.

    ``accelerators`` counts devices by the model that a preset names, else by their resource.
    """

    pods: int = 0
    resources: Resources = field(default_factory=dict)
    accelerators: Mapping[str, int] = field(default_factory=dict)

    def __add__(self, other: Sum) -> Sum:
        """Return both together."""
        return Sum(
            pods=self.pods + other.pods,
            resources=_added(self.resources, other.resources),
            accelerators=dict(Counter(self.accelerators) + Counter(other.accelerators)),
        )

    def times(self, count: int) -> Sum:
        """Return this, ``count`` times."""
        return Sum(
            pods=self.pods * count,
            resources={name: amount * count for name, amount in self.resources.items()},
            accelerators={model: number * count for model, number in self.accelerators.items() if number * count},
        )


@dataclass(frozen=True, kw_only=True)
class Totals:
    """Sums by group, and over the whole operation in three moments."""

    groups: Mapping[str, Sum]
    steady: Sum
    minimum_to_start: Sum
    rollout_peak: Sum


def count(plan: Plan) -> Totals:
    """Return the totals of ``plan``.

    Raises:
        BadInputError: A quantity in a pod is no Kubernetes quantity.
    """
    pod = {group.name: _pod(plan, group) for group in groups_of(plan)}
    steady = {group.name: pod[group.name].times(group.pods) for group in groups_of(plan)}
    start = minimum_pods(plan)
    surge = {group.name: surge_pods(plan, group) for group in groups_of(plan)}
    whole = _sum(steady.values())
    return Totals(
        groups=steady,
        steady=whole,
        minimum_to_start=_sum(pod[name].times(pods) for name, pods in start.items()),
        rollout_peak=whole + _sum(pod[name].times(pods) for name, pods in surge.items()),
    )


def minimum_pods(plan: Plan) -> dict[str, int]:
    """Return, by group, the pods without which the operation does nothing useful.

    These are the gangs' minima, the routers with one replica of each group that they require, and all pods of
    primary Jobs outside gangs. Where none of that applies (a service without router), one replica of each group.
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
            minima.setdefault(group.name, _one_replica(group))
    return {name: pods for name, pods in minima.items() if pods}


def _one_replica(group: Group) -> int:
    return min(group.pods, group.pods_per_replica)


def surge_pods(plan: Plan, group: Group) -> int:
    """Return how many pods a rolling update may add: ⌈maxSurge⌉ of a Deployment, none elsewhere."""
    if group.workload.kind != "Deployment":
        return 0
    strategy = plan.spec(group.name).get("strategy") or {}
    if strategy.get("type") == "Recreate":
        return 0
    surge = (strategy.get("rollingUpdate") or {}).get("maxSurge", "25%")
    if isinstance(surge, str) and surge.endswith("%"):
        return math.ceil(Fraction(surge.removesuffix("%")) * group.replicas / 100)
    return int(surge)


def _pod(plan: Plan, group: Group) -> Sum:
    try:
        resources = pod_requests(plan.pod_spec(group.name))
    except errors.BadInputError as cause:
        msg = f'group "{group.name}", resources: {cause}'
        raise errors.BadInputError(msg) from cause
    held = group.accelerator
    models = {held.resource: held.model} if held else {}
    devices = {name: int(amount) for name, amount in resources.items() if _is_extended(name) and amount}
    counted = {models.get(name, name): number for name, number in devices.items()}
    return Sum(pods=1, resources=resources, accelerators=counted)


def _is_extended(resource: str) -> bool:
    """Return whether this is a device: extended resources, and only they, have a domain of their own in the name."""
    domain, slash, _ = resource.partition("/")
    return bool(slash) and not (domain == "kubernetes.io" or domain.endswith(".kubernetes.io"))


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
    return _added(steady, _amounts(spec.get("overhead")))


def _requests(container: Mapping[str, Any]) -> Resources:
    resources = container.get("resources") or {}
    return {**_amounts(resources.get("limits")), **_amounts(resources.get("requests"))}


def _amounts(entries: Mapping[str, Any] | None) -> Resources:
    return {name: _amount(name, amount) for name, amount in (entries or {}).items()}


def _amount(name: str, amount: object) -> Fraction:
    try:
        found = quantities.parse(amount)
    except errors.BadInputError as cause:
        msg = f"{name}: {cause}"
        raise errors.BadInputError(msg) from cause
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


def _added(left: Resources, right: Resources) -> Resources:
    return {name: left.get(name, Fraction()) + right.get(name, Fraction()) for name in (*left, *right)}


def _larger(left: Resources, right: Resources) -> Resources:
    return {name: max(left.get(name, Fraction()), right.get(name, Fraction())) for name in (*left, *right)}
