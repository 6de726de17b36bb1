"""What a scheduler cannot place that gives one member all of its pods before the next is tried; pure."""

from __future__ import annotations

from helm_roster.model.operation import Gang
from helm_roster.model.plan import Plan


def refusals(plan: Plan, scheduler: str) -> list[str]:
    """Refuse gangs whose elastic members would take the nodes of others, a line each; ``scheduler`` is called so."""
    found = ((_two_elastic(plan, gang, scheduler), _elastic_first(gang, scheduler)) for gang in plan.operation.gangs)
    return [refusal for both in found for refusal in both if refusal]


def _two_elastic(plan: Plan, gang: Gang, scheduler: str) -> str | None:
    if len(gang.elastic) <= 1:
        return None
    scaled = any(plan.operation.groups[member.group].autoscaling for member in gang.elastic)
    named = ", ".join(f'"{member.group}"' for member in gang.elastic)
    return (
        f'gang "{gang.name}": two elastic members ({named}) cannot be placed by {scheduler}: the first takes every '
        "node before the second is tried, and nothing starts; give all but one min equal to replicas"
        f"{', without autoscaling' if scaled else ''}, or split it into a fixed group and an extra group outside the "
        "gang"
    )


def _elastic_first(gang: Gang, scheduler: str) -> str | None:
    if not gang.elastic or not gang.fixed:
        return None
    elastic, last = gang.elastic[0], max(gang.fixed, key=lambda member: member.order)
    if elastic.order >= last.order:
        return None
    return (
        f'gang "{gang.name}": elastic member "{elastic.group}" (order {elastic.order}) would come before fixed member '
        f'"{last.group}" (order {last.order}); {scheduler} would give it every node and start nothing: set its '
        f"order to {last.order} or higher"
    )
