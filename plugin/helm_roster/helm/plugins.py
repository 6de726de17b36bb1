"""How each Helm is told to run our post-renderer.

Helm 3 takes an executable. Helm 4 takes the name of an installed plugin, and HELM_PLUGINS is a path list, so our
own folder is appended to it for the one call: nothing is written into the user's.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from helm_roster import assets, errors
from helm_roster.helm import find, plugin_folders
from helm_roster.helm.find import Helm

NAME: Final = "roster-postrender"
SCRIPT_VARIABLE: Final = "HELM_ROSTER_POSTRENDER"
PYTHON_VARIABLE: Final = "HELM_ROSTER_POSTRENDER_PYTHON"
_MODULE: Final = "helm_roster.postrender"


@dataclass(frozen=True, kw_only=True)
class PostRenderer:
    """What to add to Helm's arguments and to its environment."""

    args: Sequence[str]
    environment: Mapping[str, str] = field(default_factory=dict)


def post_renderer(helm: Helm) -> PostRenderer:
    """Return how ``helm`` is made to run our post-renderer.

    Raises:
        RefusedError: Helm 4 would load no plugin at all.
    """
    return _for_helm4(helm) if helm.is_helm4 else _for_helm3()


def _for_helm3() -> PostRenderer:
    script = find.beside(NAME)
    if script is not None:
        return PostRenderer(args=["--post-renderer", str(script)])
    # The console script is not beside the interpreter (a run from a source tree): start the module; -P keeps the
    # current folder off the module path.
    words = ["-P", "-m", _MODULE]
    passed = [f"--post-renderer-args={word}" for word in words]
    return PostRenderer(args=["--post-renderer", sys.executable, *passed])


def _for_helm4(helm: Helm) -> PostRenderer:
    script = find.beside(NAME)
    environment = {SCRIPT_VARIABLE: str(script)} if script else {SCRIPT_VARIABLE: "", PYTHON_VARIABLE: sys.executable}
    folders = plugin_folders.of(helm)
    found = plugin_folders.installed(folders)
    if troubles := plugin_folders.troubles(found, helm3=False):
        raise errors.RefusedError("\n".join(troubles))
    if not plugin_folders.same_name(found, NAME):  # a second one would only disturb Helm
        environment["HELM_PLUGINS"] = os.pathsep.join(map(str, [*folders, assets.helm4_plugins()]))
    return PostRenderer(args=["--post-renderer", NAME], environment=environment)
