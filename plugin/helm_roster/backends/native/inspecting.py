"""What only the cluster can tell of native gangs: whether it keeps fields that a feature gate hides, and its nodes.

The API server drops such fields without a word where their gate is off; it then stores a gang that is none.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Sequence

from helm_roster.backend_base import NODE, Ask, Finding
from helm_roster.backends.native.kinds import GATES, MEMBERSHIP, POD_GROUP, TOPOLOGY, is_constrained
from helm_roster.manifests.walk import Manifest
from helm_roster.model import plan as plans
from helm_roster.model.operation import Group
from helm_roster.model.plan import Plan
from helm_roster.policy import localities

# How the backend marks a workload.
Stamp = Callable[[Manifest, Group, Plan], bool]


def inspect(plan: Plan, made: Sequence[Manifest], ask: Ask, stamp: Stamp) -> list[Finding]:
    """Return what would be dropped of the gangs' objects, of which ``made`` are all, and of their pods."""
    return [*_membership(plan, ask, stamp), *_locality(plan, made, ask)]


def _membership(plan: Plan, ask: Ask, stamp: Stamp) -> Iterator[Finding]:
    """Yield that pods would be in no gang; where the kinds are served that is so on some of the API servers only."""
    member = next((member for gang in plan.operation.gangs for member in gang.members), None)
    if member is None:
        return
    workload = copy.deepcopy(plan.workloads[member.group])
    stamp(workload, plan.operation.groups[member.group], plan)
    stored = ask.stored(workload, plan.operation.namespace)
    if stored is not None and not plans.membership(plans.pod_template(stored), [MEMBERSHIP]):
        message = (
            f"the API server drops the gang of pods ({'.'.join(MEMBERSHIP)}), which would be placed one by one: switch "
            f"on the feature gate {', '.join(GATES[POD_GROUP])} on every kube-apiserver"
        )
        yield Finding(state="stops", message=message)


def _locality(plan: Plan, made: Sequence[Manifest], ask: Ask) -> list[Finding]:
    """Look whether required locality would be kept."""
    constrained = [entry for entry in made if is_constrained(entry)]
    if not constrained:
        return []
    stored = ask.stored(constrained[0], plan.operation.namespace)
    nodes = ask.all_of(NODE) or ()
    found = [Finding(state="stops", message=text) for text in localities.unknown_to(plan, nodes)]
    if stored is None:
        message = f"not checked: whether required locality is kept, which takes the feature gate {TOPOLOGY}"
        return [Finding(state="unknown", message=message), *found]
    if is_constrained(stored):
        return found
    message = (
        f"the API server drops required locality, since its feature gate {TOPOLOGY} is off: switch it on there and in "
        "kube-scheduler, or set required: false"
    )
    return [Finding(state="stops", message=message), *found]
