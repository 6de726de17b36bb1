"""The verbs about presets: those of the library and those of files that are given.

Commands are imported when they are called: a start must be fast.
"""

from __future__ import annotations

import click

from helm_roster import assets
from helm_roster.commands import options

_FILES = click.option(
    "-f", "--values", "files", multiple=True, metavar="FILE", envvar="HELM_ROSTER_PRESET_FILES", show_envvar=True,
    help="Files of presets beside those of the library; may be repeated.",
)  # fmt: skip
_OUTPUT = options.output("HELM_ROSTER_OUTPUT")


@click.group()
def presets() -> None:
    """Look at presets, those that come with the tool and those of your own files; check and choose them.

    \b
    helm roster presets list h200
    helm roster plan -f "$(helm roster presets path roster/h200)" -f values.yaml
    """  # noqa: D301


@presets.command("list")
@click.argument("words", nargs=-1, metavar="[WORD]...")
@_FILES
@_OUTPUT
def list_(words: tuple[str, ...], files: tuple[str, ...], output: str) -> None:
    """List presets with what each selects; of many, those in which every WORD stands.

    \b
    helm roster presets list
    helm roster presets list h200 gke
    helm roster presets list -f platform/h200.yaml
    """  # noqa: D301
    from helm_roster.commands import presets_list as command  # noqa: PLC0415

    command.run(words, files, output=output)


@presets.command()
@click.argument("name")
@click.option(
    "--example", is_flag=True, envvar="HELM_ROSTER_EXAMPLE", show_envvar=True,
    help="Show instead what a model group becomes under it, as a diff of its manifests.",
)  # fmt: skip
@_FILES
@options.chart
@_OUTPUT
def show(name: str, files: tuple[str, ...], chart: str | None, output: str, example: bool) -> None:  # noqa: FBT001  (click passes by name)
    """Print a preset as a values file: for whom it is, what it needs, and what it sets.

    \b
    helm roster presets show roster/h200
    helm roster presets show roster/h200 --example
    """  # noqa: D301
    from helm_roster.commands import presets_show as command  # noqa: PLC0415

    command.run(name, files, chart=assets.chart(chart), output=output, example=example)


@presets.command()
@click.argument("name", required=False)
@_FILES
def path(name: str | None, files: tuple[str, ...]) -> None:
    """Print the folder of the library, or the file that has the preset NAME.

    \b
    helm roster presets path roster/h200
    helm roster install rl -f "$(helm roster presets path roster/h200)" -f values.yaml
    """  # noqa: D301
    from helm_roster.commands import presets_path as command  # noqa: PLC0415

    command.run(name, files)


@presets.command()
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@options.chart
@_OUTPUT
def lint(files: tuple[str, ...], chart: str | None, output: str) -> int:
    """Look what is wrong with files of presets, or with all files of a folder; ends with 1 where something is.

    Each finding is one line with file, line and what to do. A group that takes the preset is rendered by the chart.

    \b
    helm roster presets lint platform/*.yaml
    """  # noqa: D301
    from helm_roster.commands import presets_lint as command  # noqa: PLC0415

    return command.run(files, chart=assets.chart(chart), output=output)


@presets.command()
@click.argument("names", nargs=-1, metavar="[NAME]...")
@_FILES
@options.chart
@_OUTPUT
@options.cluster
def check(names: tuple[str, ...], files: tuple[str, ...], chart: str | None, output: str) -> int:
    """Show which presets fit the cluster: matching nodes, what they offer, taints, device classes.

    Without NAME all presets that match some node. Ends with 1 where one that is named does not fit. Names joined by +
    are taken together; a fabric is looked at beside each of the accelerators that are named.

    \b
    helm roster presets check
    helm roster presets check roster/h200-eks roster/efa-p5en
    helm roster presets check roster/h200-eks+roster/efa-p5en+roster/spot-eks
    helm roster presets check roster/h200 team/h200 -f platform/h200.yaml
    """  # noqa: D301
    from helm_roster.commands import presets_check as command  # noqa: PLC0415

    return command.run(names, files, chart=assets.chart(chart), output=output)
