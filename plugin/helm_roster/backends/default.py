"""The default placement: whatever scheduler the cluster has, one pod at a time. No gangs, no queue."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from helm_roster import backend_base
from helm_roster.model.plan import Plan, TemplatePath

NAME: Final = "default"
GROUPING_KINDS: Final[tuple[backend_base.ApiKind, ...]] = ()
OWNED: Final[tuple[TemplatePath, ...]] = ()
MEMBERSHIPS = backend_base.NO_MEMBERSHIPS
IN_PLACE = backend_base.NOTHING_IN_PLACE
BEFORE = backend_base.NOTHING_BEFORE
PREEMPTS_WHERE = backend_base.ALWAYS
PROCESSES: Final[tuple[backend_base.Process, ...]] = (
    backend_base.Process(name="kube-scheduler", leases=("kube-scheduler",), scheduler="default-scheduler"),
)
MARKS_ALL: Final = False
KEEPS: Final[Mapping[backend_base.Topic, str]] = {}

check = backend_base.no_refusals
objects = backend_base.no_objects
stamp = backend_base.no_stamp
needs = backend_base.no_needs
inspect = backend_base.no_findings
explain = backend_base.no_decisions


def guarantees(plan: Plan) -> list[str]:
    """Say that pods are placed one by one."""
    del plan
    return ["pods are placed one by one: nothing holds back a group that fits only in part"]
