"""Puts our plugins into a folder of plugins and takes them out again; nothing that is not ours is touched.

What we put there is known by a marker file. A plugin folder holds a manifest, a script that starts the program, and a
link to the program of this very installation, so that it need not be on PATH.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

from helm_roster import __version__, assets, errors
from helm_roster.helm import find, plugin_folders
from helm_roster.helm.plugin_folders import Installed

Action = Literal["installed", "renewed", "unchanged", "removed", "absent", "left"]

_MARKER: Final = ".made-by-helm-roster"
_MANIFEST: Final = "plugin.yaml"


@dataclass(frozen=True, kw_only=True)
class Plugin:
    """One of our plugins: where its files come from, its script, and the program that this starts."""

    name: str
    source: Path
    script: str
    program: str

    @property
    def files(self) -> tuple[str, ...]:
        """Return all that we put into its folder; the manifest comes last, since Helm looks for it."""
        return (_MARKER, self.program, self.script, _MANIFEST)


def command_line() -> Plugin:
    """Return the plugin ``roster``, which Helm 3 and Helm 4 both take."""
    return Plugin(name="roster", source=assets.cli_plugin(), script="launch.sh", program="helm-roster")


def post_renderer() -> Plugin:
    """Return the plugin ``roster-postrender``, which only Helm 4 takes."""
    source = assets.helm4_plugins() / "postrender"
    return Plugin(name="roster-postrender", source=source, script="roster-postrender.sh", program="roster-postrender")


def refuse_foreign(plugin: Plugin, folder: Path, found: Sequence[Installed]) -> None:
    """Refuse to put ``plugin`` into ``folder`` where something else stands in its place or has its name.

    Raises:
        RefusedError: So it is.
    """
    place = folder / plugin.name
    others = [other.folder for other in plugin_folders.same_name(found, plugin.name) if other.folder != place]
    if others:
        msg = (
            f"a plugin {plugin.name} is in {others[0]} already, and two of one name stop others: "
            f"keep that one, or remove it first (helm plugin uninstall {plugin.name})"
        )
        raise errors.RefusedError(msg)
    if os.path.lexists(place) and not _is_ours(place) and not _is_free(plugin, place):
        msg = (
            f"{place} was not made by helm-roster setup{_leads_to(place)}: "
            f"keep it, or remove it first (helm plugin uninstall {plugin.name}, or by hand)"
        )
        raise errors.RefusedError(msg)


def put(plugin: Plugin, folder: Path) -> Action:
    """Put ``plugin`` into ``folder``, or make what is there like this version; ``refuse_foreign`` comes first.

    Raises:
        BadInputError: A file cannot be written.
    """
    place = folder / plugin.name
    before = _is_ours(place)
    try:
        place.mkdir(parents=True, exist_ok=True)
        changed = [name for name in plugin.files if _put_file(plugin, place, name)]
    except OSError as cause:
        msg = f"{cause.filename or place} cannot be written ({cause.strerror}): name another folder in HELM_PLUGINS"
        raise errors.BadInputError(msg) from cause
    return "installed" if not before else "renewed" if changed else "unchanged"


def take(plugin: Plugin, folder: Path) -> Action:
    """Take ``plugin`` out of ``folder``; "left" where it is not ours.

    Raises:
        BadInputError: A file cannot be removed.
    """
    place = folder / plugin.name
    if not os.path.lexists(place) or _is_free(plugin, place):
        return "absent"
    if not _is_ours(place):
        return "left"
    try:
        for name in reversed(plugin.files):
            for path in (place / name, *place.glob(f".{name}.*[0-9]")):  # also what a setup that was killed left
                path.unlink(missing_ok=True)
        if not any(place.iterdir()):
            place.rmdir()
    except OSError as cause:
        msg = f"{cause.filename or place} cannot be removed ({cause.strerror})"
        raise errors.BadInputError(msg) from cause
    return "removed"


def program(plugin: Plugin) -> Path | None:
    """Return the program of this installation that ``plugin`` starts; None where it has no scripts of its own."""
    return find.beside(plugin.program)


def _is_ours(place: Path) -> bool:
    return not place.is_symlink() and (place / _MARKER).is_file()


def _is_free(plugin: Plugin, place: Path) -> bool:
    """Return whether the place is a folder that Helm takes for no plugin, such as ours with files of others left."""
    return place.is_dir() and not place.is_symlink() and not any(os.path.lexists(place / name) for name in plugin.files)


def _leads_to(place: Path) -> str:
    return f" (it is a link to {place.readlink()})" if place.is_symlink() else ""


def _put_file(plugin: Plugin, place: Path, name: str) -> bool:
    """Write or link one file in one step, so that a Helm that reads it meanwhile finds the old or the new one."""
    target, fresh = place / name, place / f".{name}.{os.getpid()}"
    if name == plugin.program:
        linked = program(plugin)
        if linked is None or (target.is_symlink() and target.readlink() == linked):
            return False
        fresh.symlink_to(linked)
    elif name == _MARKER:
        content = f"helm-roster {__version__} put these files here; helm-roster setup --uninstall removes them\n"
        if target.exists() and target.read_text(encoding="utf-8") == content:
            return False
        fresh.write_text(content, encoding="utf-8")
    else:
        source = plugin.source / name
        if target.exists() and target.read_bytes() == source.read_bytes():
            return False
        shutil.copyfile(source, fresh)
    fresh.replace(target)
    return True
