"""Lines of logs of several pods, each behind its pod's name, in a colour of its own on a terminal.

As JSON each line is a document on a line of its own: ``{"apiVersion": "helm-roster.dev/v1alpha1", "kind": "LogLine",
"group", "pod", "container", "time", "text"}``; ``time`` as the container runtime wrote it, in RFC 3339, empty where it
wrote none; bytes of ``text`` that are no UTF-8 are replaced.
"""

from __future__ import annotations

import re
import sys
from typing import Final

from helm_roster import constants
from helm_roster.policy.logs import Target
from helm_roster.report import console

_COLOURS: Final = (36, 33, 32, 35, 34, 96, 93, 92, 95, 94)
_STAMP: Final = re.compile(rb"(\d{4}-\d\d-\d\dT\S+) ?(.*)", re.DOTALL)


class Printer:
    """Prints lines; remembers the colour of each pod."""

    def __init__(self, output: str, *, prefix: bool, timestamps: bool) -> None:
        self._output, self._prefix, self._timestamps = output, prefix, timestamps
        self._coloured = console.is_coloured(sys.stdout)
        self._colours: dict[str, int] = {}

    def line(self, target: Target, stamp: bytes, text: bytes) -> None:
        """Print one line of a target's log."""
        if self._output != "table":
            console.stream(_document(target, stamp, text), self._output)
            return
        before = [self._label(target)] * self._prefix + [stamp] * (self._timestamps and bool(stamp))
        sys.stdout.buffer.write(b" ".join([*before, text]) + b"\n")

    def flush(self) -> None:
        """Let the person see what was printed."""
        sys.stdout.flush()

    def _label(self, target: Target) -> bytes:
        if not self._coloured:
            return target.label.encode()
        colour = self._colours.setdefault(target.uid, _COLOURS[len(self._colours) % len(_COLOURS)])
        return f"\x1b[{colour}m{target.label}\x1b[0m".encode()


def split(line: bytes) -> tuple[bytes, bytes]:
    """Return the time and the text of a line that was asked for with its time; no time where it has none."""
    found = _STAMP.fullmatch(line)
    return (found[1], found[2]) if found else (b"", line)


def _document(target: Target, stamp: bytes, text: bytes) -> dict[str, object]:
    return {
        "apiVersion": constants.API_VERSION,
        "kind": "LogLine",
        "group": target.group,
        "pod": target.pod,
        "container": target.container,
        "time": stamp.decode(),
        "text": text.decode(errors="replace"),
    }
