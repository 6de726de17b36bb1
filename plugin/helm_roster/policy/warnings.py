"""What is legal in an operation and may still surprise, one line each."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from helm_roster.model.nearest import hint
from helm_roster.model.operation import Group, Operation
from helm_roster.model.plan import Plan, groups_of
from helm_roster.model.schema import Schema
from helm_roster.model.written import Written, dotted
from helm_roster.policy import (
    careless,
    conditions,
    containers,
    crowding,
    device_claims,
    nearness,
    nodes_offer,
    parallelism,
    rollouts,
    shared_memory,
    totals,
    wired,
)

# Variables that the controller of LeaderWorkerSets sets in each container, as arguments refer to them.
_GIVEN: Final = re.compile(r"\$\(LWS_(?:LEADER_ADDRESS|GROUP_SIZE|WORKER_INDEX)\)")


def of_plan(plan: Plan, priorities: crowding.Priorities = crowding.UNKNOWN) -> list[str]:
    """Return what is surprising about the groups, as they were rendered."""
    groups = plan.operation.groups
    return [
        *(
            f'group "{group.name}" {_own(group)}, so it leaves out preset "{preset}" of defaults'
            for group in groups_of(plan)
            for preset in group.skipped_presets
        ),
        *(
            f'group "{group.name}" cannot become ready: it requires "{required}", which has no replicas'
            for group in groups_of(plan)
            for required in group.requires
            if not groups[required].most_pods
        ),
        *(
            f'group "{group.name}" cannot start: it waits for "{awaited}", which has no replicas'
            for group in groups_of(plan)
            for awaited in group.waits_for
            if not groups[awaited].most_pods
        ),
        *(
            f'group "{group.name}" is not ready while its autoscaler keeps "{required}" at none, and what is not ready '
            "gets no requests: let what scales it not hang on requests, or set "
            f"groups.{required}.autoscaling.min to 1 or more, without idleReplicas"
            for group in groups_of(plan)
            for required in group.requires
            if (bounds := groups[required].autoscaling) and (bounds.idle or not bounds.minimum)
        ),
        *(
            f'group "{group.name}" is scaled from outside without a bound, so "at most" counts {group.replicas} of it; '
            "set autoscaling.max"
            for group in groups_of(plan)
            if group.autoscaling and group.autoscaling.maximum is None
        ),
        *_surplus(plan),
        *_left_alone(plan),
        *dict.fromkeys(device_claims.twofold(plan)),
        *_unraised(plan),
        *_untold(plan),
        *wired.alike(plan),
        *wired.empty(plan),
        *dict.fromkeys(shared_memory.warnings(plan)),
        *dict.fromkeys(parallelism.warnings(plan)),
        *nodes_offer.warnings(plan),
        *nearness.warnings(plan),
        *crowding.warnings(plan, priorities),
        *dict.fromkeys(containers.warnings(plan)),
    ]


def _own(group: Group) -> str:
    """Say why the group does without presets of defaults that are about accelerators."""
    if not group.accelerators:
        return "asks for no accelerators"
    model = group.accelerator.model if group.accelerator else ""
    return f"takes {model or 'its accelerators'} by presets of its own"


def _untold(plan: Plan) -> Iterator[str]:
    """Yield what pods refer to that only the controller of LeaderWorkerSets gives, and their kind has none."""
    for group in groups_of(plan):
        if group.workload.kind != "LeaderWorkerSet":
            for name in dict.fromkeys(_GIVEN.findall(json.dumps(plan.pod_specs(group.name)))):
                yield (
                    f'group "{group.name}" refers to {name}, which only a LeaderWorkerSet gives, but it is a '
                    f"{group.workload.kind}: set groups.{group.name}.podsPerReplica or workload, or leave that out"
                )


def _surplus(plan: Plan) -> Iterator[str]:
    """Yield the groups whose rollout makes surplus pods that take whole nodes."""
    for group in groups_of(plan):
        surge = totals.surge_pods(plan, group)
        if surge and any(part.fills_node for part in plan.parts(group.name)):
            yield (
                f'group "{group.name}": each pod takes a whole node, and a rollout makes {surge} more than there are, '
                f"so it waits for that many spare nodes: leave groups.{group.name}.rollout.maxSurge out, or keep some"
            )


def _left_alone(plan: Plan) -> Iterator[str]:
    """Yield the groups whose rollout leaves pods alone that would not find their claims again (measured on 1.37)."""
    for group in groups_of(plan):
        if device_claims.accelerators(group) and rollouts.partition(plan.workloads[group.name]):
            yield (
                f'group "{group.name}": a pod below rollout.partition that is made again waits for its old template of '
                "claims, which Helm takes away with an upgrade to another count or model: let such a rollout end"
            )


def _unraised(plan: Plan) -> Iterator[str]:
    """Yield the gang members that an autoscaler of the user's has to raise before anything starts."""
    for gang in plan.operation.gangs:
        for member in gang.members:
            scaled = plan.operation.groups[member.group].autoscaling
            if scaled and scaled.owner == "external" and member.minimum > 1:
                yield (
                    f'gang "{gang.name}": "{member.group}" is made with 1 replica, and no pod of the gang is bound '
                    f"until your autoscaler raises it to {member.minimum}, without metrics of its pods"
                )


def of_resolved(plan: Plan, resolved: Mapping[str, Any]) -> Iterator[str]:
    """Yield what is surprising about how the layers meet; ``resolved`` is a ``Rendering``'s."""
    composed = {name: json.loads(text) for name, text in resolved["composed"].items()}
    yield from _unread_replicas(plan, composed)
    yield from conditions.warnings(plan, composed, resolved["layers"])
    yield from _idle_unset(plan.operation, resolved)
    yield from _ordered_by_name(plan.operation, composed)
    yield from wired.repeated(plan.operation, composed)
    yield from careless.keyless(plan.operation, composed, resolved["layers"])


def _unread_replicas(plan: Plan, composed: Mapping[str, Any]) -> Iterator[str]:
    """Yield the autoscaled groups that say another number of replicas than the one with which they begin."""
    for group in groups_of(plan):
        said = composed[group.name].get("replicas")
        if group.autoscaling and said not in {None, group.replicas}:
            yield (
                f'group "{group.name}": replicas ({said}) is not applied, since an autoscaler (autoscaling.owner: '
                f"{group.autoscaling.owner}) sets them; the sums count autoscaling.min, {group.replicas}"
            )


def _idle_unset(operation: Operation, resolved: Mapping[str, Any]) -> Iterator[str]:
    """Yield the paths in `unset` of a group under which no lower layer sets anything; presets are not among layers."""
    for name, paths in resolved["idle"].items():
        for path, layer in paths.items():
            if layer in {f"groups.{name}", f"groups.{name}.leader"} and path.partition(".")[0] != "presets":
                meant = hint(path, resolved["layers"][name])
                yield f"{operation.at(layer)}.unset: {path} deletes nothing, since no lower layer sets it{meant}"


def _ordered_by_name(operation: Operation, composed: Mapping[str, Any]) -> Iterator[str]:
    """Yield the init containers of equal `order` that come from a map, which has none: entries of lists hold a name."""
    for group, values in composed.items():
        places: dict[int, list[str]] = {}
        for name, container in (values.get("init") or {}).items():
            if name != "@order" and container is not None and "name" not in container:
                places.setdefault(container.get("order") or 0, []).append(name)
        for names in places.values():
            if len(names) > 1:
                at = operation.at(f"groups.{group}.init")
                yield (
                    f"{at}: {', '.join(sorted(names))} run in the order of their names, since a map has no other; give "
                    "each an `order`, or write a list"
                )


def of_values(written: Written, chart: Path | str) -> Iterator[str]:
    """Yield the lists and maps that one values file or flag takes from another, as Helm does unless both are maps."""
    schema = Schema.of(chart)
    for lost in written.replaced:
        keyed = schema.is_merged_list([str(step) for step in lost.path])
        if (keyed or lost.was == lost.now) and not str(lost.path[0]).startswith("x-") and lost.path[0] != "global":
            new = lost.new if lost.was == lost.now else f"{lost.new}, a {lost.now},"
            way_out = "write both as maps by key, which Helm merges" if keyed else "keep it in one of them"
            yield (
                f"{dotted(lost.path)}: {new} replaces the whole {lost.was} of {lost.old}, since Helm merges only maps; "
                f"{way_out}"
            )
