"""A plan as JSON: ``{"apiVersion": "helm-roster.dev/v1alpha1", "kind": "Plan", …}``.

| key | value |
|---|---|
| ``operation`` | ``{name, kind, release, namespace}`` |
| ``placement`` | ``{backend}`` |
| ``admission`` | ``{backend, queue}``: who gives quota before; absent where nobody is asked |
| ``gangs`` | ``[{name, members: [{group, min, elastic, order}]}]``, members in the order of placement, and see below |
| ``groups`` | ``[{name, workload, replicas, podsPerReplica, memoryVolumes, …}]`` and the sums below; workload: a kind |
| ``coordinated`` | ``[{router, groups}]``: groups that are rolled out together; absent where none are |
| ``fills`` | ``[{connection, …}]`` and the sums below: Jobs that fill connections; absent where none do, see below |
| ``totals``, ``minimumToStart``, ``rolloutPeak`` | ``{pods, accelerators, cpu, memory, ephemeralStorage, other}`` |
| ``atMost`` | the same with every autoscaler at its maximum; absent where nothing is autoscaled |
| ``claims`` | ``[{name, group, count, size, kept}]``: volume claims that are made, see below |
| ``guarantees``, ``warnings`` | lists of sentences |
| ``changes`` | with ``--against``: ``{release, revision, groups: [{name, action, objects}], objects, gangs}`` |

``nodes`` beside ``pods`` are those that pods take whole (``fillsNode``), one each; absent where none does.
``accelerators`` maps a model (a resource where no preset names a model) to a number of devices. ``cpu``, ``memory`` and
``ephemeralStorage`` are Kubernetes quantities ("12", "500m", "64Gi"); ``other`` maps every other resource, such as
``vpc.amazonaws.com/efa`` or ``hugepages-2Mi``, to its quantity. ``memoryVolumes`` maps each volume that is kept in
memory (``/dev/shm``) to its size in one pod, null where it has none; what is written there counts as memory. Where the
first pod of each replica asks for something else, or has other volumes in memory, ``leader`` has the sums of these
pods, which are in the group's, and their ``memoryVolumes``; those of the group are then of its other pods. An
autoscaled group has ``autoscaling: {owner, min, max}``, max null where nobody names one.

Pods of ``fills`` end, so they count in ``rolloutPeak``, and in ``minimumToStart`` where that has a pod that waits for
them, and not in ``totals``.

A gang, and a member, may have a ``locality: {within, required}``, with ``segment`` where parts of so many pods are
together; a gang ``minResources`` (true), ``stalenessGracePeriod`` (in seconds, -1 for never) and ``preemption`` (pod or
gang). What the values leave to the backend is absent.

A claim is one of the operation's (``group`` is empty), or each pod of the group has one for its volume ``name``.
``size`` is that of one; ``kept`` ones are there after an uninstall too.

``objects``, of a group or of none, are ``[{kind, name, action, reason, differences: [{path, before, after}]}]``, null
on the side where a value is absent; values of Secrets are not shown. ``action``: ``unchanged``, ``changed`` (in
place), ``scaled`` (nothing but replicas, or no pod to replace), ``rolls`` (pods are replaced), ``recreated`` (another
workload takes its place), ``refused`` (the API server would not take it), ``new``, ``removed``, ``kept`` (removed, but
held by Helm's keep rule). A group is ``new`` or ``removed`` as a whole; else it has the gravest of its objects', where
one that comes or goes beside the workload counts as ``changed``.

``gangs`` of the changes are those that cannot go on as they run, ``[{name, action, reasons, groups}]``: ``restarts``
(``upgrade --recreate`` deletes all pods of ``groups`` at once) or ``refused`` (of Jobs: only a new run replaces them).
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from helm_roster import constants
from helm_roster.manifests import quantities
from helm_roster.model.operation import Gang, Group, Locality, Operation
from helm_roster.model.plan import Plan, groups_of
from helm_roster.policy import shared_memory, totals, wiring
from helm_roster.policy.claims import Claim


def document(
    plan: Plan, sums: totals.Totals, guarantees: list[str], warnings: list[str], volumes: Sequence[Claim] = ()
) -> dict[str, Any]:
    """Return the whole plan, ready for ``json.dumps``."""
    operation = plan.operation
    return {
        "apiVersion": constants.API_VERSION,
        "kind": "Plan",
        "operation": {
            "name": operation.name,
            "kind": operation.kind,
            "release": operation.release,
            "namespace": operation.namespace,
        },
        "placement": {"backend": operation.placement_backend},
        **({"admission": _admission(operation)} if operation.asks_for_quota else {}),
        "gangs": [_gang(gang) for gang in operation.gangs],
        "groups": [_group(plan, group, sums) for group in groups_of(plan)],
        **_coordinated(operation),
        **_fills(sums),
        "totals": amounts(sums.steady),
        "minimumToStart": amounts(sums.minimum_to_start),
        "rolloutPeak": amounts(sums.rollout_peak),
        **({"atMost": amounts(sums.at_most)} if sums.at_most else {}),
        "claims": [dataclasses.asdict(claim) for claim in volumes],
        "guarantees": guarantees,
        "warnings": warnings,
    }


def _fills(sums: totals.Totals) -> dict[str, Any]:
    found = [{"connection": name, **amounts(one)} for name, one in sorted(sums.fills.items())]
    return {"fills": found} if found else {}


def _coordinated(operation: Operation) -> dict[str, Any]:
    found = [{"router": router, "groups": list(groups)} for router, groups in wiring.together(operation)]
    return {"coordinated": found} if found else {}


def _admission(operation: Operation) -> dict[str, Any]:
    return {"backend": operation.admission_backend, "queue": str(operation.admission.get("queue") or "")}


def _gang(gang: Gang) -> dict[str, Any]:
    period = gang.staleness_grace_period
    return {
        "name": gang.name,
        "members": [
            {"group": member.group, "min": member.minimum, "elastic": member.elastic, "order": member.order}
            | _locality(member.locality)
            for member in gang.members
        ],
        **_locality(gang.locality),
        **({"minResources": True} if gang.min_resources else {}),
        **({} if period is None else {"stalenessGracePeriod": period}),
        **({"preemption": gang.preemption} if gang.preemption else {}),
    }


def _locality(locality: Locality | None) -> dict[str, Any]:
    if locality is None:
        return {}
    segment = {} if locality.segment is None else {"segment": locality.segment}
    return {"locality": {"within": locality.within, "required": locality.required, **segment}}


def amounts(part: totals.Sum) -> dict[str, Any]:
    """Return pods, the nodes that they take whole, accelerators by model, and all other resources of a sum."""
    return {
        "pods": part.pods,
        **({"nodes": part.nodes} if part.nodes else {}),
        "accelerators": dict(sorted(part.accelerators.items())),
        "cpu": quantities.format_cpu(part.resources.get("cpu", 0)),
        "memory": quantities.format_memory(part.resources.get("memory", 0)),
        "ephemeralStorage": quantities.format_memory(part.resources.get("ephemeral-storage", 0)),
        "other": {name: _quantity(name, amount) for name, amount in sorted(part.other.items())},
    }


def _quantity(resource: str, amount: Fraction) -> str:
    sized = resource.startswith("hugepages-")
    return quantities.format_memory(amount) if sized else quantities.format_cpu(amount)


def _group(plan: Plan, group: Group, sums: totals.Totals) -> dict[str, Any]:
    specs, leader = plan.pod_specs(group.name), sums.leaders.get(group.name)
    return {
        "name": group.name,
        "workload": group.workload.kind,
        "replicas": group.replicas,
        "podsPerReplica": group.pods_per_replica,
        **_autoscaling(group),
        **amounts(sums.groups[group.name]),
        **({"leader": {**amounts(leader), **_in_memory(specs[0], group)}} if leader else {}),
        **_in_memory(specs[-1], group),
    }


def _in_memory(spec: Mapping[str, Any], group: Group) -> dict[str, Any]:
    found = sorted(shared_memory.volumes(spec, group.name).items())
    return {"memoryVolumes": {name: None if size is None else quantities.format_memory(size) for name, size in found}}


def _autoscaling(group: Group) -> dict[str, Any]:
    bounds = group.autoscaling
    if bounds is None:
        return {}
    return {"autoscaling": {"owner": bounds.owner, "min": bounds.minimum, "max": bounds.maximum}}
