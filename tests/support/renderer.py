"""The chart rendered by Helm's own library, in one program that stays up: a third of what `helm template` costs.

Its chart is read, and its schema compiled, once. What it says of every values file is what Helm says, byte for byte for
Helm 3 and equal as data for Helm 4; `tests/chart/test_renderer.py` and each sixteenth rendering (`Chart`) see to that.
"""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import IO, cast

from tests.cluster import binaries
from tests.support.runner import Done

PROGRAM = "renderer"
# Helm's library alone would say that it serves Kubernetes 1.20; the chart reads no version.
KUBERNETES = "v1.34.0"


def ensure() -> Path | None:
    """Return the program, built if need be; None where it cannot be had, for then Helm itself renders."""
    try:
        return binaries.build(PROGRAM)[PROGRAM]
    except binaries.UnavailableError:
        return None


class Renderer:
    """The running program."""

    def __init__(self, program: Path, chart: Path) -> None:
        """Start it for one chart, as it is now."""
        env = {**os.environ, "GOGC": "400"}
        self._process = subprocess.Popen(
            [program, chart, KUBERNETES], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=env
        )

    def render(self, values: str | Sequence[str], release: str, api_versions: Sequence[str] = ()) -> Done:
        """Return what `helm template` would have brought for these values, a text or files."""
        given = {"values": values} if isinstance(values, str) else {"files": values}
        request = {"release": release, "apiVersions": api_versions, **given}
        asked = cast("IO[str]", self._process.stdin)
        asked.write(json.dumps(request) + "\n")
        asked.flush()
        told = json.loads(cast("IO[str]", self._process.stdout).readline())
        return Done(["helm", "template", release], told["code"], told["stdout"], told["stderr"])

    def close(self) -> None:
        """End it."""
        self._process.communicate()
