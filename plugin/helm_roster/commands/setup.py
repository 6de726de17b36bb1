"""``helm roster setup``: puts our plugins where Helm finds them, renews them, or takes them out again.

As JSON: ``{"apiVersion": "helm-roster.dev/v1alpha1", "kind": "Setup", "helm": {path, version}, "folder": …,
"plugins": [{name, path, version, action}]}``. ``action`` is ``installed``, ``renewed``, ``unchanged``, ``removed``,
``absent`` (there was none to remove) or ``left`` (setup did not put it there, so it does not remove it).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final

from helm_roster import __version__, constants, errors
from helm_roster.helm import find, plugin_folders, plugin_setup
from helm_roster.helm.find import Helm
from helm_roster.helm.plugin_setup import Action, Plugin
from helm_roster.report import console

_NEXT: Final = {
    "roster": "helm roster --help",
    "roster-postrender": "helm install … --post-renderer roster-postrender",
}
_LEFT: Final = "{path} was not made by helm-roster setup: helm plugin uninstall {name} removes it"


def run(*, helm4: bool, uninstall: bool, output: str) -> None:
    """Set up the plugin ``roster``, and for ``helm4`` also ``roster-postrender``; or remove what was set up.

    Raises:
        BadInputError: There is no usable Helm, or the folder cannot be written.
        RefusedError: A plugin of that name is there and is not ours, or a Helm 3 reads the folder for ``helm4``.
    """
    helm = find.find()
    folders = plugin_folders.of(helm)
    if not folders:
        msg = f"{helm.path} names no folder for plugins: set HELM_PLUGINS to one"
        raise errors.BadInputError(msg)
    if uninstall:
        if helm4:
            console.say("--uninstall removes both plugins, with --helm4 or without")
        done = _each([plugin_setup.command_line(), plugin_setup.post_renderer()], folders[0], plugin_setup.take)
    else:
        done = _each(_allowed(helm, folders, helm4=helm4), folders[0], plugin_setup.put)
    _report(helm, folders, done, output)


def _each(
    plugins: Sequence[Plugin], folder: Path, do: Callable[[Plugin, Path], Action]
) -> list[tuple[Plugin, Path, Action]]:
    return [(plugin, folder / plugin.name, do(plugin, folder)) for plugin in plugins]


def _allowed(helm: Helm, folders: Sequence[Path], *, helm4: bool) -> list[Plugin]:
    """Return the plugins to put there, once nothing stands against any of them."""
    plugins = [plugin_setup.command_line(), *([plugin_setup.post_renderer()] if helm4 else [])]
    found = plugin_folders.installed(folders)
    for plugin in plugins:
        plugin_setup.refuse_foreign(plugin, folders[0], found)
    if helm4 and (other := plugin_folders.helm3_of(helm, folders[0])):
        msg = (
            f"{other.path} is a Helm 3 and reads {folders[0]} too, and a plugin of Helm 4 there stops every plugin of "
            "Helm 3: leave --helm4 away (helm roster brings its own), or set HELM_PLUGINS to a folder for Helm 4 alone"
        )
        raise errors.RefusedError(msg)
    return plugins


def _report(helm: Helm, folders: Sequence[Path], done: Sequence[tuple[Plugin, Path, Action]], output: str) -> None:
    if output != "table":
        console.document(_document(helm, folders[0], done), output)
    for plugin, path, action in done:
        if output == "table":
            console.write(f"plugin {plugin.name} {__version__}: {action} ({path})")
        if action == "left":
            console.say(_LEFT.format(path=path, name=plugin.name))
        elif action in {"installed", "renewed"}:
            console.say(f"try: {_NEXT[plugin.name]}")
    for trouble in plugin_folders.troubles(plugin_folders.installed(folders), helm3=not helm.is_helm4):
        console.say(f"Warning: {trouble}")


def _document(helm: Helm, folder: Path, done: Sequence[tuple[Plugin, Path, Action]]) -> dict[str, Any]:
    return {
        "apiVersion": constants.API_VERSION,
        "kind": "Setup",
        "helm": {"path": helm.path, "version": helm.told},
        "folder": str(folder),
        "plugins": [
            {"name": plugin.name, "path": str(path), "version": __version__, "action": action}
            for plugin, path, action in done
        ],
    }
