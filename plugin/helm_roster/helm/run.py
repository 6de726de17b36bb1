"""Starts Helm: to read its answer, or to let it speak for itself. Never through a shell.

HELM_DEBUG set to a true value prints each command, as Helm plugins do, without what may be secret.
"""

from __future__ import annotations

import errno
import os
import shlex
import signal
import subprocess
import sys
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from helm_roster import errors
from helm_roster.helm import find, flags

_TAIL_LINES: Final = 200
# Values files are named only; all other flags for values hold them.
_SECRET: Final = frozenset({"--password", "--kube-token", *flags.VALUES} - {"-f", "--values"})
_MASK: Final = "***"


class HelmError(errors.OperationFailedError):
    """Helm ended with an error. ``stderr`` is what it said, ``code`` its exit code."""

    def __init__(self, verb: str, code: int, stderr: str) -> None:
        self.verb = verb
        self.code = code
        self.stderr = stderr.strip()
        super().__init__(f"helm {verb} failed (exit code {code})")

    @property
    def said(self) -> str:
        """Return Helm's last words without its ``Error: `` prefix, for messages of ours."""
        lines = [line for line in self.stderr.splitlines() if not line.startswith(("WARNING:", "level="))]
        text = "\n".join(lines).strip()
        return text.removeprefix("Error: ") or str(self)


def capture(args: Sequence[str], *, environment: Mapping[str, str] | None = None) -> str:
    """Run Helm and return its stdout.

    Raises:
        HelmError: Helm ended with an error.
        BadInputError: No usable Helm is there.
    """
    text: dict[str, Any] = {"encoding": "utf-8", "errors": "surrogateescape"}
    ended = subprocess.run(_command(args), capture_output=True, check=False, env=_environment(environment), **text)
    if ended.returncode:
        raise HelmError(args[0], ended.returncode, ended.stderr)
    return str(ended.stdout)


def stream(args: Sequence[str], *, environment: Mapping[str, str] | None = None, results: bool = True) -> None:
    """Run Helm with its output shown as it comes; ^C reaches Helm too, and its end is awaited.

    Without ``results``, what it prints on stdout is dropped.

    Raises:
        HelmError: Helm ended with an error; it has been shown already.
        BrokenPipeError: Whoever reads our stdout stopped.
        BadInputError: No usable Helm is there.
    """
    tail: deque[str] = deque(maxlen=_TAIL_LINES)
    sys.stdout.flush()
    with subprocess.Popen(
        _command(args), stdout=None if results else subprocess.DEVNULL, stderr=subprocess.PIPE,
        env=_environment(environment), encoding="utf-8", errors="replace",
    ) as process:  # fmt: skip
        try:
            _show(process, tail)
        except KeyboardInterrupt:
            _show(process, tail)
            raise
        code = process.wait()
    if code == -signal.SIGPIPE:
        raise BrokenPipeError(errno.EPIPE, "helm stopped with its reader")
    if code:
        raise HelmError(args[0], code, "".join(tail))


def namespace() -> str:
    """Return the namespace that Helm would use: HELM_NAMESPACE, the context's, or ``default``."""
    return os.environ.get("HELM_NAMESPACE") or capture(["env", "HELM_NAMESPACE"]).strip() or "default"


def _show(process: subprocess.Popen[str], tail: deque[str]) -> None:
    assert process.stderr is not None  # noqa: S101  (it is a pipe)
    for line in process.stderr:
        sys.stderr.write(line)
        sys.stderr.flush()
        tail.append(line)
    process.wait()


def _command(args: Sequence[str]) -> list[str]:
    command = [find.find().path, *args]
    if os.environ.get("HELM_DEBUG", "").lower() in {"1", "true"}:
        sys.stderr.write(f"+ {' '.join(_masked(command))}\n")
    return command


def _masked(command: Sequence[str]) -> Iterator[str]:
    """Yield the words of a command as a shell takes them, values of flags that may hold secrets left out."""
    for flag in flags.read(command):
        if flag.name in _SECRET:
            yield f"{flag.name}={_MASK}"
        else:
            yield shlex.join(flag.tokens)


def _environment(extra: Mapping[str, str] | None) -> dict[str, str]:
    return {**os.environ, **(extra or {})}
