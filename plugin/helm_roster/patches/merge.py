"""The form ``merge`` of a patch: a strategic merge of Kubernetes, with the keys of ``manifests.lists``.

Mappings merge field by field, null deletes, entries of keyed lists merge by key and new ones come last, all other
lists are replaced. ``$patch: delete`` deletes an entry or a field, ``$patch: replace`` replaces a mapping or, as an
entry of its own, the list. Other directives are refused: they say what kubectl computes, not what a person writes.

Each leaf must change something: a value, a list or an entry that is there so already is refused by its path, but for
what says which entry is meant or, where only stated fields stay, which of them do.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
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
    merged, made = list(base), 0
    for entry in patch:
        _merge_entry(merged, entry, field, at)
        made += _directive(entry) != "delete"
        if sum(all(new is not old for old in base) for new in merged) < made:
            _refuse(at, f"two of its entries mean one, the second of them {pointers.shown(entry)}: make one of them")
    return merged


def _union(base: Sequence[Any], patch: Sequence[Any], at: str) -> list[Any]:
    merged = list(base)
    for word in patch:
        if word in merged:
            _check_changed(word, word, f"{at}{pointers.text([word])}")
        merged.append(word)
    return merged


def _merge_entry(entries: list[Any], entry: Any, field: Field, at: str) -> None:  # noqa: ANN401
    keys = lists.keys(field)
    stated = lists.stated(field, entry) if isinstance(entry, dict) else []
    if keys[0] not in stated:
        _refuse(at, f"its entries are told apart by {keys[0]}, and {pointers.shown(entry)} does not say it")
    here = f"{at}{pointers.text([entry.get(keys[0])])}"
    found = lists.matching(entries, entry, stated)
    if len(found) > 1:
        _refuse(here, f"it means {len(found)} entries; say {' and '.join(keys[1:])} too")
    if _directive(entry) == "replace":
        _refuse(here, "$patch: replace is an entry of its own, and replaces the whole list")
    elif _directive(entry) == "delete":
        if not found:
            _refuse(here, _ABSENT)
        del entries[found[0]]
    elif found:
        base = entries[found[0]]
        alone = field in _RETAINED
        new = _stated(base, entry, field.entry, here) if alone else _mapping(base, entry, field.entry, here, kept=keys)
        _check_changed(base, new, here)
        entries[found[0]] = new
    else:
        entries.append(_mapping({}, entry, field.entry, here))


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
