"""What differs between two manifests, by path; entries of lists go by the keys that the API knows them by."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from helm_roster.manifests import lists
from helm_roster.manifests.lists import Field

# Given a field, the path to it and two values of it: whether they count as one and the same.
Same = Callable[[Field, str, object, object], bool]

_ENV: Final = frozenset(Field(container, "env") for container in lists.CONTAINERS)


@dataclass(frozen=True, kw_only=True)
class Difference:
    """One value that changes; None on the side where it is absent. Parts of ``path`` are joined by dots."""

    path: str
    before: object = None
    after: object = None


def _never(field: Field, path: str, before: object, after: object) -> bool:
    del field, path, before, after
    return False


def find(
    before: object, after: object, path: str = "", field: Field = lists.ROOT, *, same: Same = _never
) -> Iterator[Difference]:
    """Yield what differs, a map or list key by key where both sides have one; ``field`` is what stands at ``path``.

    Null and absent are the same, and so are values that are the ``same`` although written otherwise. A list whose
    entries are the same in another order differs as a whole.
    """
    if before == after:
        return
    if isinstance(before, dict) and isinstance(after, dict):
        yield from _in_maps(before, after, path, field, same)
    elif isinstance(before, list) and isinstance(after, list):
        yield from _in_lists(before, after, path, field, same)
    elif not same(field, path, before, after):
        yield Difference(path=path, before=before, after=after)


def _in_maps(
    before: Mapping[str, Any], after: Mapping[str, Any], path: str, field: Field, same: Same
) -> Iterator[Difference]:
    for key in sorted({*before, *after}):
        below = f"{path}.{key}" if path else key
        yield from find(before.get(key), after.get(key), below, field.below(key), same=same)


def _in_lists(before: list[Any], after: list[Any], path: str, field: Field, same: Same) -> Iterator[Difference]:
    keys = lists.keys(field)
    old, new = _by_name(before, keys), _by_name(after, keys)
    if old is None or new is None:
        old, new = ({str(index): entry for index, entry in enumerate(entries)} for entries in (before, after))
        if list(old) != list(new) or any(_in_entries(old, new, path, field, same)):
            yield Difference(path=path, before=before, after=after)
        return
    found = list(_in_entries(old, new, path, field, same))
    yield from found
    if not found and list(old) != list(new):
        yield Difference(path=path, before=before, after=after)


def _in_entries(
    old: Mapping[str, Any], new: Mapping[str, Any], path: str, field: Field, same: Same
) -> Iterator[Difference]:
    for name in (*old, *(name for name in new if name not in old)):
        was, is_now = old.get(name), new.get(name)
        if field in _ENV:
            was, is_now = _value(was), _value(is_now)
        yield from find(was, is_now, f"{path}.{name}", field.entry, same=same)


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
