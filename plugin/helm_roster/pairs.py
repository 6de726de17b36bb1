"""A placement backend together with an admission backend, as one: what either refuses, makes, marks and says.

Admission decides whether pods may use quota; then placement binds them. The marks of both stand side by side in a pod
template, and neither reads the other's.
"""

from __future__ import annotations

from collections.abc import Mapping

from helm_roster.backend_base import Admission, ApiKind, Ask, Backend, Decision, Finding, Need, Process, Topic
from helm_roster.manifests.walk import Manifest
from helm_roster.model.live import Live
from helm_roster.model.operation import Group
from helm_roster.model.plan import Plan, TemplatePath
from helm_roster.policy.gang_specs import Aspect


class Pair:
    """Satisfies ``backend_base.Backend``; ``NAME`` is that of the placement."""

    def __init__(self, placement: Backend, admission: Admission) -> None:
        self.placement, self.admission = placement, admission
        self.NAME: str = placement.NAME
        self.GROUPING_KINDS: tuple[ApiKind, ...] = (*placement.GROUPING_KINDS, *admission.GROUPING_KINDS)
        self.OWNED: tuple[TemplatePath, ...] = (*placement.OWNED, *admission.OWNED)
        self.MARKS_ALL: bool = placement.MARKS_ALL or admission.MARKS_ALL
        self.KEEPS: Mapping[Topic, str] = placement.KEEPS
        self.PREEMPTS_WHERE: str = placement.PREEMPTS_WHERE
        self.BEFORE: tuple[ApiKind, ...] = (*placement.BEFORE, *admission.BEFORE)
        self.MEMBERSHIPS: tuple[TemplatePath, ...] = (*placement.MEMBERSHIPS, *admission.MEMBERSHIPS)
        self.IN_PLACE: frozenset[Aspect] = placement.IN_PLACE & admission.IN_PLACE
        self.PROCESSES: tuple[Process, ...] = (*placement.PROCESSES, *admission.PROCESSES)

    def check(self, plan: Plan) -> list[str]:
        """Return what either refuses, once where both refuse the same."""
        return list(dict.fromkeys([*self.placement.check(plan), *self.admission.check(plan)]))

    def guarantees(self, plan: Plan) -> list[str]:
        """Return what both keep, admission first: it comes first."""
        return [*self.admission.guarantees(plan), *self.placement.guarantees(plan)]

    def objects(self, plan: Plan) -> list[Manifest]:
        """Return the grouping objects of both."""
        return [*self.placement.objects(plan), *self.admission.objects(plan)]

    def stamp(self, workload: Manifest, group: Group, plan: Plan) -> bool:
        """Have both mark the workload."""
        return any([self.placement.stamp(workload, group, plan), self.admission.stamp(workload, group, plan)])

    def needs(self, plan: Plan) -> list[Need]:
        """Return what either needs."""
        return [*self.placement.needs(plan), *self.admission.needs(plan)]

    def inspect(self, plan: Plan, ask: Ask) -> list[Finding]:
        """Return what either finds."""
        return [*self.placement.inspect(plan, ask), *self.admission.inspect(plan, ask)]

    def explain(self, live: Live, ask: Ask) -> list[Decision]:
        """Return what both decide."""
        return [*self.admission.explain(live, ask), *self.placement.explain(live, ask)]
