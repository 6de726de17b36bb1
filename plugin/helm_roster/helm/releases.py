"""What Helm keeps of a release: the values that an upgrade goes on from, and the manifest that it applied."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, Final

from helm_roster.helm import run

_ABSENT: Final = "release: not found"


def running_values(release: str) -> str | None:
    """Return, as YAML, the values that an upgrade of ``release`` goes on from; None where there is no such release.

    These are the values that users gave to the deployed revision, or to the newest where none is deployed (helm
    pkg/action/upgrade.go, ``prepareUpgrade``).

    Raises:
        HelmError: Helm cannot read its record.
    """
    revisions = _history(release)
    if not revisions:
        return None
    deployed = [entry for entry in revisions if entry["status"] == "deployed"] or revisions
    return run.capture(["get", "values", release, "--revision", str(deployed[-1]["revision"]), "-o", "yaml"])


def manifest(release: str) -> str:
    """Return what the newest revision of ``release`` applied, or was about to apply; hooks are left out.

    Raises:
        HelmError: Helm cannot read its record, or has none.
    """
    return run.capture(["get", "manifest", release])


def _history(release: str) -> Sequence[Any]:
    """Return the revisions as Helm lists them, oldest first."""
    try:
        found: Sequence[Any] = json.loads(run.capture(["history", release, "-o", "json"]))
    except run.HelmError as error:
        if error.said == _ABSENT:
            return []
        raise
    return found
