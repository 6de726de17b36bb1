"""Runs commands as a reader of our pages types them: in a shell, with our programs and the plugin `roster` at hand."""

from __future__ import annotations

import dataclasses
import sys
from pathlib import Path

from tests.support.roster import ROOT
from tests.support.runner import Done, Runner

PROGRAMS = ("helm-roster", "roster-postrender")


@dataclasses.dataclass(frozen=True)
class Shell:
    """A shell in a folder of its own."""

    folder: Path
    runner: Runner

    def __call__(self, command: str) -> Done:
        """Run a line; a failure fails the test."""
        return self.runner("-c", self._here(command))

    def attempt(self, command: str) -> Done:
        """Run a line; a failure is the test's business."""
        return self.runner.attempt("-c", self._here(command))

    def _here(self, command: str) -> str:
        return f'cd "{self.folder}" && {command}'


def make(helm: Runner, folder: Path, **programs: Path) -> Shell:
    """Return a shell in a new folder in `folder`, which holds what the repository's root does.

    `helm` is there under its name, and so are `programs`.
    """
    here, binaries = folder / "here", folder / "bin"
    for place in (here, binaries):
        place.mkdir(parents=True)
    for entry in ROOT.iterdir():
        (here / entry.name).symlink_to(entry)
    ours = {name: Path(sys.executable).parent / name for name in PROGRAMS}
    for name, program in {"helm": helm.program, **ours, **programs}.items():
        (binaries / name).symlink_to(program)
    env = {**helm.env, "PATH": f"{binaries}:{helm.env['PATH']}"}
    env.pop("HELM_BIN", None)
    made = Shell(here, Runner(Path("/bin/sh"), env, helm.major))
    made("helm-roster setup")
    return made
