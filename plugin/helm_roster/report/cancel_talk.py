"""What a cancellation tells people: what it waits for and why, and how it ended."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from typing import Any, Final

from helm_roster.cluster import leftovers
from helm_roster.cluster.client import CLAIMS
from helm_roster.cluster.leftovers import Leftover
from helm_roster.report import console

_CHANGES_SECONDS: Final = 2.0
_REASONS_SECONDS: Final = 10.0
_SHOWN: Final = 8


class Progress:
    """Says what is still there when that changes, but not too often, and now and then what holds it."""

    def __init__(self) -> None:
        now = time.monotonic()
        self._last, self._next, self._next_reasons = "", now, now + _REASONS_SECONDS

    def about(self, found: Sequence[Leftover]) -> None:
        """Say it where it is time."""
        text, now = summary(found), time.monotonic()
        if found and text != self._last and now >= self._next:
            console.say(f"waiting for {text}")
            self._last, self._next = text, now + _CHANGES_SECONDS
        if now > self._next_reasons:
            self._next_reasons = now + _REASONS_SECONDS
            for line in _reasons(found):
                console.say(f"  {line}")


def summary(found: Sequence[Leftover]) -> str:
    """Return how many objects of each kind are there."""
    counts: dict[str, int] = {}
    for one in found:
        counts[one.resource.kind] = counts.get(one.resource.kind, 0) + 1
    return ", ".join(f"{count} {kind}" for kind, count in sorted(counts.items()))


def names(found: Sequence[Leftover]) -> str:
    """Return the first few objects by kind and name."""
    return _few([one.name for one in found])


def left(release: str, found: Sequence[Leftover]) -> str:
    """Return what is still there when the time is over, a line for each thing that holds it."""
    return "\n".join([f"the time is over and {summary(found)} of {release} is still there:", *_reasons(found)])


def result(document: dict[str, Any]) -> Iterator[str]:
    """Yield the lines of a result (its shape: ``commands.cancel``)."""
    spared = _spared(document["kept"])
    endings = {
        True: f"nothing{spared} is left",
        None: f"nothing{spared} is left that you may list",
        False: f"what is left{spared} is being deleted",
    }
    yield f"cancelled {document['name']}: {_count(document['deleted'], 'object')}, {endings[document['gone']]}"
    if document["unseen"]:
        yield f"not looked for, since you may not list them: {_few(document['unseen'])}"
    for name in document["kept"]:
        yield f"kept by rule: {name}; delete it yourself if its data is not needed"


def _spared(kept: Sequence[str]) -> str:
    """Return `` but 2 kept claims``; empty where nothing is kept."""
    claims = all(name.startswith(f"{CLAIMS.kind} ") for name in kept)
    return f" but {_count(len(kept), 'kept claim' if claims else 'kept object')}" if kept else ""


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def _reasons(found: Sequence[Leftover]) -> list[str]:
    lines = [leftovers.reason(one) for one in found]
    more = len(lines) - _SHOWN
    return lines[:_SHOWN] + ([f"and {more} more"] if more > 0 else [])


def _few(words: Sequence[str]) -> str:
    more = len(words) - _SHOWN
    return ", ".join(words[:_SHOWN]) + (f" and {more} more" if more > 0 else "")
