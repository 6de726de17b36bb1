"""Which pods of gangs stand together, as every scheduling system is asked for it; pure, no scheduler's name.

Each check returns refusals, one line each: what, why, what to do instead.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from helm_roster import constants
from helm_roster.manifests import walk
from helm_roster.manifests.walk import Manifest
from helm_roster.model.operation import Gang, Locality, Operation
from helm_roster.model.plan import Plan

_PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution"
_HEAVIEST = 100


def of_gang(gang: Gang) -> Iterator[tuple[str, Locality]]:
    """Yield every locality of a gang, its own first, each with where it stands in the chart's values."""
    if gang.locality:
        yield f"scheduling.gangs.{gang.name}.locality", gang.locality
    for member in gang.members:
        if member.locality:
            yield f"groups.{member.group}.locality", member.locality


def of_plan(plan: Plan) -> list[tuple[str, Locality]]:
    """Return every locality of a plan, each with where it stands in the values of the release."""
    return [(plan.operation.at(at), found) for gang in plan.operation.gangs for at, found in of_gang(gang)]


def segments(plan: Plan) -> list[str]:
    """Refuse parts of a group that are each together, where only whole groups can be kept so."""
    return [
        f"{at}.segment is {found.segment}, but this backend keeps all pods of a group together or none: leave it out"
        for at, found in of_plan(plan)
        if found.segment
    ]


def unlabelled(plan: Plan) -> list[str]:
    """Refuse levels that are not known by a label of nodes, for backends that go by it."""
    return [
        f"{at} is within {found.within}, which this backend knows by a label of nodes only: set "
        f"{plan.operation.at(f'scheduling.topology.levels.{found.within}.label')}"
        for at, found in of_plan(plan)
        if not found.label
    ]


def two_levels(plan: Plan) -> list[str]:
    """Refuse two required levels for the one member of a gang, where a group is held to one."""
    return [refusal for gang in plan.operation.gangs if (refusal := _two_levels(plan.operation, gang))]


def _two_levels(operation: Operation, gang: Gang) -> str | None:
    found = [(operation.at(at), one) for at, one in of_gang(gang) if one.required]
    if len(gang.members) > 1 or len({one.label for _, one in found}) <= 1:
        return None
    said = " and ".join(f"{at} (within {one.within})" for at, one in found)
    return f'gang "{gang.name}" has one member, which this backend holds within one level: leave out one of {said}'


def wider(plan: Plan) -> list[str]:
    """Refuse a group's level that is wider than that of its gang, which holds the group already.

    Only tiers that are numbers tell which of two levels is the wider one.
    """
    return [
        f"{plan.operation.at(at)} is within {found.within} (tier {found.tier}), wider than {own.within} (tier "
        f'{own.tier}), within which all of gang "{gang.name}" is: remove it, or exchange the two'
        for gang in plan.operation.gangs
        if (own := gang.locality) and own.required and own.segment is None
        for at, found in of_gang(gang)
        if isinstance(found.tier, int) and isinstance(own.tier, int) and found.tier > own.tier
    ]


def unknown_to(plan: Plan, nodes: Sequence[Manifest]) -> list[str]:
    """Return a sentence for each level within which pods must be and whose label no node has, where nodes are known."""
    levels = {found.within: found.label for _, found in of_plan(plan) if found.label and found.required}
    keys = {key for node in nodes for key in walk.mapping(node, "metadata", "labels")}
    return [
        f"no node has the label {label} of level {level}, and pods that must be within one would never be placed: "
        f"have nodes labelled, correct {plan.operation.at(f'scheduling.topology.levels.{level}')}, or set required: "
        "false"
        for level, label in sorted(levels.items())
        if nodes and label not in keys
    ]


def prefer(pod_template: Manifest, plan: Plan, group: str) -> None:
    """Lay the localities that a group only prefers into its pod template, beside the affinities of its user."""
    found = plan.operation.gang_of(group)
    if found is None:
        return
    gang, member = found
    wanted = [(gang.locality, [other.group for other in gang.members]), (member.locality, [group])]
    terms = [_term(plan.operation, one, groups) for one, groups in wanted if one and not one.required]
    if terms:
        affinity = walk.ensure(pod_template, "spec", "affinity", "podAffinity")
        affinity[_PREFERRED] = [*(affinity.get(_PREFERRED) or ()), *terms]


def _term(operation: Operation, locality: Locality, groups: Sequence[str]) -> dict[str, Any]:
    selector = {
        "matchLabels": {constants.INSTANCE_LABEL: operation.release, constants.OPERATION_LABEL: operation.name},
        "matchExpressions": [{"key": constants.GROUP_LABEL, "operator": "In", "values": sorted(groups)}],
    }
    return {"weight": _HEAVIEST, "podAffinityTerm": {"labelSelector": selector, "topologyKey": locality.label}}
