"""Tells a change that only takes back earlier ones, so that both might as well not be there."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from helm_roster.manifests import lists
from helm_roster.manifests.lists import Field
from helm_roster.patches import pointers

_ABSENT: Final = object()


def undone(first: object, before: object, after: object) -> str | None:
    """Return the pointer to what ``after`` takes back to how ``first`` had it; None where it changes anything else too.

    ``first`` is how it was before all changes, ``before`` and ``after`` are how it was around the last of them.
    """
    spots = list(_spots(first, before, after, lists.ROOT, ""))
    return spots[0][0] if spots and all(back for _, back in spots) else None


def _spots(first: Any, before: Any, after: Any, field: Field, at: str) -> Iterator[tuple[str, bool]]:  # noqa: ANN401  (any shape)
    """Yield where ``after`` differs from ``before``, and whether it is there as in ``first``."""
    if _same(before, after):
        return
    old, was, now = (_parts(value, field) for value in (first, before, after))
    if old is None or was is None or now is None or (isinstance(after, list) and not _in_order(was, now)):
        yield at or "/", _same(first, after)
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


def _in_order(was: dict[str, Any], now: dict[str, Any]) -> bool:
    """Return whether what both have comes in the same order."""
    return [key for key in was if key in now] == [key for key in now if key in was]


def _same(one: object, other: object) -> bool:
    return one is other or (one is not _ABSENT and other is not _ABSENT and pointers.same(one, other))
