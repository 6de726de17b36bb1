"""Pods whose accelerators are more than a node offers, or not all of them: as the chart refuses these, patches."""

from __future__ import annotations

from collections.abc import Iterator

from helm_roster.model.plan import Part, Plan, groups_of
from helm_roster.policy import totals


def warnings(plan: Plan) -> Iterator[str]:
    """Yield a line for pods that no node can hold, or that should fill their nodes and do not."""
    for group in groups_of(plan):
        for part in plan.parts(group.name):
            if why := _unfit(part):
                yield f'group "{group.name}": with its patches {why}'


def _unfit(part: Part) -> str:
    chosen = part.accelerator
    if not chosen or not chosen.per_node:
        return ""
    number, offered = totals.accelerators_of(part).get(chosen.model, 0), chosen.per_node
    pod = "the leader" if part.name else "each pod"
    if number > offered:
        return f"{pod} has {number} {chosen.model}, but no node offers more than {offered}, so it stays Pending"
    if part.fills_node and number != offered:
        return f"{pod} takes a whole node, which has {offered} {chosen.model}, and uses {number} of them"
    return ""
