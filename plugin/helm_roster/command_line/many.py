"""The verbs that show many things at once: all operations, the logs of many pods.

Commands are imported when they are called: a start must be fast.
"""

from __future__ import annotations

from typing import Any

import click

from helm_roster.commands import options


@click.command()
@click.argument("release")
@click.argument("groups", nargs=-1, metavar="[GROUP]...")
@click.option(
    "-f", "--follow", is_flag=True, envvar="HELM_ROSTER_FOLLOW", show_envvar=True,
    help="Go on with what comes, of new pods too, until no pod runs and none will come.",
)  # fmt: skip
@click.option(
    "--tail", type=click.IntRange(min=-1), metavar="N", envvar="HELM_ROSTER_TAIL", show_envvar=True,
    help="Lines from the end of each log; -1 for all.  [default: all of one log, 10 of each of several]",
)  # fmt: skip
@click.option(
    "--since", type=options.Duration(), metavar="DURATION", envvar="HELM_ROSTER_SINCE", show_envvar=True,
    help="Only lines that are not older.",
)  # fmt: skip
@click.option(
    "-p", "--previous", is_flag=True, envvar="HELM_ROSTER_PREVIOUS", show_envvar=True,
    help="The logs of the containers as they were before their last restart.",
)  # fmt: skip
@click.option(
    "-c", "--container", default="", metavar="NAME", envvar="HELM_ROSTER_CONTAINER", show_envvar=True,
    help="Containers of that name instead of the main ones; init containers and sidecars too.",
)  # fmt: skip
@click.option(
    "--all-containers", "everything", is_flag=True, envvar="HELM_ROSTER_ALL_CONTAINERS", show_envvar=True,
    help="All containers of each pod.",
)  # fmt: skip
@click.option(
    "--timestamps", is_flag=True, envvar="HELM_ROSTER_TIMESTAMPS", show_envvar=True, help="Show when each line came.",
)  # fmt: skip
@click.option(
    "--prefix/--no-prefix", default=True, show_default=True, envvar="HELM_ROSTER_PREFIX", show_envvar=True,
    help="Put group and pod before each line, in colours on a terminal.",
)  # fmt: skip
@click.option(
    "--max", "most", type=click.IntRange(min=1), default=50, show_default=True, metavar="N",
    envvar="HELM_ROSTER_MAX_PODS", show_envvar=True, help="Pods at most.",
)  # fmt: skip
@options.output("HELM_ROSTER_OUTPUT")
@options.cluster
def logs(release: str, groups: tuple[str, ...], output: str, **given: Any) -> None:  # noqa: ANN401  (flags and counts)
    """Print the logs of an operation's pods, of all groups or of some.

    RELEASE is a release's name, or that of an operation which GitOps applied. With -o json each line is a document.

    \b
    helm roster logs rl
    helm roster logs rl decode router -f --tail 20
    helm roster logs rl learner --previous
    """  # noqa: D301
    from helm_roster.commands import log_scope  # noqa: PLC0415
    from helm_roster.commands import logs as command  # noqa: PLC0415
    from helm_roster.report import log_lines  # noqa: PLC0415

    if given["container"] and given["everything"]:
        msg = "--container and --all-containers are two questions: ask one"
        raise click.UsageError(msg)
    if given["follow"] and given["previous"]:
        msg = "--previous shows logs that have ended: there is nothing to --follow"
        raise click.UsageError(msg)
    printer = log_lines.Printer(output, prefix=given.pop("prefix"), timestamps=given.pop("timestamps"))
    command.run(release, follow=given.pop("follow"), wanted=log_scope.Wanted(groups=groups, **given), printer=printer)


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
