"""``helm roster install``: plain ``helm install`` with the chart and the post-renderer, after all checks."""

from __future__ import annotations

from collections.abc import Sequence

from helm_roster.commands import applying


def run(release: str, helm_args: Sequence[str], *, chart: str, skip_checks: bool = False) -> None:
    """Install; Helm's output is shown as it is. With ``skip_checks`` the cluster is not asked whether it can take it.

    Raises:
        RosterError: As ``applying.apply``.
    """
    applying.apply("install", release, helm_args, chart, skip_checks=skip_checks)
