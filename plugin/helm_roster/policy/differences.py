"""What differs between two manifests, by path; entries of lists go by the keys that the API knows them by."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from helm_roster.manifests import lists
from helm_roster.manifests.lists import Field

_ENV: Final = frozenset(Field(container, "env") for container in lists.CONTAINERS)


@dataclass(frozen=True, kw_only=True)
class Difference:
    """One value that changes; None on the side where it is absent. Parts of ``path`` are joined by dots."""

    path: str
    before: object = None
    after: object = None


def find(before: object, after: object, path: str = "", field: Field = lists.ROOT) -> Iterator[Difference]:
    """Yield what differs, a map or list key by key where both sides have one; ``field`` is what stands at ``path``.

    Null and absent are the same. A list whose entries are the same in another order differs as a whole.
    """
    if before == after:
        return
    if isinstance(before, dict) and isinstance(after, dict):
        yield from _in_maps(before, after, path, field)
    elif isinstance(before, list) and isinstance(after, list):
        yield from _in_lists(before, after, path, field)
    else:
        yield Difference(path=path, before=before, after=after)


def _in_maps(before: Mapping[str, Any], after: Mapping[str, Any], path: str, field: Field) -> Iterator[Difference]:
    for key in sorted({*before, *after}):
        yield from find(before.get(key), after.get(key), f"{path}.{key}" if path else key, field.below(key))


def _in_lists(before: list[Any], after: list[Any], path: str, field: Field) -> Iterator[Difference]:
    keys = lists.keys(field)
    old, new = _by_name(before, keys), _by_name(after, keys)
    if old is None or new is None:
        yield Difference(path=path, before=before, after=after)
        return
    found = False
    for name in (*old, *(name for name in new if name not in old)):
        was, is_now = old.get(name), new.get(name)
        if field in _ENV:
            was, is_now = _value(was), _value(is_now)
        for difference in find(was, is_now, f"{path}.{name}", field.entry):
            found = True
            yield difference
    if not found:
        yield Difference(path=path, before=before, after=after)


def _value(entry: Mapping[str, Any] | None) -> object:
    """Return what an entry of ``env`` sets: its value, else where it comes from."""
    return entry and entry.get("value", entry.get("valueFrom", ""))


def _by_name(entries: list[Any], keys: Sequence[str]) -> dict[str, Any] | None:
    """Return the entries by their keys in one text; None where they cannot be told apart."""
    if not keys or not all(isinstance(entry, dict) for entry in entries):
        return None
    named = {
        "/".join(str(part) for part in lists.identity(entry, keys) if part is not None): entry for entry in entries
    }
    return named if len(named) == len(entries) else None
