"""Runs our command line in processes forked from one that has imported it already (``fork_parent.py``).

Each run is a process of its own, as for a user: arguments, environment, folder, standard streams and exit code are its
own, and no state of an earlier run is there. Only the start is spared, Python's and that of what is imported: most of
the time of a command, and tests give thousands. ``tests/test_forks.py`` holds such runs against the real program, which
stays what is run where pages tell what to type, where tests start a command beside others, and where it is killed.
"""

from __future__ import annotations

import atexit
import contextlib
import functools
import json
import os
import select
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import IO

from tests.support import fork_parent

PROGRAM = Path(sys.executable).parent / "helm-roster"
KEPT = ("PATH", "HOME", "LANG", "TMPDIR")
# What Python reads when it starts, which a fork does not: with other ones the real program is run.
AT_START = ("PYTHON", "LC_", "LANG")
PYTHONPATH = str(Path(__file__).parent / "before")


def fits(program: Path, env: Mapping[str, str]) -> bool:
    """Tell whether a run of this program in this environment may be a fork."""
    return program == PROGRAM and _at_start(env) == _at_start(_environment())


def run(arguments: list[str], env: Mapping[str, str], text: str | None, timeout: float) -> tuple[int, str, str]:
    """Run our command line; return its exit code and what it wrote on stdout and on stderr.

    Raises:
        subprocess.TimeoutExpired: It was killed after `timeout` seconds.
    """
    words = [str(PROGRAM), *arguments]
    command = {"arguments": words, "env": dict(env), "folder": str(Path.cwd())}
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        with _asked(command, text, out, err) as reply:
            code = _awaited(reply, timeout)
        said, told = (_content(stream) for stream in (out, err))
    if code is None:
        raise subprocess.TimeoutExpired(words, timeout, said, told)
    return code, said, told


def _asked(command: object, text: str | None, out: IO[bytes], err: IO[bytes]) -> IO[bytes]:
    """Send a command to the parent; return where the process is told, and at its end the exit code."""
    theirs, ours = os.pipe()
    given = _given(text)
    try:
        message = [json.dumps(command).encode()]
        socket.send_fds(_parent(), message, [given, out.fileno(), err.fileno(), ours])
    finally:
        os.close(given)
        os.close(ours)
    return os.fdopen(theirs, "rb", buffering=0)


def _awaited(reply: IO[bytes], timeout: float) -> int | None:
    """Return the exit code of a run; None where it was killed as it took too long."""
    pid = fork_parent.number(reply)
    in_time = select.select([reply], [], [], timeout)[0]
    if not in_time:
        os.kill(pid, signal.SIGKILL)
    code = fork_parent.number(reply)
    return code if in_time else None


def _given(text: str | None) -> int:
    """Return what a run reads as its standard input."""
    if text is None:
        return os.open(os.devnull, os.O_RDONLY)
    read, write = os.pipe()
    threading.Thread(target=_feed, args=(write, text), daemon=True).start()
    return read


def _feed(write: int, text: str) -> None:
    with contextlib.suppress(BrokenPipeError), os.fdopen(write, "w", encoding="utf-8") as stream:
        stream.write(text)


def _content(stream: IO[bytes]) -> str:
    stream.seek(0)
    return stream.read().decode().replace("\r\n", "\n").replace("\r", "\n")


def _environment() -> dict[str, str]:
    """Return the environment of the parent: what every run has too."""
    return {key: os.environ[key] for key in KEPT if key in os.environ} | {"PYTHONPATH": PYTHONPATH}


def _at_start(env: Mapping[str, str]) -> dict[str, str]:
    return {key: value for key, value in env.items() if key.startswith(AT_START)}


@functools.cache
def _parent() -> socket.socket:
    """Start the parent of all runs of this test process; it ends with us, as its socket does."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with theirs:
        process = subprocess.Popen(
            [sys.executable, "-P", fork_parent.__file__, str(theirs.fileno())], pass_fds=[theirs.fileno()],
            env=_environment(), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
        )  # fmt: skip

    def end() -> None:
        ours.close()
        process.wait()

    atexit.register(end)
    return ours
