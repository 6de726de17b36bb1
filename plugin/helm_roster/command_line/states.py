"""The verbs that look at an operation in a cluster: once, or until it is as one wants it.

Commands are imported when they are called: a start must be fast.
"""

from __future__ import annotations

from typing import get_args

import click

from helm_roster.commands import options
from helm_roster.constants import RESTARTS, Goal


@click.command()
@click.argument("release")
@click.option(
    "--watch", is_flag=True, envvar="HELM_ROSTER_WATCH", show_envvar=True,
    help="Show it again whenever it changes, until the operation is gone.",
)  # fmt: skip
@options.output("HELM_ROSTER_OUTPUT")
@options.cluster
def status(release: str, watch: bool, output: str) -> None:  # noqa: FBT001  (click passes by name)
    """Show whether an operation is ready, and what waits: quota, placement or readiness, by group, with the reasons.

    RELEASE is a release's name, or that of an operation which GitOps applied.

    \b
    helm roster status rl
    helm roster status rl --watch
    helm roster status rl -o json
    """  # noqa: D301
    from helm_roster.commands import status as command  # noqa: PLC0415

    (command.watch if watch else command.run)(release, output=output)


@click.command()
@click.argument("release")
@click.option(
    "--for", "goal", type=click.Choice(get_args(Goal)), default="ready", show_default=True,
    envvar="HELM_ROSTER_WAIT_FOR", show_envvar=True, help="What to wait for.",
)  # fmt: skip
@click.option(
    "--timeout", type=options.Duration(), default="10m", show_default=True, metavar="DURATION",
    envvar="HELM_ROSTER_TIMEOUT", show_envvar=True, help="How long to wait at most.",
)  # fmt: skip
@click.option(
    "--restarts", type=click.IntRange(min=0), default=RESTARTS, show_default=True, metavar="N",
    envvar="HELM_ROSTER_RESTARTS", show_envvar=True,
    help="Restarts of a container after which the wait fails when it is down again.",
)  # fmt: skip
@options.output("HELM_ROSTER_OUTPUT")
@options.cluster
def wait(release: str, goal: Goal, output: str, timeout: float, restarts: int) -> None:
    """Wait until an operation is ready, placed, complete or deleted; end at once where that cannot be any more.

    RELEASE is a release's name, or that of an operation which GitOps applied. Exit codes: 0 it is so; 4 it cannot
    become so any more; 5 the time is over; 6 it was deleted meanwhile; 1 there is none.

    \b
    helm roster wait rl
    helm roster wait rl --for complete --timeout 12h
    """  # noqa: D301
    from helm_roster.commands import wait as command  # noqa: PLC0415

    command.run(release, goal=goal, output=output, timeout=timeout, restarts=restarts)
