"""What a cancellation tells people: what it waits for and why, and how it ended."""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Final

from helm_roster.cluster.client import CLAIMS, PODS
from helm_roster.cluster.leftovers import Leftover
from helm_roster.manifests import walk
from helm_roster.model.plan import TEMPLATE_PATHS
from helm_roster.model.wording import counted, few
from helm_roster.report import console, redrawing, texts

# Tells, a line each, what holds these objects.
Ask = Callable[[Sequence[Leftover]], list[str]]
Tell = Callable[[Sequence[Leftover], Ask], None]

_CHANGES_SECONDS: Final = 2.0
_REASONS_SECONDS: Final = 10.0
_SHOWN: Final = 8
# What everybody counts has a word; the rest goes by its kind.
_NOUNS: Final = {PODS.kind: "pod"}


@contextlib.contextmanager
def progress(title: str) -> Iterator[Tell]:
    """Give a function that tells what is left: in place on a terminal, else a line for each group that changes.

    It is given what is left, and what tells why; the latter is asked now and then only.
    """
    if not redrawing.is_possible(sys.stderr):
        yield Lines(title).tell
        return
    with redrawing.place(sys.stderr, stays=False) as draw:
        why = _Now(())

        def tell(found: Sequence[Leftover], ask: Ask) -> None:
            draw(title, *(f"  {name}: {text} left" for name, text in _by_group(found).items()), *why.of(found, ask))

        yield tell


class Lines:
    """Says the title once, then what changed, but not too often, and now and then what holds it."""

    def __init__(self, title: str) -> None:
        self._title, self._next = title, time.monotonic()
        self._last: dict[str, str] = {}
        self._why = _Now(())

    def tell(self, found: Sequence[Leftover], ask: Ask) -> None:
        """Say it where it is time."""
        now = _by_group(found)
        if time.monotonic() >= self._next and found and now != self._last:
            if self._title:
                console.say(self._title)
                self._title = ""
            for name in sorted(now.keys() | self._last.keys()):
                if now.get(name) != self._last.get(name):
                    console.say(f"  {name}: {now[name]} left" if name in now else f"  {name}: gone")
            self._last, self._next = now, time.monotonic() + _CHANGES_SECONDS
        before = self._why.lines
        if (lines := self._why.of(found, ask)) is not before:
            for line in lines:
                console.say(line)


class _Now:
    """What holds what is left, as it was found not long ago."""

    def __init__(self, lines: Sequence[str]) -> None:
        self.lines, self._next = lines, time.monotonic() + _REASONS_SECONDS

    def of(self, found: Sequence[Leftover], ask: Ask) -> Sequence[str]:
        if time.monotonic() > self._next and found:
            self.lines = [f"  {line}" for line in texts.few_lines(ask(found[:_SHOWN]), _SHOWN, len(found))]
            self._next = time.monotonic() + _REASONS_SECONDS
        return self.lines


def _by_group(found: Sequence[Leftover]) -> dict[str, str]:
    """Return what is left of each group, in words; what belongs to none is the rest."""
    names = sorted({one.group for one in found})
    return {name or "the rest": summary([one for one in found if one.group == name]) for name in names}


def summary(found: Sequence[Leftover]) -> str:
    """Return how many objects of each kind are there."""
    counts: dict[str, int] = {}
    for one in found:
        counts[one.resource.kind] = counts.get(one.resource.kind, 0) + 1
    return ", ".join(counted(count, _NOUNS.get(kind, kind)) for kind, count in sorted(counts.items()))


def names(found: Sequence[Leftover]) -> str:
    """Return the first few objects by kind and name."""
    return few([one.name for one in found], _SHOWN)


def left(release: str, found: Sequence[Leftover], ask: Ask, kept: Iterable[Leftover] = ()) -> str:
    """Return what is still there when the time is over, a line for each thing that holds it, kept workloads too."""
    why = texts.few_lines(ask(found[:_SHOWN]), _SHOWN, len(found))
    running = [
        _kept(one.name, str(walk.get(one.manifest, "metadata", "namespace")))
        for one in kept
        if one.resource.kind in TEMPLATE_PATHS
    ]
    return "\n".join([f"the time is over with {summary(found)} of {release} left:", *why, *running])


def result(document: dict[str, Any]) -> Iterator[str]:
    """Yield the lines of a result (its shape: ``commands.cancel``)."""
    spared = _spared(document["kept"])
    endings = {
        True: f"nothing{spared} is left",
        None: f"nothing{spared} is left that you may list",
        False: f"what is left{spared} is being deleted",
    }
    yield f"cancelled {document['name']}: {counted(document['deleted'], 'object')}, {endings[document['gone']]}"
    if document["unseen"]:
        yield f"not looked for, since you may not list them: {few(document['unseen'], _SHOWN)}"
    sizes = {f"{CLAIMS.kind} {volume['name']}": volume for volume in document["volumes"]}
    for name, volume in sizes.items():
        if volume["deleted"]:
            yield f"deleted with its data: {name}, {volume['size']}"
    for name in document["kept"]:
        volume = sizes.get(name)
        if volume is None:
            yield _kept(name, document["namespace"])
        else:
            how = f"helm roster cancel {document['name']} --delete-data deletes it with its data"
            yield f"kept by rule: {name}, {volume['size']}; {how}"


def _kept(name: str, namespace: str) -> str:
    """Return how to delete what is kept, and that pods run on where it makes them."""
    kind, _, of = name.partition(" ")
    if kind not in TEMPLATE_PATHS:
        return f"kept by rule: {name}; delete it yourself if it is not needed"
    return f"kept by rule: {name}; its pods run on until: kubectl delete {kind.lower()} {of} -n {namespace}"


def _spared(kept: Sequence[str]) -> str:
    """Return `` but 2 kept claims``; empty where nothing is kept."""
    claims = all(name.startswith(f"{CLAIMS.kind} ") for name in kept)
    return f" but {counted(len(kept), 'kept claim' if claims else 'kept object')}" if kept else ""
