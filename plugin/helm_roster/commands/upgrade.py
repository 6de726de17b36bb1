"""``helm roster upgrade``: plain ``helm upgrade`` with the chart and the post-renderer, after all checks."""

from __future__ import annotations

from collections.abc import Sequence

from helm_roster import errors
from helm_roster.cluster import client, live
from helm_roster.commands import against, applying, options, rendering
from helm_roster.helm import releases
from helm_roster.manifests import walk
from helm_roster.model.plan import Plan, groups_of
from helm_roster.policy import handover


def run(release: str, helm_args: Sequence[str], *, chart: str, hand_over_replicas: bool = False) -> None:
    """Upgrade (or install, with Helm's ``--install``); Helm's output is shown as it is.

    With ``--reuse-values`` or ``--reset-then-reuse-values``, or without any values, Helm goes on from those of the
    running release; the checks then read them of Helm. Where they cannot be read it says so, and refusals come from
    the post-renderer, in Helm's error. ``hand_over_replicas`` lets autoscaling begin on groups that run.

    Raises:
        RosterError: As ``applying.apply``; or a group that runs would be reset to one replica.
    """
    applying.apply("upgrade", release, helm_args, chart, check=None if hand_over_replicas else _keep_replicas)


def _keep_replicas(release: str, plan: Plan) -> None:
    if not any(group.autoscaling for group in groups_of(plan)):
        return
    with against.readable(release):
        revision = releases.running_revision(release)
        before = [] if revision is None else rendering.objects(releases.manifest(release, revision))
    if before and (refusals := handover.resets(before, plan, _replicas(release, plan), way_out=options.ACCEPT_RESET)):
        raise errors.RefusedError("\n".join(refusals))


def _replicas(release: str, plan: Plan) -> dict[str, int]:
    """Return the replicas that the groups' workloads have in the cluster now."""
    observed = live.observe(client.connect(), plan.operation.namespace, release)
    groups = observed.live.groups if observed else {}
    return {name: int(walk.get(group.workload, "spec", "replicas", default=0)) for name, group in groups.items()}
