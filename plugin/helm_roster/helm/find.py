"""Finds the Helm program and knows what its version means for us.

Order: HELM_BIN (Helm sets it for its plugins), PATH, then the folder of our own interpreter.
"""

from __future__ import annotations

import functools
import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from helm_roster import errors

# The first with --reset-then-reuse-values, which later revisions of an operation depend on.
OLDEST: Final = (3, 14)
HELM4: Final = 4
# What people call a second Helm: helm3, helm-4, helm-v3.19.0; not helm-docs, helmfile.
_NAMED: Final = re.compile(r"helm(-?v?\d[\w.]*)?")


@dataclass(frozen=True, kw_only=True)
class Helm:
    """A Helm program: its path and its version."""

    path: str
    version: tuple[int, int, int]

    @property
    def is_helm4(self) -> bool:
        """Return whether post-renderers must be plugins."""
        return self.version[0] >= HELM4

    @property
    def told(self) -> str:
        """Return the version as people write it."""
        return ".".join(map(str, self.version))


def find() -> Helm:
    """Return the Helm to use.

    Raises:
        BadInputError: No Helm is found, it does not run, or it is too old.
    """
    return _inspect(_path())


def on_path() -> list[Helm]:
    """Return every Helm of HELM_BIN and PATH, each program once; what does not run or is too old is left out."""
    folders = [Path(part) for part in os.environ.get("PATH", "").split(os.pathsep) if part]
    named = shutil.which(os.environ.get("HELM_BIN") or "helm")
    found = [Path(named)] if named else []
    found += [path for folder in folders for path in sorted(folder.glob("helm*")) if _NAMED.fullmatch(path.name)]
    programs = {path.resolve(): str(path) for path in reversed(found) if os.access(path, os.X_OK) and path.is_file()}
    return [helm for path in programs.values() if (helm := _if_usable(path))]


def _if_usable(path: str) -> Helm | None:
    try:
        return _inspect(path)
    except errors.BadInputError:
        return None


def beside(name: str) -> Path | None:
    """Return the program of that name beside our own interpreter; None where there is none."""
    found = Path(sys.executable).parent / name
    return found if os.access(found, os.X_OK) else None


def _path() -> str:
    named = os.environ.get("HELM_BIN")
    found = shutil.which(named or "helm")
    if found is None and named:
        msg = f"HELM_BIN is {named!r}, which is no program that can be run: correct or unset it"
        raise errors.BadInputError(msg)
    if found is None and (own := beside("helm")):
        found = str(own)
    if found is None:
        msg = "helm is not on PATH: install Helm 3.14 or newer, or name it in HELM_BIN"
        raise errors.BadInputError(msg)
    return found


@functools.cache
def _inspect(path: str) -> Helm:
    command = [path, "version", "--template", "{{.Version}}"]
    try:
        answer = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError) as cause:
        msg = f"{path} does not tell its version ({cause}): name a working Helm in HELM_BIN"
        raise errors.BadInputError(msg) from cause
    version = parse_version(answer)
    if version is None or version < (*OLDEST, 0):
        msg = f"{path} is Helm {answer.strip() or 'of an unknown version'}; use {OLDEST[0]}.{OLDEST[1]} or newer"
        raise errors.BadInputError(msg)
    return Helm(path=path, version=version)


def parse_version(text: str) -> tuple[int, int, int] | None:
    """Return the numbers of ``v3.19.0+g3d8990f``, or None where there are none."""
    found = re.search(r"v?(\d+)\.(\d+)\.(\d+)", text)
    return (int(found[1]), int(found[2]), int(found[3])) if found else None
