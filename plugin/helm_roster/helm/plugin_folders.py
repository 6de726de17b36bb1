"""The folders in which Helm looks for plugins: what is in them, and what there stops Helm from loading any.

Seen on Helm 3.19 and 4.3: two plugins of one name in one folder, and no plugin is loaded. One plugin.yaml that cannot
be read does the same to Helm 3; Helm 4 leaves that one out. ``apiVersion: v1`` is what Helm 4 wants and Helm 3 cannot
take. Over the folders of a path list, the first of a name is taken; Helm 4 then knows no command of a plugin that comes
after the second.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from helm_roster import errors
from helm_roster.helm import find
from helm_roster.helm.find import Helm
from helm_roster.manifests import door, walk


@dataclass(frozen=True, kw_only=True)
class Installed:
    """One plugin in a folder of plugins; where its manifest cannot be read, ``broken`` says why, and it has no name."""

    folder: Path
    name: str = ""
    version: str = ""
    is_v1: bool = False
    broken: str = ""


def of(helm: Helm) -> list[Path]:
    """Return the folders in which this Helm looks, the user's own first; they need not exist."""
    listed = os.environ.get("HELM_PLUGINS") or _ask(helm)
    return [Path(part) for part in listed.split(os.pathsep) if part]


def installed(folders: Sequence[Path]) -> list[Installed]:
    """Return the plugins of all folders, in Helm's order."""
    return [_read(manifest) for folder in folders for manifest in sorted(folder.glob("*/plugin.yaml"))]


def troubles(found: Sequence[Installed], *, helm3: bool) -> list[str]:
    """Return, one line each, what keeps Helm from loading plugins, and what to do; ``helm3``: a Helm 3 reads them."""
    return [*_clashes(found), *(_broken(found) if helm3 else ()), *(_of_helm4(found) if helm3 else ())]


def hidden(found: Sequence[Installed]) -> list[str]:
    """Return, one line each, the plugins that another of their name in an earlier folder hides, and what to do."""
    first: dict[str, Installed] = {}
    told = []
    for plugin in found:
        known = first.setdefault(plugin.name, plugin)
        if plugin.name and known.folder.parent != plugin.folder.parent:
            told.append(
                f'plugin "{plugin.name}" is in {known.folder} and again in {plugin.folder}, which hides plugins from '
                "Helm 4: remove one"
            )
    return told


def helm3_of(helm: Helm, folder: Path) -> Helm | None:
    """Return a Helm 3, ``helm`` itself or one on PATH, that looks for plugins in ``folder``; None where none does."""
    place = folder.resolve()
    old = [other for other in (helm, *find.on_path()) if not other.is_helm4]
    return next((other for other in old if place in [each.resolve() for each in of(other)]), None)


def same_name(found: Sequence[Installed], name: str) -> list[Installed]:
    """Return the plugins that are called ``name``."""
    return [plugin for plugin in found if plugin.name == name]


def _broken(found: Sequence[Installed]) -> Iterator[str]:
    for plugin in found:
        if plugin.broken:
            yield f"{plugin.folder}/plugin.yaml stops every plugin of Helm 3 ({plugin.broken}): correct or remove it"


def _clashes(found: Sequence[Installed]) -> Iterator[str]:
    first: dict[tuple[Path, str], Installed] = {}
    for plugin in found:
        known = first.setdefault((plugin.folder.parent, plugin.name), plugin)
        if known is not plugin and plugin.name:
            yield (
                f'two plugins are called "{plugin.name}", which stops every plugin: '
                f"remove {known.folder} or {plugin.folder}"
            )


def _of_helm4(found: Sequence[Installed]) -> Iterator[str]:
    for plugin in found:
        if plugin.is_v1:
            yield (
                f'plugin "{plugin.name}" is for Helm 4 alone and stops every plugin of Helm 3: remove {plugin.folder}, '
                "or give each Helm a folder of its own in HELM_PLUGINS"
            )


def _read(manifest: Path) -> Installed:
    folder = manifest.parent
    try:
        data = door.to_plain(door.load(manifest.read_text(encoding="utf-8")))
    except (errors.BadInputError, OSError, UnicodeDecodeError) as cause:
        return Installed(folder=folder, broken=" ".join(str(cause).split()))
    name = str(walk.get(data, "name", default=""))
    if not name:
        return Installed(folder=folder, broken="it has no name")
    version = str(walk.get(data, "version", default=""))
    return Installed(folder=folder, name=name, version=version, is_v1=walk.get(data, "apiVersion") is not None)


def _ask(helm: Helm) -> str:
    done = subprocess.run([helm.path, "env", "HELM_PLUGINS"], capture_output=True, text=True, check=False)
    return done.stdout.strip()
