"""``helm roster install``: plain ``helm install`` with the chart and the post-renderer, after all checks."""

from __future__ import annotations

from collections.abc import Sequence

from helm_roster.commands import applying


def run(release: str, helm_args: Sequence[str], *, chart: str) -> None:
    """Install; Helm's output is shown as it is.

    Raises:
        RosterError: As ``applying.apply``.
    """
    applying.apply("install", release, helm_args, chart)
