"""The command line: options, one call into a command, and the one place where errors become output.

Results go to stdout, talk to stderr. Exit codes: 0; 1 refused or bad input; 2 usage; 3 bug; 4 Helm or the cluster
failed; 5 timeout; 130 after ^C. Commands are imported when they are called: a start must be fast.
"""

from __future__ import annotations

import platform
import sys
import traceback
from typing import Final

import click

from helm_roster import __version__, assets, errors
from helm_roster.commands import options
from helm_roster.report import console

_BUG: Final = 3
_INTERRUPTED: Final = 130
_CONTEXT: Final = {"help_option_names": ["-h", "--help"], "max_content_width": 120}


@click.group(context_settings=_CONTEXT)
@click.version_option(__version__, prog_name="helm-roster")
@options.cluster
def cli() -> None:
    """AI workloads as named replica groups, through Helm.

    \b
    helm roster plan -f values.yaml             what it will ask for
    helm roster install rl -f values.yaml       run it
    helm roster status rl                       what it waits for
    helm roster cancel rl                       remove it, wholly
    """  # noqa: D301  (click reads \b as "do not rewrap")


@cli.command(cls=options.HelmCommand)
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
@options.output("HELM_ROSTER_OUTPUT")
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


@cli.command(cls=options.HelmCommand)
@options.passes_on
def template(release: str, helm_args: tuple[str, ...], chart: str | None) -> None:
    """Print the manifests that install would apply.

    HELM_ARGS: any flag of helm template, passed on as it is.

    \b
    helm roster template rl -f values.yaml > manifests.yaml
    """  # noqa: D301
    from helm_roster.commands import template as command  # noqa: PLC0415

    command.run(release, helm_args, chart=assets.chart(chart))


@cli.command(cls=options.HelmCommand)
@options.passes_on
def install(release: str, helm_args: tuple[str, ...], chart: str | None) -> None:
    """Install an operation: checks first, then plain helm install with the post-renderer.

    HELM_ARGS: any flag of helm install, passed on as it is.

    \b
    helm roster install rl -n team-a -f values.yaml
    """  # noqa: D301
    from helm_roster.commands import install as command  # noqa: PLC0415

    command.run(release, helm_args, chart=assets.chart(chart))


@cli.command(cls=options.HelmCommand)
@options.hand_over_replicas
@options.passes_on
def upgrade(release: str, helm_args: tuple[str, ...], chart: str | None, **others: bool) -> None:
    """Upgrade an operation: checks first, then plain helm upgrade with the post-renderer.

    HELM_ARGS: any flag of helm upgrade, passed on as it is.

    \b
    helm roster upgrade rl -f values.yaml
    helm roster upgrade rl --install -f values.yaml
    """  # noqa: D301
    from helm_roster.commands import upgrade as command  # noqa: PLC0415

    command.run(release, helm_args, chart=assets.chart(chart), **others)


@cli.command()
@click.argument("release")
@options.output("HELM_ROSTER_OUTPUT")
@options.cluster
def status(release: str, output: str) -> None:
    """Show whether an operation is ready, and what waits: quota, placement or readiness, by group.

    RELEASE is a release's name, or that of an operation which GitOps applied.

    \b
    helm roster status rl
    helm roster status rl -o json
    """  # noqa: D301
    from helm_roster.commands import status as command  # noqa: PLC0415

    command.run(release, output=output)


@cli.command()
@click.argument("release")
@click.option(
    "--timeout", type=options.Duration(), default="5m", show_default=True, metavar="DURATION",
    envvar="HELM_ROSTER_TIMEOUT", show_envvar=True, help="How long to wait until everything is gone.",
)  # fmt: skip
@click.option(
    "--wait/--no-wait", default=True, show_default=True, envvar="HELM_ROSTER_WAIT", show_envvar=True,
    help="Return when everything is gone, or once its deletion has begun.",
)  # fmt: skip
@options.output("HELM_ROSTER_OUTPUT")
@options.cluster
def cancel(release: str, timeout: float, wait: bool, output: str) -> None:  # noqa: FBT001  (click passes by name)
    """Remove an operation, running, waiting or half installed, and return when nothing of it is left.

    \b
    helm roster cancel rl
    helm roster cancel rl --timeout 10m
    """  # noqa: D301
    from helm_roster.commands import cancel as command  # noqa: PLC0415

    command.run(release, timeout=timeout, wait=wait, output=output)


def main() -> None:
    """Run the command line and end the process with its exit code."""
    sys.exit(run(sys.argv[1:]))


def run(args: list[str]) -> int:
    """Run one command line and return its exit code; every error ends here."""
    try:
        code = cli.main(args, prog_name="helm roster", standalone_mode=False)
    except errors.RosterError as error:
        console.error(str(error))
        return error.exit_code
    except click.UsageError as error:
        error.show()
        return errors.UsageError.exit_code
    except (KeyboardInterrupt, click.Abort):
        console.error("interrupted")
        return _INTERRUPTED
    except BrokenPipeError:
        sys.stdout = None  # nobody reads any more: nothing to flush at the end
        return 1
    except Exception:  # noqa: BLE001  (the boundary: whatever is not foreseen is a bug, and is said so)
        console.say(traceback.format_exc())
        console.error(
            f"this is a bug in helm-roster {__version__} (Python {platform.python_version()}): please report it"
        )
        return _BUG
    return code if isinstance(code, int) else 0
