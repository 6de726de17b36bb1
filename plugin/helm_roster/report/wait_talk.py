"""What a wait tells people: how far each group is, look after look, and how it ended."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final

from helm_roster.constants import Goal
from helm_roster.model.wording import counted, few
from helm_roster.policy.health import GroupHealth
from helm_roster.policy.waiting import Fault, Outcome
from helm_roster.report import console, redrawing, status_json, status_table

Status = Callable[[], dict[str, Any] | None]
# Given how things are, and what returns the status as a document where there is one.
Tell = Callable[[Outcome, Status], None]

WORDS: Final[dict[Goal, str]] = {"ready": "ready", "placed": "placed", "complete": "complete", "deleted": "gone"}


@contextlib.contextmanager
def progress(title: str, goal: Goal) -> Iterator[Tell]:
    """Give a function that tells how things are: in place on a terminal, else a line for each group that changes."""
    if not redrawing.is_possible(sys.stderr):
        yield Lines(title, goal).tell
        return
    with redrawing.place(sys.stderr, stays=False) as draw:

        def tell(outcome: Outcome, status: Status) -> None:
            del outcome
            found = status()
            parts = [status_table.table(found), *status_table.problems(found)] if found else []
            draw(title, *parts)

        yield tell


def title(name: str, goal: Goal, timeout: float) -> str:
    """Return what is waited for."""
    return f"waiting for {name} to be {WORDS[goal]}, at most {duration(timeout)}"


class Lines:
    """Says the title once, then what has changed, a line for each group."""

    def __init__(self, title: str, goal: Goal) -> None:
        self._title, self._goal = title, goal
        self._last: dict[str, str] = {}

    def tell(self, outcome: Outcome, status: Status | None = None) -> None:
        """Say what is new."""
        del status
        if self._title:
            console.say(self._title)
            self._title = ""
        groups = outcome.health.groups if outcome.health else ()
        now = {group.name: line(group, self._goal, outcome.old.get(group.name, 0)) for group in groups}
        for name, text in now.items():
            if self._last.get(name) != text:
                console.say(f"  {text}")
        for name in self._last.keys() - now.keys():
            console.say(f"  {name}: gone")
        self._last = now


def line(group: GroupHealth, goal: Goal, old: int = 0) -> str:
    """Return how far a group is, and what it waits for; ``old`` pods of an older template are still there."""
    counts = f"{group.ready} of {group.desired} ready"
    if group.kind == "Job":
        counts = f"{group.succeeded} of {group.desired} done, {group.ready} ready"
    if goal == "deleted":
        return f"{group.name}: {counted(group.pods + group.terminating, 'pod')} left"
    if group.placed + group.succeeded < group.desired:
        counts += f", {group.placed} placed"
    beside = f" (and {old} of the old template)" if old else ""
    return f"{group.name}: {counts}{beside}{_reason(group)}"


def _reason(group: GroupHealth) -> str:
    if group.missing:
        return "; its workload object is gone"
    problem = next((problem for problem in group.problems if not (problem.recovered and group.whole)), None)
    if problem:
        return f"; {status_table.problem_text(status_json.problem_of(problem))}"
    told = {hold.stage: hold.message for hold in reversed(group.holds) if hold.message}
    return next((f"; {stage}: {told[stage]}" for stage in status_json.STAGES if stage in told), "")


def lacking(group: GroupHealth, goal: Goal, old: int = 0) -> list[str]:
    """Return what a group lacks when the time is over, with the cluster's warnings about it, a line each."""
    warnings = status_table.warnings(status_json.group_of(group))
    return [line(group, goal, old), *(f"{group.name}: {text}" for text in warnings)]


def cause(fault: Fault) -> str:
    """Return what ended a wait, in a line."""
    text = status_table.problem_text(status_json.problem_of(fault.problem)) if fault.problem else fault.text
    return f'group "{fault.group}": {text}' if fault.group else text


def result(name: str, goal: Goal, seconds: float, unseen: Sequence[str]) -> list[str]:
    """Return the lines that say that it is so; ``unseen`` are kinds of which something may be left."""
    blind = [f"not looked for, since you may not list them: {few(unseen)}"] if unseen else []
    known = ", as far as you may list" if unseen else ""
    return [f"{name} is {WORDS[goal]}{known} (after {duration(seconds)})", *blind]


def duration(seconds: float) -> str:
    """Return seconds as Helm writes a duration: ``90s``, ``10m``, ``1h30m``."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    parts = [f"{count}{unit}" for count, unit in ((hours, "h"), (minutes, "m"), (rest, "s")) if count]
    return "".join(parts) or "0s"
