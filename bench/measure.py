"""Runs commands by turns and notes what each run took: processor time, wall time, and the most memory of one process.

Other work on the machine lengthens wall times by far more than it does processor time, and both by turns: so all
candidates run in every round, and what is compared are medians over the rounds.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from bench.renderers import Renderer


@dataclass(frozen=True)
class Run:
    """One run: seconds of processor time of all its processes, seconds on the wall, bytes at the peak of one."""

    cpu: float
    wall: float
    peak: int


def by_turns(renderers: Sequence[Renderer], text: str, rounds: int) -> dict[str, list[Run]]:
    """Return the runs of each renderer; a first round, which only warms the caches, does not count."""
    found: dict[str, list[Run]] = {renderer.name: [] for renderer in renderers}
    for number in range(rounds + 1):
        for renderer in _turned(renderers, number):
            run = _run(renderer, text)
            if number:
                found[renderer.name].append(run)
    return found


def median(runs: Sequence[Run]) -> Run:
    """Return the median of each figure."""
    return Run(
        cpu=statistics.median(run.cpu for run in runs),
        wall=statistics.median(run.wall for run in runs),
        peak=int(statistics.median(run.peak for run in runs)),
    )


def _turned(renderers: Sequence[Renderer], number: int) -> Iterator[Renderer]:
    """Yield all of them, with another one first in each round."""
    start = number % len(renderers)
    yield from (*renderers[start:], *renderers[:start])


def _run(renderer: Renderer, text: str) -> Run:
    with tempfile.TemporaryFile() as given, tempfile.TemporaryFile() as said:
        given.write(text.encode())
        given.seek(0)
        started = time.perf_counter()
        process = subprocess.Popen(
            renderer.command, env=renderer.env, stdin=given, stdout=subprocess.DEVNULL, stderr=said
        )
        _, status, usage = os.wait4(process.pid, 0)
        wall = time.perf_counter() - started
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            said.seek(0)
            msg = f"{renderer.name} ended with {process.returncode}: {said.read().decode(errors='replace')}"
            raise RuntimeError(msg)
    return Run(cpu=usage.ru_utime + usage.ru_stime, wall=wall, peak=usage.ru_maxrss * 1024)
