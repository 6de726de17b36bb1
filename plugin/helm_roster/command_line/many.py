"""The verbs that show many things at once: all operations, the logs of many pods.

Commands are imported when they are called: a start must be fast.
"""

from __future__ import annotations

import click

from helm_roster.commands import options


@click.command("list")
@click.option(
    "-A", "--all-namespaces", "everywhere", is_flag=True, envvar="HELM_ROSTER_ALL_NAMESPACES", show_envvar=True,
    help="Those of all namespaces.",
)  # fmt: skip
@options.output("HELM_ROSTER_OUTPUT")
@options.cluster
def list_(everywhere: bool, output: str) -> None:  # noqa: FBT001  (click passes by name)
    """List the operations of a namespace, with or without a Helm release: verdict, pods, groups, and who owns them.

    \b
    helm roster list -n team-a
    helm roster list -A
    """  # noqa: D301
    from helm_roster.commands import list as command  # noqa: PLC0415

    command.run(everywhere=everywhere, output=output)
