"""The verbs that look after this machine: whether everything is there, and the plugins.

Commands are imported when they are called: a start must be fast.
"""

from __future__ import annotations

import click

from helm_roster import assets
from helm_roster.commands import options


@click.command(cls=options.HelmCommand)
@click.argument("helm_args", nargs=-1, type=click.UNPROCESSED)
@options.chart
@click.option(
    "--smoke-test", is_flag=True,  # no environment twin: it would make pods with every doctor of a shell
    help="Try whether gangs are held: make a namespace with three small pods, and delete it again.",
)  # fmt: skip
@options.output("HELM_ROSTER_OUTPUT")
@options.cluster
def doctor(helm_args: tuple[str, ...], chart: str | None, output: str, **others: bool) -> int:
    """Look whether everything is there, here and in the cluster, and say what to do; ends with 1 where something fails.

    HELM_ARGS: values and other flags of helm template, to ask for what they need and name too.

    \b
    helm roster doctor
    helm roster doctor -n team-a -f values.yaml
    helm roster doctor -n team-a -f values.yaml --smoke-test
    """  # noqa: D301
    from helm_roster.commands import doctor as command  # noqa: PLC0415

    return command.run(helm_args, chart=assets.chart(chart), output=output, **others)


@click.command()
@click.option(
    "--helm4", is_flag=True, envvar="HELM_ROSTER_SETUP_HELM4", show_envvar=True,
    help="Also the post-renderer for plain Helm 4 (helm install --post-renderer roster-postrender).",
)  # fmt: skip
@click.option(
    "--uninstall", is_flag=True, envvar="HELM_ROSTER_SETUP_UNINSTALL", show_envvar=True,
    help="Remove what setup put there.",
)  # fmt: skip
@options.output("HELM_ROSTER_OUTPUT")
def setup(helm4: bool, uninstall: bool, output: str) -> None:  # noqa: FBT001  (click passes by name)
    """Put the plugin for `helm roster …` into Helm's folder of plugins, or renew it after an upgrade.

    The folder is the first of HELM_PLUGINS, or Helm's own. Only files of helm-roster are written or removed there.

    \b
    helm roster setup
    helm roster setup --helm4
    helm roster setup --uninstall
    """  # noqa: D301
    from helm_roster.commands import setup as command  # noqa: PLC0415

    command.run(helm4=helm4, uninstall=uninstall, output=output)
