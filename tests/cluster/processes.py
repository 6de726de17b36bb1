"""Starts, watches and ends the components as plain processes; every one is ended by the pid that was kept.

A pid alone does not name a process: after a crash or a reboot it may belong to another program. So each record
carries the time the process started, and a record whose process is another one now counts as ended.
"""

from __future__ import annotations

import contextlib
import os
import random
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

# Below the range from which the kernel takes ports of outgoing connections: the components open hundreds of them,
# and one that sits on a chosen port keeps its owner from listening there.
PORTS = range(15000, 32000)
POLL = 0.05
TAIL_LINES = 15


class ComponentError(Exception):
    """A component did not start, or died; the text holds the end of its log."""


class Record(NamedTuple):
    """What names one process for good: component, pid, start time (clock ticks or date, by platform), log file."""

    name: str
    pid: int
    born: str
    log: str


def free_ports(count: int) -> list[int]:
    """Return `count` different ports on 127.0.0.1 on which nobody listens."""
    found: list[int] = []
    with contextlib.ExitStack() as held:
        while len(found) < count:
            probe = held.enter_context(socket.socket())
            with contextlib.suppress(OSError):
                probe.bind(("127.0.0.1", random.choice(PORTS)))  # noqa: S311 - no secret
                found.append(probe.getsockname()[1])
    return found


def start(name: str, command: Sequence[str | Path], logs: Path, env: Mapping[str, str] | None = None) -> Record:
    """Start one component in a session of its own, so that ^C in the terminal reaches only whoever started it.

    `env` is added to our environment. A component that is begun again writes its log on.
    """
    logs.mkdir(parents=True, exist_ok=True)
    log = logs / f"{name}.log"
    with log.open("ab") as output:
        process = subprocess.Popen(
            list(map(str, command)), stdin=subprocess.DEVNULL, stdout=output, stderr=output,
            env={**os.environ, **(env or {})}, start_new_session=True,
        )  # fmt: skip
    process.returncode = 0  # Ended by pid later, perhaps by another program: no "still running" warning of Popen.
    return Record(name, process.pid, born(process.pid) or "", str(log))


def born(pid: int) -> str | None:
    """Return when the process started, or None if there is none (an ended one that nobody collected counts as none)."""
    stat = Path(f"/proc/{pid}/stat")
    if Path("/proc/self").exists():
        try:
            fields = stat.read_text().rpartition(")")[2].split()
        except OSError:
            return None
        return None if fields[0] in "ZX" else fields[19]
    listed = subprocess.run(
        ["ps", "-o", "state=,lstart=", "-p", str(pid)], capture_output=True, text=True, check=False
    ).stdout.split()
    return " ".join(listed[1:]) if listed and not listed[0].startswith("Z") else None


def alive(record: Record) -> bool:
    """Tell whether the very process of the record still runs."""
    with contextlib.suppress(ChildProcessError, OSError):
        os.waitpid(record.pid, os.WNOHANG)  # Collect it if it was our child and has ended.
    return record.born != "" and born(record.pid) == record.born


def stop(records: Iterable[Record], patience: float = 1.0) -> None:
    """End the processes of the records: first ask, and after `patience` seconds kill. Data of tests is thrown away."""
    left = _signal(records, signal.SIGTERM)
    _signal(left, signal.SIGCONT)  # what is frozen hears nothing else
    deadline = time.monotonic() + patience
    while left and time.monotonic() < deadline:
        time.sleep(POLL)
        left = [record for record in left if alive(record)]
    left = _signal(left, signal.SIGKILL)
    while left:
        time.sleep(POLL)
        left = [record for record in left if alive(record)]


def freeze(records: Iterable[Record]) -> None:
    """Hold the processes of the records where they are: they take no time until they are thawed."""
    _signal(records, signal.SIGSTOP)


def thaw(records: Iterable[Record]) -> None:
    """Let the processes of the records go on."""
    _signal(records, signal.SIGCONT)


def _signal(records: Iterable[Record], number: signal.Signals) -> list[Record]:
    """Send the signal to those that still run; return them."""
    running = [record for record in records if alive(record)]
    for record in running:
        with contextlib.suppress(ProcessLookupError):
            os.kill(record.pid, number)
    return running


def wait_healthy(record: Record, healthy: Callable[[], object], timeout: float = 60.0) -> None:
    """Wait until `healthy()` is true; a component that dies or takes longer is reported with the end of its log."""
    deadline = time.monotonic() + timeout
    while not healthy():
        if not alive(record):
            raise ComponentError(describe(record, "ended while it was starting"))
        if time.monotonic() > deadline:
            raise ComponentError(describe(record, f"is not healthy after {timeout:.0f} s"))
        time.sleep(POLL)


def describe(record: Record, what: str) -> str:
    """Return one line on what happened to the component, then the last lines of its log."""
    try:
        lines = Path(record.log).read_text(errors="replace").splitlines()
    except OSError:
        lines = ["(no log)"]
    return "\n  ".join([f"{record.name} (pid {record.pid}) {what}; end of {record.log}:", *lines[-TAIL_LINES:]])
