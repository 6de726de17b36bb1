"""Many small pods beside a gang: those that wait take each place that comes free, and the gang never starts.

Measured on three schedulers: 172 of 300 pods waited, and a gang of four of the same priority was never placed on their
nodes. With a lower PriorityClass of theirs it was, in seconds. What classes are worth is not known here, only whether
they differ.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from helm_roster.manifests import walk
from helm_roster.model.operation import Gang, Group
from helm_roster.model.plan import Plan, groups_of

_MANY: Final = 50


def warnings(plan: Plan) -> Iterator[str]:
    """Yield a line for each group outside gangs that may keep a gang from starting."""
    for gang in plan.operation.gangs:
        for group in groups_of(plan):
            if plan.operation.gang_of(group.name) is None and _crowds(plan, group, gang):
                yield (
                    f'gang "{gang.name}" may never start beside "{group.name}": its {group.most_pods} pods may come to '
                    "the same nodes, and those that wait take each place that comes free, having the same priority; "
                    "give the group a lower environment.priorityClassName than the gang, or nodes of its own"
                )


def _crowds(plan: Plan, group: Group, gang: Gang) -> bool:
    pods = plan.pod_spec(group.name)
    members = [plan.pod_spec(member.group) for member in gang.members]
    return group.most_pods >= _MANY and any(
        _priority(pods) == _priority(member) and _may_share(pods, member) for member in members
    )


def _priority(pods: dict[str, Any]) -> str:
    return str(pods.get("priorityClassName") or "")


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
