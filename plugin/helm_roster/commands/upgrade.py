"""``helm roster upgrade``: plain ``helm upgrade`` with the chart and the post-renderer, after all checks."""

from __future__ import annotations

import functools
from collections.abc import Sequence

from helm_roster import errors
from helm_roster.cluster import client, live
from helm_roster.commands import against, applying, options, rendering
from helm_roster.commands.rendering import Rendering
from helm_roster.manifests.walk import Manifest
from helm_roster.policy import changes, handover
from helm_roster.policy.changes import Change


def run(release: str, helm_args: Sequence[str], *, chart: str, hand_over_replicas: bool = False) -> None:
    """Upgrade (or install, with Helm's ``--install``); Helm's output is shown as it is.

    With ``--reuse-values`` or ``--reset-then-reuse-values``, or without any values, Helm goes on from those of the
    running release; the checks then read them of Helm. Where they cannot be read it says so, and refusals come from
    the post-renderer, in Helm's error. ``hand_over_replicas`` lets autoscaling begin on groups that run.

    Raises:
        RosterError: As ``applying.apply``; or the API server would not take what changes of an object, or a group that
            runs would be reset to one replica.
    """
    check = functools.partial(_check, hand_over_replicas=hand_over_replicas)
    applying.apply("upgrade", release, helm_args, chart, check=check)


def _check(release: str, made: Rendering, *, hand_over_replicas: bool) -> None:
    held = against.running(release)
    if held is None or not held.objects:
        return
    refusals = _fixed(held.objects, made)
    if not hand_over_replicas:
        now = against.replicas(release, made.plan)
        refusals += handover.resets(held.objects, made.plan, now, way_out=options.ACCEPT_RESET)
    if refusals:
        raise errors.RefusedError("\n".join(refusals))


def _fixed(before: Sequence[Manifest], made: Rendering) -> list[str]:
    """Return a refusal for each object that is there and that the API server would not change as asked."""
    fixed = changes.refused(changes.compare(before, rendering.objects(made.text), changes.ways(made.plan.operation)))
    if not fixed:
        return []
    present = live.present(
        client.connect(), made.plan.operation.namespace, {(change.kind, change.name) for _, change in fixed}
    )
    return [_refusal(group, change) for group, change in fixed if (change.kind, change.name) in present]


def _refusal(group: str, change: Change) -> str:
    subject = f'group "{group}"' if group else f"{change.kind} {change.name}"
    return f"{subject}: {change.reason}"
