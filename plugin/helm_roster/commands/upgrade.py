"""``helm roster upgrade``: plain ``helm upgrade`` with the chart and the post-renderer, after all checks."""

from __future__ import annotations

import functools
from collections.abc import Collection, Sequence

from helm_roster import errors
from helm_roster.cluster import client, live
from helm_roster.cluster.client import WORKLOADS
from helm_roster.commands import against, applying, options, recreating, regrouped, rendering
from helm_roster.commands.against import Running
from helm_roster.commands.applying import Checked
from helm_roster.commands.kept_out import KeptOut
from helm_roster.commands.recreating import Following
from helm_roster.commands.rendering import Rendering
from helm_roster.helm import releases
from helm_roster.policy import changes, handover, regrouping, wiring
from helm_roster.policy.changes import Change, Changes
from helm_roster.report import console


def run(
    release: str,
    helm_args: Sequence[str],
    *,
    chart: str,
    hand_over_replicas: bool = False,
    recreate: bool = False,
    skip_checks: bool = False,
) -> None:
    """Upgrade (or install, with Helm's ``--install``); Helm's output is shown as it is.

    With ``--reuse-values`` or ``--reset-then-reuse-values``, or without any values, Helm goes on from those of the
    running release; the checks then read them of Helm. Where they cannot be read it says so, and refusals come from
    the post-renderer, in Helm's error. ``hand_over_replicas`` lets autoscaling begin on groups that run; ``recreate``
    restarts gangs that cannot go on as they run (``recreating``). With ``skip_checks`` the cluster is not asked
    whether it can take what is new; what runs is looked at all the same.

    Raises:
        UsageError: Helm is asked to wait for what only the restart of a gang brings about.
        RosterError: As ``applying.apply`` and ``recreating.follow``; or the API server would not take what changes of
            an object, a group that runs would be reset to one replica, or a gang would have to be restarted.
    """
    following = recreating.prepare(release, helm_args) if recreate else None
    kept_out = KeptOut(release, helm_args, starts=following is not None)
    check = functools.partial(
        _check, hand_over_replicas=hand_over_replicas, following=following, kept_out=kept_out
    )  # fmt: skip
    if following is None:
        try:
            applying.apply("upgrade", release, helm_args, chart, check=check, skip_checks=skip_checks)
        finally:
            kept_out.after()
    else:
        with following.interruptible():
            applying.apply("upgrade", release, helm_args, chart, check=check, skip_checks=skip_checks)
            kept_out.after()
            following.run()


def _check(
    release: str, made: Rendering, *, hand_over_replicas: bool, following: Following | None, kept_out: KeptOut
) -> Checked:
    """Refuse what cannot be done to what runs."""
    held = following.held if following else against.running(release)
    if held is None or not held.objects:
        return Checked(may_skip=following is None)
    gangs = regrouped.find(release, made, held.objects)
    if gangs.warning:
        console.say(f"warning: {gangs.warning}")
    refusals = regrouping.refusals(gangs.restarts, made.plan, recreate=following is not None)
    found = changes.compare(held.objects, rendering.objects(made.text), changes.ways(made.plan.operation))
    refusals += _together(release, made, held, found)
    refusals += _fixed(found, made, {name for restart in gangs.restarts for name in restart.jobs})
    if not hand_over_replicas:
        now = against.replicas(release, made.plan)
        refusals += handover.resets(held.objects, made.plan, now, way_out=options.ACCEPT_RESET)
    if refusals:
        raise errors.RefusedError("\n".join(refusals))
    if following is not None:
        following.plan(gangs, made.plan)
    kept_out.before()
    return Checked(settled=not gangs.restarts and not _places(found), may_skip=following is None)


def _together(release: str, made: Rendering, held: Running, found: Changes) -> list[str]:
    """Say what becomes of groups that are rolled out together, and return why two versions would be found at once."""
    operation = made.plan.operation
    toggled = wiring.toggles(held.objects, made.plan.workloads)
    if any(wiring.together(operation)) and (last := releases.revisions(release)) and last.newest != held.revision:
        told = [wiring.unknown(operation, release, last.newest, last.status)]
    else:
        told = list(wiring.rolled(operation, found, toggled))
    refusals = list(wiring.mixing(operation, toggled))
    for line in () if refusals else told:
        console.say(line)
    return refusals


def _places(found: Changes) -> bool:
    """Return whether workloads change, or what their pods are placed by."""
    kinds = {resource.kind for resource in (*WORKLOADS, *live.grouping_resources())}
    return any(change.kind in kinds and change.action not in {"unchanged", "removed"} for _, change in found.by_group())


def _fixed(found: Changes, made: Rendering, told: Collection[str]) -> list[str]:
    """Return a refusal for each object that is there and that the API server would not change as asked.

    Of the groups ``told`` it was said already.
    """
    fixed = changes.refused(found)
    if not fixed:
        return []
    present = live.present(
        client.connect(), made.plan.operation.namespace, {(change.kind, change.name) for _, change in fixed}
    )
    return [
        _refusal(group, change)
        for group, change in fixed
        if (change.kind, change.name) in present and group not in told
    ]


def _refusal(group: str, change: Change) -> str:
    subject = f'group "{group}"' if group else f"{change.kind} {change.name}"
    return f"{subject}: {change.reason}"
