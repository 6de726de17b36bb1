"""Many small pods beside a gang: those that wait take each place that comes free, and the gang never starts.

Measured on three schedulers: 172 of 300 pods waited, and a gang of four of the same priority was never placed on their
nodes. With a lower PriorityClass of theirs it was, in seconds, where the scheduler takes their places for it. What
classes are worth only a cluster knows.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from helm_roster.frozen import Frozen
from helm_roster.manifests import walk
from helm_roster.model.operation import Gang, Group
from helm_roster.model.plan import Plan, groups_outside
from helm_roster.policy import gangs

_MANY: Final = 50


class Priorities(Frozen):
    """What is known of priorities: ``values`` by class ("" for pods without), None where no cluster was asked.

    ``condition`` is what must hold for a gang to take the places of pods of a lower class; empty where it always may.
    """

    values: Mapping[str, int] | None = None
    condition: str = ""


UNKNOWN: Final = Priorities()


def warnings(plan: Plan, priorities: Priorities = UNKNOWN) -> Iterator[str]:
    """Yield a line for each group outside gangs that may keep a gang from starting."""
    for gang, group in crowded(plan):
        group_class = gangs.priority_of(plan, group.name)
        for gang_class in sorted({gangs.priority_of(plan, member.group) for member in gang.members}):
            if (why := _no_help(group_class, gang_class, priorities)) is not None:
                yield _line(gang, group, why, priorities)
                break


def crowded(plan: Plan) -> Iterator[tuple[Gang, Group]]:
    """Yield each gang with each group of many pods that may come to its nodes, whatever their priorities."""
    for gang in plan.operation.gangs:
        members = [spec for member in gang.members for spec in plan.pod_specs(member.group)]
        for group in groups_outside(plan):
            pods = plan.pod_specs(group.name)
            if group.most_pods >= _MANY and any(_may_share(one, member) for one in pods for member in members):
                yield gang, group


def _line(gang: Gang, group: Group, why: str, priorities: Priorities) -> str:
    helps = f" (which helps where {priorities.condition})" if priorities.condition else ""
    return (
        f'gang "{gang.name}" may never start beside "{group.name}": its {group.most_pods} pods may come to '
        f"the same nodes, and those that wait take each place that comes free, {why}; "
        f"give the group a lower environment.priorityClassName than the gang{helps}, or nodes of its own"
    )


def _no_help(group_class: str, gang_class: str, priorities: Priorities) -> str | None:
    """Return, in words, why the classes do not put the gang first; None where they do."""
    if group_class == gang_class:
        return "having the same priority"
    values = priorities.values or {}
    ours, theirs = values.get(gang_class), values.get(group_class)
    named = f"{_named(group_class)} of the group is {{}} than {_named(gang_class)} of the gang"
    if ours is None or theirs is None:
        return f"unless {named.format('lower')} (not checked)"
    return None if theirs < ours else f"since {named.format('not lower')}"


def _named(name: str) -> str:
    return f"PriorityClass {name}" if name else "the priority without a class"


def _may_share(pods: dict[str, Any], member: dict[str, Any]) -> bool:
    """Return whether the pods may come onto the member's nodes.

    They do not where their selectors differ, and probably not where the member tolerates a taint that they do not.
    """
    chosen, wanted = (walk.mapping(spec, "nodeSelector") for spec in (pods, member))
    apart = any(chosen.get(label, value) != value for label, value in wanted.items())
    tolerated, needed = (_tolerated(spec) for spec in (pods, member))
    return not apart and ("" in tolerated or needed <= tolerated)


def _tolerated(pods: dict[str, Any]) -> set[str]:
    """Return the keys of taints that the pods tolerate; an empty one stands for all."""
    return {str(entry.get("key") or "") for entry in walk.sequence(pods, "tolerations")}
