"""Our own programs for tests: the command line and the post-renderer, in the form that each Helm wants."""

from __future__ import annotations

import dataclasses
import itertools
import sys
from pathlib import Path

from tests.support import forks, pages, schemas
from tests.support.runner import Done, Runner

ROOT = Path(__file__).parent.parent.parent
CHART = ROOT / "charts" / "replica-operation"
EXAMPLES = ROOT / "examples"
PRESETS = ROOT / "presets"
POSTRENDER = Path(sys.executable).parent / "roster-postrender"
HELM4_PLUGINS = ROOT / "plugin" / "helm4"


def given(values: Path) -> tuple[str, ...]:
    """Return the flags that name a values file; those of an example, with the files that its README names before it."""
    files = [str(values)]
    if values.parent.parent == EXAMPLES:
        told = pages.commands((values.parent / "README.md").read_text())
        first = next(command for command in told if " -f " in command).split()
        files = [str(ROOT / word) for flag, word in itertools.pairwise(first) if flag == "-f"]
        assert files[-1] == str(values), f"the first command of {values.parent.name}/README.md names another file last"
    return tuple(word for file in files for word in ("-f", file))


class Cli(Runner):
    """Our command line; whatever it prints as JSON must fit the published schema of its kind."""

    def attempt(self, *arguments: str | Path, text: str | None = None, timeout: float = 120) -> Done:
        """Run it and return what came out, the exit code too; a failure is the test's business."""
        run = self._forked if forks.fits(self.program, self.env) else super().attempt
        done = run(*arguments, text=text, timeout=timeout)
        schemas.check(done.stdout)
        return done

    def _forked(self, *arguments: str | Path, text: str | None, timeout: float) -> Done:
        words = list(map(str, arguments))
        return Done([str(self.program), *words], *forks.run(words, self.env, text, timeout))


def cli(helm: Runner) -> Runner:
    """Return `helm-roster`, which uses this Helm."""
    return Cli(Path(sys.executable).parent / "helm-roster", helm.env, helm.major)


@dataclasses.dataclass(frozen=True)
class PlainHelm:
    """A Helm with the post-renderer, no command line of ours between: what a user of plain Helm types."""

    helm: Runner

    @property
    def flags(self) -> tuple[str, ...]:
        """The flags that name the post-renderer."""
        return ("--post-renderer", "roster-postrender" if self.helm.major == 4 else str(POSTRENDER))

    def __call__(self, *arguments: str | Path) -> Done:
        """Run Helm with the renderer; a failure fails the test."""
        return self._runner(*arguments, *self.flags)

    def attempt(self, *arguments: str | Path) -> Done:
        """Run Helm with the renderer; a failure is the test's business."""
        return self._runner.attempt(*arguments, *self.flags)

    @property
    def _runner(self) -> Runner:
        return self.helm.with_env(HELM_PLUGINS=str(HELM4_PLUGINS), HELM_ROSTER_POSTRENDER=str(POSTRENDER))
