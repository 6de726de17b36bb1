"""What a scheduling backend is: a name, the kinds it makes, what it owns, and six verbs; with the explicit defaults.

A backend is one module in ``backends/`` that satisfies ``Backend``. It keeps its labels, annotations and kinds
to itself: nothing outside ``backends/`` names a scheduler. Adding one touches four files: the module, its test,
one line in ``all_backends``, one example.
"""

from __future__ import annotations

from typing import Literal, Protocol

from helm_roster.frozen import Frozen
from helm_roster.manifests.walk import Manifest
from helm_roster.model.live import Live
from helm_roster.model.operation import Group
from helm_roster.model.plan import Plan, TemplatePath


class GroupingKind(Frozen):
    """A kind of grouping object: enough to list and delete it. ``plural`` is the REST resource."""

    api_version: str
    kind: str
    plural: str


class Need(Frozen):
    """Something that the cluster must serve; ``remedy`` says what to do where it is absent.

    ``gates`` are the feature gates without which serving it does not help.
    """

    kind: GroupingKind
    remedy: str
    gates: tuple[str, ...] = ()


class Decision(Frozen):
    """What the scheduling system says of one group's part in a gang: ``message`` is in its own words."""

    gang: str
    group: str
    state: Literal["waiting", "placed", "broken"]
    message: str = ""


class Backend(Protocol):
    """The six verbs.

    ``plan`` has the rendered workloads of gang members and of groups with patches; for ``guarantees`` and ``needs`` it
    is whole. ``stamp`` is asked about those groups only.

    ``OWNED`` is all that ``stamp`` sets in a pod template, and what else is the scheduler's there; no patch may touch
    it, whichever backend is asked for.
    """

    NAME: str
    GROUPING_KINDS: tuple[GroupingKind, ...]
    OWNED: tuple[TemplatePath, ...]

    def check(self, plan: Plan) -> list[str]:
        """Return what this backend refuses, one line each: what, why, what to do instead."""
        ...

    def guarantees(self, plan: Plan) -> list[str]:
        """Return what it will and will not keep, one line each, for ``plan``."""
        ...

    def objects(self, plan: Plan) -> list[Manifest]:
        """Return the grouping objects in the order in which they should be created (no labels: ours are added)."""
        ...

    def stamp(self, pod_template: Manifest, group: Group, plan: Plan) -> bool:
        """Mark a pod template as a member, in place; return False when the group needs no mark."""
        ...

    def needs(self, plan: Plan) -> list[Need]:
        """Return what the cluster must serve for this plan."""
        ...

    def explain(self, live: Live) -> list[Decision]:
        """Return what the scheduler says now, one decision a gang member."""
        ...


def no_refusals(plan: Plan) -> list[str]:
    """Refuse nothing."""
    del plan
    return []


def no_objects(plan: Plan) -> list[Manifest]:
    """Make no grouping objects."""
    del plan
    return []


def no_stamp(pod_template: Manifest, group: Group, plan: Plan) -> bool:
    """Leave every pod template as it is."""
    del pod_template, group, plan
    return False


def no_needs(plan: Plan) -> list[Need]:
    """Need nothing of the cluster."""
    del plan
    return []


def no_decisions(live: Live) -> list[Decision]:
    """Know nothing beyond what pods themselves say."""
    del live
    return []
