"""Finds the files that come with the tool: the chart and the two Helm plugins.

In an installed package they are package data (``assets_data``); in a checkout they stand where people edit them.
Every ``--help`` imports this module, so it loads ``pathlib`` only once it is asked.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Final

from helm_roster import constants, errors

if TYPE_CHECKING:
    from pathlib import Path

CHART_VARIABLE: Final = "HELM_ROSTER_CHART"

_DATA: Final = "assets_data"


def chart(given: str | None = None) -> str:
    """Return the chart to install: ``given``, else HELM_ROSTER_CHART, else the bundled one.

    Raises:
        BadInputError: No chart is bundled with this installation.
    """
    named = given or os.environ.get(CHART_VARIABLE)
    if named:
        return named
    package = _package()
    candidates = (package / _DATA / "charts" / constants.CHART, package.parents[1] / "charts" / constants.CHART)
    return str(_first(candidates, f"chart {constants.CHART}", f"pass --chart or set {CHART_VARIABLE}"))


def cli_plugin() -> Path:
    """Return the folder of the plugin ``roster``: its manifest and its launcher.

    Raises:
        BadInputError: The folder is missing from this installation.
    """
    package = _package()
    return _first((package / _DATA / "cli", package.parent), "Helm plugin", "install helm-roster again")


def helm4_plugins() -> Path:
    """Return the folder that Helm 4 may search for our post-renderer plugin (a HELM_PLUGINS entry).

    Raises:
        BadInputError: The folder is missing from this installation.
    """
    package = _package()
    return _first(
        (package / _DATA / "helm4", package.parent / "helm4"), "Helm 4 plugin folder", "install helm-roster again"
    )


def presets() -> Path:
    """Return the folder of the presets that come with the tool.

    Raises:
        BadInputError: The folder is missing from this installation.
    """
    package = _package()
    return _first(
        (package / _DATA / "presets", package.parents[1] / "presets"), "library of presets", "install helm-roster again"
    )


def _package() -> Path:
    from pathlib import Path  # noqa: PLC0415

    return Path(__file__).resolve().parent


def _first(candidates: tuple[Path, ...], what: str, remedy: str) -> Path:
    for candidate in candidates:
        if candidate.is_dir():
            return candidate
    msg = f"the {what} is missing from this installation (looked at {candidates[0]}): {remedy}"
    raise errors.BadInputError(msg)
