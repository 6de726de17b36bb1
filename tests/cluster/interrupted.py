"""Our command line and its Helm, killed in their work, as when a machine is lost."""

from __future__ import annotations

import contextlib
import subprocess
from collections.abc import Iterator
from pathlib import Path

from tests.support.runner import Runner


@contextlib.contextmanager
def helm(roster: Runner, verb: str, values: Path) -> Iterator[subprocess.Popen[bytes]]:
    """Start an install or upgrade of ``op`` that waits for its pods, and kill it with its Helm after the block."""
    command = [str(roster.program), verb, "op", "-f", str(values), "--wait", "--timeout", "5m"]
    with (values.parent / "interrupted.log").open("wb") as log:
        process = subprocess.Popen(command, env=dict(roster.env), stdout=log, stderr=log)
        try:
            yield process
        finally:
            _kill(process)


def _kill(process: subprocess.Popen[bytes]) -> None:
    """Kill the process and its Helm at once."""
    for pid in [*_children(process.pid), process.pid]:
        subprocess.run(["kill", "-KILL", str(pid)], check=False)
    process.wait()


def _children(pid: int) -> Iterator[int]:
    """Yield the direct children of a process."""
    for status in Path("/proc").glob("[0-9]*/stat"):
        try:
            parent = int(status.read_text().rpartition(")")[2].split()[1])
        except (OSError, ValueError):
            continue
        if parent == pid:
            yield int(status.parent.name)
