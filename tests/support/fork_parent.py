"""The parent of runs of our command line: it imports all that a command may need, and forks itself for each.

A script, so that nothing of the tests is in it. Commands come from a socket, each with its standard streams and where
to tell the process and its exit code.
"""

from __future__ import annotations

import atexit
import contextlib
import gc
import importlib
import json
import os
import pkgutil
import socket
import sys
import time
from collections.abc import Callable
from typing import IO, Any, NoReturn

LIBRARIES = ("jinja2", "jsonpatch", "rich.table", "urllib3")
LIMIT = 1 << 18
_BYTES = 8


def number(stream: IO[bytes]) -> int:
    """Read a number that ``_tell`` wrote; EOFError where whoever should have told it is gone."""
    told = stream.read(_BYTES)
    if len(told) < _BYTES:
        msg = "the parent of the runs of our command line has ended"
        raise EOFError(msg)
    return int.from_bytes(told, "big", signed=True)


def _tell(reply: int, value: int) -> None:
    with contextlib.suppress(BrokenPipeError):
        os.write(reply, value.to_bytes(_BYTES, "big", signed=True))


def _serve(commands: socket.socket) -> dict[str, Any] | None:
    """Fork a process for each command; return the command in that process, and None in the parent at the end."""
    while True:
        message, streams, *_ = socket.recv_fds(commands, LIMIT, 4)
        if not message:
            return None
        if os.fork() == 0:
            commands.close()
            return _watched(json.loads(message), *streams)
        for stream in streams:
            os.close(stream)
        _collect()


def _collect() -> None:
    """Collect the processes that have ended."""
    with contextlib.suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass


def _watched(command: dict[str, Any], given: int, out: int, err: int, reply: int) -> dict[str, Any]:
    """Return the command in a fork, whose streams are the command's; tell that fork and its exit code, and end."""
    if (pid := os.fork()) == 0:
        os.close(reply)
        for place, stream in enumerate((given, out, err)):
            os.dup2(stream, place)
            os.close(stream)
        return command
    for stream in (given, out, err):
        os.close(stream)
    _tell(reply, pid)
    _tell(reply, os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
    os._exit(0)


def _become(command: dict[str, Any]) -> None:
    """Be the run of a command from here on."""
    os.environ.clear()
    os.environ.update(command["env"])
    time.tzset()
    os.chdir(command["folder"])
    sys.argv[:] = command["arguments"]


def _end(main: Callable[[], None]) -> NoReturn:
    """End as the program does, but leave what was imported to the system: to take it apart costs more than many a run.

    What is no exit by a number ends as Python says.
    """
    code: object = 0
    try:
        main()
    except SystemExit as end:
        code = end.code or 0
        if not isinstance(code, int):
            raise
    atexit._run_exitfuncs()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


def _prepare() -> None:
    """Import all that a command may need."""
    package = importlib.import_module("helm_roster")
    ours = (module.name for module in pkgutil.walk_packages(package.__path__, "helm_roster."))
    for name in (*ours, *LIBRARIES):
        importlib.import_module(name)
    importlib.import_module("helm_roster.cluster.transport").load()
    gc.freeze()


def main() -> None:
    """Be the parent of all runs, and in a fork of it the run of a command."""
    _prepare()
    if command := _serve(socket.socket(fileno=int(sys.argv[1]))):
        _become(command)
        _end(importlib.import_module("helm_roster.__main__").main)


if __name__ == "__main__":
    main()
