"""Which gangs an upgrade restarts, judged by what runs; by what the release holds where that may not be read.

``upgrade`` refuses and ``plan --against`` tells by the same judgement.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from helm_roster import constants
from helm_roster.backend_base import Backend
from helm_roster.cluster import client, live
from helm_roster.cluster.client import ApiError
from helm_roster.cluster.live import Observed
from helm_roster.commands.rendering import Rendering
from helm_roster.manifests import walk
from helm_roster.manifests.walk import Manifest
from helm_roster.model import plan as plans
from helm_roster.model.live import Live
from helm_roster.model.plan import TEMPLATE_PATHS, Plan, TemplatePath, pod_template
from helm_roster.policy import pods, regrouping
from helm_roster.policy.regrouping import Restart, Running
from helm_roster.policy.restarting import Aim
from helm_roster.render import pipeline


class Regrouped(NamedTuple):
    """The gangs that are restarted, what runs of the operation, and a line where that may not be read."""

    restarts: Sequence[Restart]
    observed: Observed | None = None
    warning: str = ""


def find(release: str, made: Rendering, held: Sequence[Manifest]) -> Regrouped:
    """Return the gangs that an upgrade of ``release`` to ``made`` restarts; ``held`` is what the release holds."""
    plan, backend = made.plan, pipeline.backend_of(made.plan.operation)
    if not plan.operation.gangs and not plan.operation.asks_for_quota:
        return Regrouped(())
    try:
        observed = live.observe(client.connect(), plan.operation.namespace, release)
    except ApiError as error:
        if not error.is_forbidden:
            raise
        told = f"gangs are judged by what {release} holds, not by the pods that run ({error})"
        return Regrouped(judge(released(held, backend.MEMBERSHIPS), held, plan, backend), None, told)
    if observed is None:
        return Regrouped(())
    found = judge(_running(observed.live, backend.MEMBERSHIPS), observed.live.grouping, plan, backend)
    return Regrouped(found, observed)


def judge(running: Mapping[str, Running], grouping: Sequence[Manifest], plan: Plan, backend: Backend) -> list[Restart]:
    """Return the gangs of ``plan`` that have to be restarted where these groups run, grouped by these objects."""
    return regrouping.restarts(running, grouping, plan, _names(plan, backend), backend.IN_PLACE)


def aims(found: Regrouped, plan: Plan) -> list[Aim]:
    """Return what the restarts aim at, a group each; of one that leaves all gangs no pod has to be placed."""
    backend = pipeline.backend_of(plan.operation)
    names, groups = _names(plan, backend), found.observed.live.groups if found.observed else {}
    gangs = {gang.name: gang.members for gang in plan.operation.gangs}
    minima: dict[str, tuple[int, bool]] = {}
    for restart in found.restarts:
        minima |= {name: (0, restart.whole) for name in restart.groups if not plan.operation.gang_of(name)}
        if any(map(plan.operation.gang_of, restart.groups)):
            minima |= {member.group: (member.minimum, restart.whole) for member in gangs[restart.gang]}
    return [
        Aim(
            group=name,
            name=names[name],
            minimum=minimum,
            before=_uids(groups[name].pods) if whole and name in groups else frozenset(),
        )
        for name, (minimum, whole) in minima.items()
    ]


def _uids(found: Sequence[Manifest]) -> frozenset[str]:
    return frozenset(str(walk.get(pod, "metadata", "uid")) for pod in found)


def _names(plan: Plan, backend: Backend) -> dict[str, str]:
    """Return the grouping objects that the pods of each group name."""
    found = {}
    for name, made in plan.workloads.items():
        workload = copy.deepcopy(made)
        backend.stamp(workload, plan.operation.groups[name], plan)
        found[name] = plans.membership(pod_template(workload), backend.MEMBERSHIPS)
    return found


def _running(found: Live, memberships: Sequence[TemplatePath]) -> dict[str, Running]:
    active = {name: [pod for pod in group.pods if pods.is_active(pod)] for name, group in found.groups.items()}
    return {
        name: Running(
            workload=group.workload,
            names=frozenset(plans.membership(pod, memberships) for pod in active[name]),
            placed=sum(map(pods.is_placed, active[name])),
        )
        for name, group in found.groups.items()
        if group.workload and active[name]
    }


def released(manifests: Sequence[Manifest], memberships: Sequence[TemplatePath]) -> dict[str, Running]:
    """Return the workloads that have pods by group, as far as the manifests tell; an autoscaler's have."""
    found = {}
    for manifest in manifests:
        name = walk.get(manifest, "metadata", "labels", constants.GROUP_LABEL)
        count = walk.get(manifest, "spec", "parallelism" if manifest.get("kind") == "Job" else "replicas")
        if name and manifest.get("kind") in TEMPLATE_PATHS and count != 0:
            named = plans.membership(pod_template(manifest), memberships)
            found[str(name)] = Running(manifest, frozenset({named}))
    return found
