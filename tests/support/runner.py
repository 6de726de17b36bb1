"""Runs a client program as a user would, in homes of its own, and fails with all that the program said."""

from __future__ import annotations

import dataclasses
import os
import shlex
import subprocess
from collections.abc import Mapping
from pathlib import Path

Done = subprocess.CompletedProcess[str]
# Programs that live for a moment, thousands of them: Helm and kubectl need not collect garbage so often (a sixth of
# their time), and our command line imports only what users have.
SHORT_LIVED = {"GOGC": "400", "PYTHONPATH": str(Path(__file__).parent / "before")}


@dataclasses.dataclass(frozen=True)
class Runner:
    """One program with its environment; `major` is Helm's major version, 0 for other programs."""

    program: Path
    env: Mapping[str, str]
    major: int = 0

    def __call__(self, *arguments: str | Path, text: str | None = None, timeout: float = 120) -> Done:
        """Run it and return what came out; `text` goes to its standard input. A failure fails the test."""
        done = self.attempt(*arguments, text=text, timeout=timeout)
        if done.returncode != 0:
            command = shlex.join([self.program.name, *map(str, arguments)])
            msg = f"{command} ended with {done.returncode}\nstderr: {done.stderr}\nstdout: {done.stdout[-4000:]}"
            raise AssertionError(msg)
        return done

    def attempt(self, *arguments: str | Path, text: str | None = None, timeout: float = 120) -> Done:
        """Run it and return what came out, the exit code too; a failure is the test's business."""
        return subprocess.run(
            [str(self.program), *map(str, arguments)],
            input=text, env=dict(self.env), capture_output=True, text=True, timeout=timeout, check=False,
            stdin=subprocess.DEVNULL if text is None else None,
        )  # fmt: skip

    def with_env(self, **more: str) -> Runner:
        """Return the same program with more environment."""
        return dataclasses.replace(self, env={**self.env, **more})


def isolated(home: Path, **more: str) -> dict[str, str]:
    """Return an environment in which Helm and kubectl see nothing of the user: homes under `home`, no cluster.

    `more` is added last, e.g. KUBECONFIG.
    """
    kept = {key: os.environ[key] for key in ("PATH", "HOME", "LANG", "TMPDIR") if key in os.environ}
    homes = {f"HELM_{kind}_HOME": str(home / "helm" / kind.lower()) for kind in ("CACHE", "CONFIG", "DATA")}
    return {**kept, **homes, **SHORT_LIVED, "KUBECONFIG": os.devnull, "KUBECACHEDIR": str(home / "kube-cache"), **more}
