"""Where the renderer's time goes: ``python -m bench.phases < stream`` renders once and prints milliseconds as JSON.

Processor time by phase. What a phase calls of another counts there only. ``start`` is Python up to the first line of
ours, ``import`` what the renderer imports, ``rest`` what no phase names.
"""

from __future__ import annotations

import functools
import io
import json
import sys
import time
from collections import defaultdict
from collections.abc import Callable
from types import ModuleType
from typing import Any


class Clock:
    """Adds up processor time by phase; the innermost phase counts."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = defaultdict(float)
        self._within = ["start"]
        self._since = 0.0  # processor time begins with the process

    def turn(self, phase: str) -> None:
        """Count what has passed for the present phase, and go on with another."""
        now = time.process_time()
        self.seconds[self._within[-1]] += now - self._since
        self._since, self._within[-1] = now, phase

    def watch(self, module: ModuleType, name: str, phase: str) -> None:
        """Count what a function takes for ``phase``."""
        setattr(module, name, self._counting(getattr(module, name), phase))

    def _counting(self, function: Callable[..., Any], phase: str) -> Callable[..., Any]:
        @functools.wraps(function)
        def counting(*args: Any, **keywords: Any) -> Any:  # noqa: ANN401  (any function of ours)
            self.turn(self._within[-1])
            self._within.append(phase)
            try:
                return function(*args, **keywords)
            finally:
                self.turn(phase)
                self._within.pop()

        return counting


def main() -> None:
    """Render standard input."""
    clock = Clock()
    clock.turn("import")
    from helm_roster import postrender  # noqa: PLC0415  (it is what is measured)

    clock.turn("rest")
    _watch(clock)
    text = sys.stdin.buffer.read()
    sys.stdin = io.TextIOWrapper(io.BytesIO(text))
    sys.stdout, told = io.TextIOWrapper(io.BytesIO()), sys.stdout
    code = postrender.run(["--helm4"])
    clock.turn("end")
    json.dump({phase: round(seconds * 1000, 2) for phase, seconds in clock.seconds.items()}, told)
    sys.exit(code)


def _watch(clock: Clock) -> None:
    from helm_roster.backends import native  # noqa: PLC0415
    from helm_roster.manifests import door  # noqa: PLC0415
    from helm_roster.model import operation, plan  # noqa: PLC0415
    from helm_roster.render import index, pipeline, stream  # noqa: PLC0415

    phases = {
        "read and write": [(stream, "read_stdin"), (stream, "write_stdout")],
        "split": [(stream, "split")],
        "find": [(index, "find"), (index, "workloads")],
        "parse": [(door, "load")],
        "values": [(door, "to_plain"), (operation, "read"), (plan, "make")],
        "check": [(native, "check")],
        "objects": [(native, "objects"), (native, "stamp")],
        "emit": [(stream, "with_data"), (pipeline, "_emit")],
        "dump": [(door, "dump")],
    }
    for phase, functions in phases.items():
        for module, name in functions:
            clock.watch(module, name, phase)


if __name__ == "__main__":
    main()
