"""Follows the logs of many pods at once: those that are there, those that come, and each restart of a container.

A thread for each log reads; only the main one prints. A log whose connection breaks while its container runs is taken
up again after the last line that came, which its time tells, and how many lines of that time had come.
"""

from __future__ import annotations

import queue
import threading
import time
from dataclasses import dataclass
from typing import Final

from helm_roster import errors
from helm_roster.cluster.client import ApiError, is_passing
from helm_roster.commands import log_scope
from helm_roster.commands.log_scope import Scope
from helm_roster.commands.outages import OutageError
from helm_roster.policy.logs import Target
from helm_roster.report import console, log_lines

_POLL_SECONDS: Final = 1.0
# How long a log of a container that has ended may be silent before it is given up; a lost node never ends it.
_SILENT_SECONDS: Final = 30.0
_SILENT_SECONDS_OF_LOST: Final = 3.0
_WAITING_LINES: Final = 1000


@dataclass(kw_only=True)
class _Log:
    """One log that is followed.

    ``last`` is the time of its last line and ``count`` the number of lines of that time, which may be many: runtimes
    give one time to all that they read at once. ``skip`` is how many of those have yet to come again after a break.
    ``heard`` is when something came, by our clock; ``broken``: it did not end well.
    """

    target: Target
    reading: bool = True
    broken: bool = False
    told: bool = False
    last: bytes = b""
    count: int = 0
    skip: int = 0
    heard: float = 0.0


@dataclass(frozen=True, kw_only=True)
class _End:
    """The end of a log's stream, and why, where it was no good end."""

    error: errors.RosterError | None = None


def follow(scope: Scope, printer: log_lines.Printer) -> None:
    """Print the lines of all logs as they come, until no pod runs and none will come."""
    _Follower(scope, printer).run()


class _Follower:
    def __init__(self, scope: Scope, printer: log_lines.Printer) -> None:
        self._scope, self._printer = scope, printer
        self._logs: dict[tuple[str, str, int], _Log] = {}
        self._lines: queue.Queue[tuple[_Log, bytes | _End]] = queue.Queue(_WAITING_LINES)
        self._first, self._told = True, False

    def run(self) -> None:
        """Look for pods, print what comes until the next look, and so on."""
        while True:
            try:
                over = self._scope.observer.bear(self._look)
            except OutageError:
                over = False
            self._print(time.monotonic() + _POLL_SECONDS)
            if over and not any(log.reading for log in self._logs.values()) and self._lines.empty():
                return

    def _look(self) -> bool:
        """Begin the logs that are new, take up those that broke; return whether all is over."""
        found = {target.key: target for target in self._scope.look()}
        if not self._told:
            self._told = True
            self._scope.present([*found.values()])
        several, now = self._first and len(found) > 1, time.monotonic()
        for key, target in found.items():
            log = self._logs.get(key)
            if log is None and target.state != "waiting":
                self._begin(target, several=several)
            elif log is not None and not log.reading and (log.broken or target.state == "running"):
                log.reading, log.broken, log.heard, log.skip = True, False, now, log.count
                self._read(log, log_scope.query_of_what_follows(target, log.last))
        for key, log in self._logs.items():
            ended = key not in found or found[key].state == "ended"
            if ended and log.reading:
                self._give_up(log, now - log.heard)
        self._first = self._first and not found
        return not any(target.state == "running" for target in found.values()) and self._scope.are_over()

    def _begin(self, target: Target, *, several: bool) -> None:
        log = self._logs[target.key] = _Log(target=target, heard=time.monotonic())
        if self._first:
            self._read(log, self._scope.wanted.query(target, several=several, follow=True))
        else:
            self._read(log, log_scope.query_of_what_follows(target, b""))

    def _give_up(self, log: _Log, silent: float) -> None:
        """Wait no more for a log that is silent for too long though its container has ended; say which."""
        if silent > _SILENT_SECONDS or (silent > _SILENT_SECONDS_OF_LOST and self._scope.is_lost(log.target)):
            log.reading = False
            console.say(f"{log.target.label}: the container has ended and its log does not: it is given up")

    def _read(self, log: _Log, query: str) -> None:
        path = self._scope.path(log.target, query)
        threading.Thread(target=self._pump, args=(log, path), daemon=True).start()

    def _pump(self, log: _Log, path: str) -> None:
        """Hand over the lines of a log, and how it ended; in a thread of its own."""
        end = _End()
        try:
            for line in self._scope.client.lines(path, what="read logs", follow=True):
                self._lines.put((log, line))
        except errors.RosterError as error:
            end = _End(error=error)
        self._lines.put((log, end))

    def _print(self, until: float) -> None:
        """Print what comes until then."""
        while (left := until - time.monotonic()) > 0:
            try:
                log, line = self._lines.get(timeout=left)
            except queue.Empty:
                break
            log.heard = time.monotonic()
            if isinstance(line, _End):
                self._end(log, line)
            else:
                self._line(log, line)
            if self._lines.empty():
                self._printer.flush()

    def _line(self, log: _Log, line: bytes) -> None:
        stamp, text = log_lines.split(line)
        if stamp and log.skip and stamp <= log.last:
            log.skip -= stamp == log.last
            return  # it came already, before the connection broke
        if stamp:
            log.skip, log.count = 0, log.count + 1 if stamp == log.last else 1
            log.last = stamp
        self._printer.line(log.target, stamp, text)

    def _end(self, log: _Log, end: _End) -> None:
        error = end.error
        log.reading, log.broken = False, error is not None and is_passing(error)
        if isinstance(error, ApiError) and error.is_refused:
            raise error
        if isinstance(error, ApiError) and not log.told:
            log.told = True
            console.say(f"{log.target.label}: {error}")
