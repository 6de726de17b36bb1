"""The verbs that look after an operation which is in a cluster already.

Commands are imported when they are called: a start must be fast.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from helm_roster.commands import options

Command = Callable[..., Any]


@click.command()
@click.argument("release")
@click.option(
    "--timeout", type=options.Duration(), default="5m", show_default=True, metavar="DURATION",
    envvar="HELM_ROSTER_TIMEOUT", show_envvar=True, help="How long to wait until everything is gone.",
)  # fmt: skip
@click.option(
    "--wait/--no-wait", default=True, show_default=True, envvar="HELM_ROSTER_WAIT", show_envvar=True,
    help="Return when everything is gone, or once its deletion has begun.",
)  # fmt: skip
@click.option(
    "--delete-data", is_flag=True,  # no environment twin: it would delete the data of every cancellation of a shell
    help="Delete the volume claims that are kept by rule, with their data (not of volumes with reclaim policy Retain);"
    " also later, by the same name.",
)  # fmt: skip
@options.output("HELM_ROSTER_OUTPUT")
@options.cluster
def cancel(release: str, timeout: float, output: str, **how: bool) -> None:
    """Remove an operation, running, waiting or half installed, and return when nothing of it is left.

    \b
    helm roster cancel rl
    helm roster cancel rl --timeout 10m --delete-data
    """  # noqa: D301
    from helm_roster.commands import cancel as command  # noqa: PLC0415

    command.run(release, timeout=timeout, output=output, **how)


def _waiting(text: str) -> Callable[[Command], Command]:
    """Add ``--timeout`` and ``--wait``."""

    def add(command: Command) -> Command:
        command = click.option(
            "--wait/--no-wait", default=True, show_default=True, envvar="HELM_ROSTER_WAIT", show_envvar=True,
            help=f"Return when {text}, or once it is asked for.",
        )(command)  # fmt: skip
        return click.option(
            "--timeout", type=options.Duration(), default="5m", show_default=True, metavar="DURATION",
            envvar="HELM_ROSTER_TIMEOUT", show_envvar=True, help=f"How long to wait until {text}.",
        )(command)  # fmt: skip

    return add


@click.command()
@click.argument("release")
@_waiting("no pod that a queue admits runs any more")
@options.output("HELM_ROSTER_OUTPUT")
@options.cluster
def suspend(release: str, timeout: float, wait: bool, output: str) -> None:  # noqa: FBT001  (click passes by name)
    """Give the quota of an operation back to its queue without deleting it: its pods go, and wait to be resumed.

    Gangs and Jobs are kept out by their queue; groups whose pods are admitted one by one are scaled to 0. What no queue
    admits runs on.

    \b
    helm roster suspend rl
    """  # noqa: D301
    from helm_roster.commands import suspend as command  # noqa: PLC0415

    command.run(release, off=True, timeout=timeout, wait=wait, output=output)


@click.command()
@click.argument("release")
@_waiting("all of it is admitted")
@options.output("HELM_ROSTER_OUTPUT")
@options.cluster
def resume(release: str, timeout: float, wait: bool, output: str) -> None:  # noqa: FBT001  (click passes by name)
    """Have a suspended operation admitted again, as soon as there is quota for it.

    \b
    helm roster resume rl
    helm roster resume rl --no-wait
    """  # noqa: D301
    from helm_roster.commands import suspend as command  # noqa: PLC0415

    command.run(release, off=False, timeout=timeout, wait=wait, output=output)


@click.command(cls=options.CountsCommand)
@options.skip_checks
@options.with_dependents
@options.output("HELM_ROSTER_OUTPUT")
@options.passes_on
def scale(
    release: str, helm_args: tuple[str, ...], chart: str | None, output: str, *, with_dependents: bool, **others: bool
) -> None:
    """Change the number of replicas of groups, and nothing else, through Helm.

    HELM_ARGS: GROUP=COUNT, one or more, and flags of helm upgrade, passed on as they are. Hooks do not run. With
    --dry-run all is checked and nothing applied. Groups that read the count of another one are named; with
    --with-dependents their pods are replaced too.

    \b
    helm roster scale rl decode=12
    helm roster scale rl prefill=4 decode=12 --wait --timeout 20m
    """  # noqa: D301
    from helm_roster.commands import scale as command  # noqa: PLC0415

    options.refuse_skipping(helm_args, **others)
    command.run(release, helm_args, chart=chart, output=output, with_dependents=with_dependents, **others)
