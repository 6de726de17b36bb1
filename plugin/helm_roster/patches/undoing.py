"""Tells changes that only take back earlier ones, so that all of these might as well not be there."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final, NamedTuple, TypeAlias

from helm_roster import errors
from helm_roster.manifests import lists
from helm_roster.manifests.lists import Field
from helm_roster.patches import pointers

_ABSENT: Final = object()
_Redo: TypeAlias = Callable[[int, Any], object]


class Undoing(NamedTuple):
    """A change that only takes back what ``undone`` did, by their places in the sequence, at the pointer ``at``."""

    change: int
    undone: tuple[int, ...]
    at: str


def find(states: Sequence[object], redo: _Redo) -> Undoing | None:
    """Return the first change that only takes back earlier ones, where all ends the same without that.

    ``states`` is how it was before the first change and after each. ``redo`` makes one of the changes in other data,
    and raises ``BadInputError`` where it cannot be made: then it reads, or tests, what was taken back later.
    """
    for change in range(1, len(states) - 1):
        spots = taken_back(states[0], states[change], states[change + 1])
        undone = _undone(states, change, spots) if spots else ()
        if not undone:
            continue
        found = Undoing(change, undone, spots[0] or "/")
        if pointers.same(_without(states, found, spots, redo), states[-1]):
            return found
    return None


def taken_back(first: object, before: object, after: object) -> list[str]:
    """Return the pointers to all that ``after`` changes; none where anything of it is not as ``first`` had it.

    ``first`` is how it was before all changes, ``before`` and ``after`` are how it was around one of them.
    """
    spots = list(_spots(first, before, after, lists.ROOT, ""))
    return [at for at, _ in spots] if all(back for _, back in spots) else []


def _undone(states: Sequence[object], change: int, spots: Sequence[str]) -> tuple[int, ...]:
    """Return the earlier changes at ``spots``, since these last were as ``change`` makes them."""
    touched = [_touches(states[place], states[place + 1], spots) for place in range(change)]
    alike = (place for place in reversed(range(change)) if not _touches(states[place], states[change + 1], spots))
    return tuple(place for place in range(next(alike, 0), change) if touched[place])


def _without(states: Sequence[object], found: Undoing, spots: Sequence[str], redo: _Redo) -> object:
    """Return how all ends if neither ``found`` nor what it undoes changes anything at ``spots``; None if it cannot."""
    data: object = states[0]
    try:
        for place, (before, after) in enumerate(itertools.pairwise(states)):
            undone = place in found.undone
            if place == found.change or (undone and all(_is_within(at, spots) for at in _changed(before, after))):
                continue
            data = redo(place, data)
            for spot in spots if undone else ():
                data = _put_back(states[0], data, lists.ROOT, pointers.names(spot))
    except errors.BadInputError:
        return None
    return data


def _put_back(first: Any, data: Any, field: Field, path: Sequence[str]) -> Any:  # noqa: ANN401  (any shape)
    """Return ``data`` with what stands in ``first`` at ``path``."""
    if not path:
        return first
    old, now = _parts(first, field) or {}, _parts(data, field)
    if now is None:
        return data
    name, *rest = path
    below = field.below(name) if isinstance(data, dict) else field.entry
    value = _put_back(old.get(name, _ABSENT), now.get(name, _ABSENT), below, rest)
    changed = {**now, name: value}
    if value is _ABSENT:
        del changed[name]
    return changed if isinstance(data, dict) else list(changed.values())


def _changed(before: object, after: object) -> list[str]:
    return [at for at, _ in _spots(before, before, after, lists.ROOT, "")]


def _touches(before: object, after: object, spots: Sequence[str]) -> bool:
    """Return whether the two differ at, inside or around one of ``spots``."""
    found = _changed(before, after)
    return any(_is_within(at, spots) for at in found) or any(_is_within(spot, found) for spot in spots)


def _is_within(at: str, spots: Sequence[str]) -> bool:
    return any(at == spot or at.startswith(f"{spot}/") for spot in spots)


def _spots(first: Any, before: Any, after: Any, field: Field, at: str) -> Iterator[tuple[str, bool]]:  # noqa: ANN401  (any shape)
    """Yield where ``after`` differs from ``before``, and whether it is there as in ``first``."""
    if _same(before, after):
        return
    old, was, now = (_parts(value, field) for value in (first, before, after))
    if old is None or was is None or now is None or (isinstance(after, list) and not _in_order(old, was, now)):
        yield at, _same(first, after)
        return
    for key in {**was, **now}:
        below = field.below(key) if isinstance(after, dict) else field.entry
        values = [part.get(key, _ABSENT) for part in (old, was, now)]
        yield from _spots(values[0], values[1], values[2], below, f"{at}{pointers.text([key])}")


def _parts(value: object, field: Field) -> dict[str, Any] | None:
    """Return the fields of a mapping, or the entries of a list by their names; None where it has no such parts."""
    if isinstance(value, dict):
        return value
    if not isinstance(value, list) or len(lists.keys(field)) != 1:
        return None
    named = {name: entry for entry in value if (name := lists.called(field, entry)) is not None}
    return named if len(named) == len(value) else None


def _in_order(old: dict[str, Any], was: dict[str, Any], now: dict[str, Any]) -> bool:
    """Return whether what was there keeps its order, and what is there again comes where it once was."""
    again = any(key in old for key in now if key not in was)
    return _agree(was, now) and (not again or _agree(old, now))


def _agree(one: dict[str, Any], other: dict[str, Any]) -> bool:
    """Return whether what both have comes in the same order."""
    return [key for key in one if key in other] == [key for key in other if key in one]


def _same(one: object, other: object) -> bool:
    return one is other or (one is not _ABSENT and other is not _ABSENT and pointers.same(one, other))
