"""The verbs that take a values file: what it asks for, what it makes, and its way into a cluster.

Commands are imported when they are called: a start must be fast.
"""

from __future__ import annotations

import click

from helm_roster import assets
from helm_roster.commands import options


@click.command(cls=options.HelmCommand)
@click.argument("release", required=False, default=options.NO_RELEASE)
@click.argument("helm_args", nargs=-1, type=click.UNPROCESSED)
@options.chart
@click.option(
    "--explain", metavar="PATH", envvar="HELM_ROSTER_EXPLAIN", show_envvar=True,
    help="Show instead who set the values there, as in decode.container.env.",
)  # fmt: skip
@click.option(
    "--against", metavar="RELEASE", envvar="HELM_ROSTER_AGAINST", show_envvar=True,
    help="Show too what an upgrade of this release would change, by group.",
)  # fmt: skip
@options.output("HELM_ROSTER_OUTPUT", "html")
@options.cluster
def plan(
    release: str, helm_args: tuple[str, ...], explain: str | None, against: str | None, chart: str | None, **others: str
) -> None:
    """Show what an operation will ask for, and what placement will keep of it. Only --against needs a cluster.

    HELM_ARGS: values and other flags of helm template.

    \b
    helm roster plan -f values.yaml
    helm roster plan -f values.yaml --set groups.decode.replicas=12 -o json
    helm roster plan -f values.yaml --explain decode.container.env
    helm roster plan -f values.yaml --against rl
    helm roster plan -f values.yaml -o html > plan.html
    """  # noqa: D301
    from helm_roster.commands import explain as explaining  # noqa: PLC0415
    from helm_roster.commands import plan as command  # noqa: PLC0415

    if explain is not None and against is not None:
        msg = "--explain and --against are two questions: ask one"
        raise click.UsageError(msg)
    if explain is not None:
        explaining.run(release, helm_args, chart=assets.chart(chart), output=others["output"], asked=explain)
    else:
        command.run(release, helm_args, chart=assets.chart(chart), output=others["output"], running=against)


@click.command(cls=options.HelmCommand)
@options.passes_on
def template(release: str, helm_args: tuple[str, ...], chart: str | None) -> None:
    """Print the manifests that install would apply.

    HELM_ARGS: any flag of helm template, passed on as it is.

    \b
    helm roster template rl -f values.yaml > manifests.yaml
    """  # noqa: D301
    from helm_roster.commands import template as command  # noqa: PLC0415

    command.run(release, helm_args, chart=assets.chart(chart))


@click.command(cls=options.HelmCommand)
@options.skip_checks
@options.passes_on
def install(release: str, helm_args: tuple[str, ...], chart: str | None, **others: bool) -> None:
    """Install an operation: checks first, then plain helm install with the post-renderer.

    HELM_ARGS: any flag of helm install, passed on as it is.

    \b
    helm roster install rl -n team-a -f values.yaml
    helm roster install rl -f values.yaml --skip-checks
    """  # noqa: D301
    from helm_roster.commands import install as command  # noqa: PLC0415

    options.refuse_skipping(helm_args, skip_checks=others["skip_checks"])
    command.run(release, helm_args, chart=assets.chart(chart), **others)


@click.command(cls=options.HelmCommand)
@options.hand_over_replicas
@options.recreate
@options.skip_checks
@options.passes_on
def upgrade(release: str, helm_args: tuple[str, ...], chart: str | None, **others: bool) -> None:
    """Upgrade an operation: checks first, then plain helm upgrade with the post-renderer.

    HELM_ARGS: any flag of helm upgrade, passed on as it is.

    \b
    helm roster upgrade rl -f values.yaml
    helm roster upgrade rl --install -f values.yaml
    helm roster upgrade rl -f values.yaml --recreate --timeout 20m
    """  # noqa: D301
    from helm_roster.commands import upgrade as command  # noqa: PLC0415

    options.refuse_skipping(helm_args, skip_checks=others["skip_checks"], recreate=others["recreate"])
    command.run(release, helm_args, chart=assets.chart(chart), **others)
