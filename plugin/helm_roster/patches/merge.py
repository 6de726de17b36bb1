"""The form ``merge`` of a patch: a strategic merge of Kubernetes, with the keys of ``manifests.lists``.

Mappings merge field by field, null deletes, entries of keyed lists merge by key and new ones come last, all other
lists are replaced. ``$patch: delete`` deletes an entry or a field, ``$patch: replace`` replaces a mapping or, as an
entry of its own, the list. Other directives are refused: they say what kubectl computes, not what a person writes.

Each leaf must change something: a value, a list or an entry that is there so already is refused by its path, but for
what says which entry is meant or, where only stated fields stay, which of them do.
"""

from __future__ import annotations

import itertools
from collections.abc import Collection, Hashable, Mapping, Sequence
from typing import Any, Final, NoReturn

from helm_roster import errors
from helm_roster.manifests import lists
from helm_roster.manifests.lists import Field
from helm_roster.patches import pointers

_DIRECTIVE: Final = "$patch"
_REPLACE_ALL: Final = {_DIRECTIVE: "replace"}
_TAKE_OUT: Final = "take it out, or hold it by op test in a patch of form json"
_ABSENT: Final = "it is to be deleted, but is not there: correct its name, or take it out"
# Of these only the fields that the patch states stay, as `kubectl apply` keeps them: a volume has one source. They have
# the strategy retainKeys (x-kubernetes-patch-strategy in api/openapi-spec of Kubernetes 1.37); so do here entries of
# env, each a value or a source of one.
_RETAINED: Final = frozenset(
    {Field("spec", "strategy"), Field("spec", "volumes"), Field("spec", "resourceClaims"),
     *(Field(container, "env") for container in lists.CONTAINERS)}
)  # fmt: skip


def apply(data: dict[str, Any], patch: object) -> dict[str, Any]:
    """Return ``data`` with ``patch`` merged in; ``data`` itself stays.

    Raises:
        BadInputError: The patch has another shape than ``data``, names no entry, or a leaf of it changes nothing.
    """
    if not isinstance(patch, dict) or patch.get(_DIRECTIVE) == "delete":
        _refuse("", f"{pointers.shown(patch)} is no part of the target")
    if not patch:
        _refuse("", "it is empty: say what to change, or take the patch out")
    merged = _mapping(data, patch, lists.ROOT, "")
    _check_changed(data, merged, "")
    return merged


def _mapping(
    base: Mapping[str, Any], patch: Mapping[Any, Any], field: Field, at: str, *, kept: Collection[str] = ()
) -> dict[str, Any]:
    """Return ``base`` with ``patch`` merged in. ``kept`` are keys that the patch states although nothing changes."""
    merged = {} if _directive(patch) == "replace" else dict(base)
    for key, value in patch.items():
        here = f"{at}{pointers.text([key])}"
        if not isinstance(key, str):
            _refuse(here, f"the key is {pointers.shown(key)}, which is no text: quote it")
        if key == _DIRECTIVE and value == "replace":
            continue
        if key.startswith("$"):
            _refuse(here, f"{pointers.shown(value)} is no directive known here; known: $patch: delete, $patch: replace")
        if value is None or _directive(value) == "delete":
            if key not in merged:
                _refuse(here, _ABSENT)
            del merged[key]
        else:
            new = _value(merged.get(key), value, field.below(key), here)
            if key in merged and key not in kept:
                _check_changed(merged[key], new, here)
            merged[key] = new
    return merged


def _value(base: Any, value: Any, field: Field, at: str) -> Any:  # noqa: ANN401  (the shape is the document's)
    if base is not None and _shape(base) != _shape(value):
        _refuse(at, f"the target has a {_shape(base)} here, and the patch a {_shape(value)}: {pointers.shown(value)}")
    if isinstance(value, dict):
        return _stated(base or {}, value, field, at) if field in _RETAINED else _mapping(base or {}, value, field, at)
    return _list(base or [], value, field, at) if isinstance(value, list) else value


def _list(base: Sequence[Any], patch: Sequence[Any], field: Field, at: str) -> list[Any]:
    if _REPLACE_ALL in patch:
        return _list([], [entry for entry in patch if entry != _REPLACE_ALL], field, at)
    if field in lists.SETS:
        return _union(base, patch, at)
    if not lists.keys(field):
        return [_mapping({}, entry, field.entry, at) if isinstance(entry, dict) else entry for entry in patch]
    return _Entries(base, field, at).merged(patch)


class _Entries:
    """The entries of one keyed list while a patch is merged in, each in a slot of its own, found by its first key."""

    def __init__(self, base: Sequence[Any], field: Field, at: str) -> None:
        self._field, self._at, self._keys = field, at, lists.keys(field)
        self._slots = dict(enumerate(base))
        self._new = itertools.count(len(base))
        self._named: dict[Hashable, list[int]] = {}
        self._meant: set[int] = set()
        for slot, entry in self._slots.items():
            self._named.setdefault(self._name(entry), []).append(slot)

    def merged(self, patch: Sequence[Any]) -> list[Any]:
        for entry in patch:
            self._merge(entry)
        return list(self._slots.values())

    def _name(self, entry: object) -> Hashable:
        (value,) = lists.identity(entry, self._keys[:1])
        return value if isinstance(value, Hashable) else repr(value)

    def _merge(self, entry: Any) -> None:  # noqa: ANN401  (an entry may be of any shape)
        here, found = self._place(entry)
        if _directive(entry) == "delete":
            if found is None:
                _refuse(here, _ABSENT)
            del self._slots[found]
            self._named[self._name(entry)].remove(found)
            return
        if found is None:
            found = next(self._new)
            self._slots[found] = _mapping({}, entry, self._field.entry, here)
            self._named.setdefault(self._name(entry), []).append(found)
        else:
            self._slots[found] = self._changed(self._slots[found], entry, here)
        self._meant.add(found)

    def _place(self, entry: Any) -> tuple[str, int | None]:  # noqa: ANN401
        """Return the pointer to the entry that ``entry`` means, and its slot, if it is there."""
        keys = self._keys
        stated = lists.stated(self._field, entry) if isinstance(entry, dict) else []
        if keys[0] not in stated:
            _refuse(self._at, f"its entries are told apart by {keys[0]}, and {pointers.shown(entry)} does not say it")
        here = f"{self._at}{pointers.text([entry.get(keys[0])])}"
        slots = self._named.get(self._name(entry), [])
        found = [slots[index] for index in lists.matching([self._slots[slot] for slot in slots], entry, stated)]
        if len(found) > 1:
            _refuse(here, f"it means {len(found)} entries; say {' and '.join(keys[1:])} too")
        if _directive(entry) == "replace":
            _refuse(here, "$patch: replace is an entry of its own, and replaces the whole list")
        if self._meant.intersection(found):
            second = pointers.shown(entry)
            _refuse(self._at, f"two of its entries mean one, the second of them {second}: make one of them")
        return here, found[0] if found else None

    def _changed(self, base: Any, entry: Any, here: str) -> dict[str, Any]:  # noqa: ANN401
        alone, below = self._field in _RETAINED, self._field.entry
        new = _stated(base, entry, below, here) if alone else _mapping(base, entry, below, here, kept=self._keys)
        _check_changed(base, new, here)
        return new


def _union(base: Sequence[Any], patch: Sequence[Any], at: str) -> list[Any]:
    merged = list(base)
    for word in patch:
        if word in merged:
            _check_changed(word, word, f"{at}{pointers.text([word])}")
        merged.append(word)
    return merged


def _stated(base: Mapping[str, Any], patch: Mapping[Any, Any], field: Field, at: str) -> dict[str, Any]:
    """Return ``base`` with ``patch`` merged in, and of it only the fields that ``patch`` states."""
    return {key: value for key, value in _mapping(base, patch, field, at, kept=patch).items() if key in patch}


def _directive(value: object) -> object:
    return value.get(_DIRECTIVE) if isinstance(value, dict) else None


def _shape(value: object) -> str:
    return "mapping" if isinstance(value, dict) else "list" if isinstance(value, list) else "plain value"


def _check_changed(before: object, after: object, at: str) -> None:
    if pointers.same(before, after):
        _refuse(at, f"it is {pointers.shown(after)} without this patch: {_TAKE_OUT}")


def _refuse(at: str, problem: str) -> NoReturn:
    msg = f"merge{f' ({at})' if at else ''}: {problem}"
    raise errors.BadInputError(msg)
