"""Wheels of what this environment holds, so that pip installs the package without an index.

Of a minute that such an installation takes, most goes into the index's pages: pip weighs fifty thousand files there.
"""

from __future__ import annotations

import importlib.metadata
import zipfile
from importlib.metadata import Distribution
from pathlib import Path

from packaging.requirements import Requirement
from packaging.tags import sys_tags
from packaging.utils import canonicalize_name

# The package, which pip is to make itself, and what makes it.
ROOTS = ("helm-roster", "hatchling")


def pack(folder: Path) -> Path:
    """Write a wheel of each package that ours needs to be made and to run; return the folder."""
    folder.mkdir()
    fitting = set(map(str, sys_tags()))
    for distribution in _needed():
        words = (distribution.read_text("WHEEL") or "").split()
        tag = next(word for word in words if word in fitting)
        name = canonicalize_name(distribution.name).replace("-", "_")
        wheel = folder / f"{name}-{distribution.version}-{tag}.whl"
        with zipfile.ZipFile(wheel, "w") as archive:
            for file in distribution.files or []:
                if ".." not in file.parts and file.suffix != ".pyc":  # neither scripts nor what was compiled
                    archive.write(str(file.locate()), str(file))
    return folder


def _needed() -> list[Distribution]:
    """Return what the roots require, directly or not, without our own package."""
    found: dict[str, Distribution] = {}
    left = list(ROOTS)
    while left:
        name = canonicalize_name(left.pop())
        if name not in found:
            found[name] = importlib.metadata.distribution(name)
            left += [wanted.name for wanted in map(Requirement, found[name].requires or []) if _applies(wanted)]
    return [distribution for name, distribution in found.items() if name != ROOTS[0]]


def _applies(wanted: Requirement) -> bool:
    return wanted.marker is None or wanted.marker.evaluate({"extra": ""})
