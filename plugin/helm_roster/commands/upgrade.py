"""``helm roster upgrade``: plain ``helm upgrade`` with the chart and the post-renderer, after all checks."""

from __future__ import annotations

from collections.abc import Sequence

from helm_roster.commands import applying


def run(release: str, helm_args: Sequence[str], *, chart: str) -> None:
    """Upgrade (or install, with Helm's ``--install``); Helm's output is shown as it is.

    With ``--reuse-values`` or ``--reset-then-reuse-values``, or without any values, Helm goes on from those of the
    running release; the checks then read them of Helm. Where they cannot be read it says so, and refusals come from
    the post-renderer, in Helm's error.

    Raises:
        RosterError: As ``applying.apply``.
    """
    applying.apply("upgrade", release, helm_args, chart)
