"""The part of doctor that looks at this machine: Helm, its plugins, kubectl, and what is installed of ours."""

from __future__ import annotations

import json
import platform
import shutil
import subprocess
import sys
from pathlib import Path

from helm_roster import __version__, constants, errors
from helm_roster.helm import find, plugin_folders, plugin_setup, run
from helm_roster.helm.find import Helm
from helm_roster.manifests import door, walk
from helm_roster.policy import diagnosis
from helm_roster.policy.diagnosis import Finding


def helm() -> Finding:
    """Look for Helm.

    Raises:
        BadInputError: There is none that we can use.
    """
    found = find.find()
    return diagnosis.helm(found.version, found.path)


def plugins() -> Finding:
    """Look for what stops Helm from loading plugins, a Helm 3 that reads the same folders among it, and for ours.

    Raises:
        BadInputError: There is no usable Helm.
    """
    here = find.find()
    folders = plugin_folders.of(here)
    found = plugin_folders.installed(folders)
    old = next((other for folder in folders if (other := plugin_folders.helm3_of(here, folder))), None)
    told = plugin_folders.troubles(found, helm3=old is not None) or _refused(here)
    if told:
        return Finding(check="plugins", state="failed", found="; ".join(told))
    if hidden := plugin_folders.hidden(found):
        return Finding(check="plugins", state="warning", found="; ".join(hidden))
    names = [plugin_setup.command_line().name, plugin_setup.post_renderer().name]
    ours = {plugin.name: plugin.version for plugin in found if plugin.name in names}
    return diagnosis.plugin(names[0], ours, __version__)


def post_renderer() -> Finding:
    """Look for the post-renderer that plain Helm would run; ``helm roster`` always brings its own.

    Raises:
        BadInputError: There is no usable Helm.
    """
    here, ours = find.find(), plugin_setup.post_renderer()
    if here.is_helm4:
        installed = plugin_folders.same_name(plugin_folders.installed(plugin_folders.of(here)), ours.name)
        place, remedy = installed[0].folder if installed else None, "helm-roster setup --helm4"
    else:
        on_path = shutil.which(ours.name)
        place, remedy = (
            Path(on_path) if on_path else None,
            f"give --post-renderer the path {plugin_setup.program(ours)}",
        )
    if place is None:
        told = "helm roster brings its own; plain helm finds none"
        return Finding(check="post-renderer", state="ok", found=told, remedy=f"{remedy}, if you run plain helm")
    return _same_installation(place, plugin_setup.program(ours))


def kubectl(server: str | None) -> Finding:
    """Look for kubectl; ``server`` is the API server's version where we know it."""
    program = shutil.which("kubectl")
    version = None
    if program is not None:
        done = subprocess.run([program, "version", "--client", "-o", "json"], capture_output=True, check=False)
        try:
            version = walk.get(json.loads(done.stdout or b"{}"), "clientVersion", "gitVersion")
        except ValueError:
            version = None
    return diagnosis.kubectl(version, server)


def versions(chart: str) -> Finding:
    """Look at what is installed of ours, and at the chart.

    Raises:
        BadInputError: The chart cannot be read, or is another one.
    """
    try:
        shown = door.to_plain(door.load(run.capture(["show", "chart", chart])))
    except run.HelmError as error:
        msg = f"{chart} is no chart that Helm can read ({error.said}): correct --chart"
        raise errors.BadInputError(msg) from error
    name, version = walk.get(shown, "name"), walk.get(shown, "version")
    if name != constants.CHART:
        msg = f"{chart} is the chart {name}, where {constants.CHART} is needed: correct --chart"
        raise errors.BadInputError(msg)
    python = f"Python {platform.python_version()}"
    return Finding(check="versions", state="ok", found=f"helm-roster {__version__}, chart {version}, {python}")


def _refused(here: Helm) -> list[str]:
    """Return what Helm itself says where it cannot load the plugins for another reason."""
    try:
        run.capture(["plugin", "list"])
    except run.HelmError as error:
        return [f"{here.path} loads no plugin: {' '.join(error.said.split())}"]
    return []


def _same_installation(place: Path, ours: Path | None) -> Finding:
    """Tell whether the program that ``place`` (itself, or a plugin that links to it) starts is of this installation."""
    linked = place / plugin_setup.post_renderer().program
    program = linked if linked.exists() else place
    if program.is_file() and ours is not None and program.resolve() != ours.resolve():
        told = f"plain helm runs {program.resolve()}, which is of another installation"
        remedy = f"helm-roster setup --helm4, or a PATH on which {Path(sys.executable).parent} comes first"
        return Finding(check="post-renderer", state="warning", found=told, remedy=remedy)
    return Finding(check="post-renderer", state="ok", found=str(place))
