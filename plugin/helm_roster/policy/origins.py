"""Who set a value of a group: the layer, as the chart traced it, and the file and line where that layer says so.

The chart composes and tells of every value which layer it is from (``layers`` of a ResolvedOperation: paths, parts
joined by dots, to layers). Here a path is only looked up in the values as they were written. Entries of a list that
merges by key go by that key in paths, whether they were written as a list or as a map. Of a list to which several
layers add, the chart names the last one only: here it is taken apart again, from its end.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from helm_roster.manifests import door, walk
from helm_roster.model import nearest as words
from helm_roster.model.written import Listing, Map, Path, Source, Written, dotted, get

CHART: Final = "chart"
UNKNOWN: Final = "unknown"
_BY: Final = "@by"
_APART: Final = "@apart"
_APPEND: Final = "@append"
_EACH: Final = "@each"
# Between the name that two layers give to different entries, and the key of the later one, which stands beside.
_BESIDE: Final = " @ "
_STRATEGY: Final = "patchStrategy"
_ABOVE: Final = frozenset({"post_merge", "replace"})
_NEAR: Final = 0.8


@dataclass(frozen=True, kw_only=True)
class Composed:
    """One group as the chart composed it: layers by path, values, and the shape of lists that merge by key.

    ``stack`` names the layers that may say something about the group, the group itself first.
    """

    stack: Sequence[str]
    layers: Mapping[str, str]
    values: Mapping[str, Any]
    shape: Mapping[str, Any]


@dataclass(frozen=True, kw_only=True)
class Origin:
    """One value and where it is from. ``key`` is the values key that sets it; none where the chart itself does."""

    path: str
    value: object
    layer: str
    key: str | None = None
    source: Source | None = None


class _Found(NamedTuple):
    """Where a layer's values say something: the way to it, and what of a path leads on from there."""

    values: Written
    path: Path
    left: str


def origins(composed: Composed, path: str, written: Sequence[Written]) -> list[Origin]:
    """Return the values at and below ``path``, sorted by path; all of the group where it is empty.

    ``written`` are the values in which to look, what wins first. A path into a value that is set as a whole gives
    that value. What the chart reads apart from the merge (``presets``, ``unset``) is given as each layer says it, and
    so are the parts of a list to which several layers add, in the order of the list.
    """
    if path and _APART in (composed.shape.get(path) or {}):
        return list(_apart(composed, path, written))
    asked = f"{path}{_BESIDE}"
    paths = [known for known in composed.layers if not path or walk.is_within(known, path) or known.startswith(asked)]
    paths = paths or [known for known in composed.layers if walk.is_within(path, known)]
    return [found for known in sorted(paths) for found in _of_value(composed, known, written)]


def deletions(composed: Composed, path: str, written: Sequence[Written]) -> Iterator[str]:
    """Yield which layers delete ``path`` by null or ``unset``, in words, with the source; the group first."""
    for layer in composed.stack:
        for values in written:
            node, root = _layer(values, layer)
            steps, _ = _follow(node, path, composed.shape, composed.values)
            if steps and get(node, *steps) is None:
                yield f"{dotted(root + steps)} is null ({values.source(*root, *steps)})"
            unset = get(node, "unset")
            for index, entry in enumerate(unset if isinstance(unset, Listing) else ()):
                if walk.is_within(path, str(entry)):
                    yield f"{layer}.unset names {entry} ({values.source(*root, 'unset', index)})"


def nearest(composed: Composed, path: str) -> str | None:
    """Return the path with a value that is most like ``path``, or the nearest one above it."""
    known = {".".join(parts[:length]) for parts in map(_parts, composed.layers) for length in range(1, len(parts) + 1)}
    if close := words.nearest(path, sorted(known), _NEAR):
        return close
    parts = _parts(path)
    above = (".".join(parts[:length]) for length in range(len(parts) - 1, 0, -1))
    return next((found for found in above if found in known), None)


def _parts(path: str) -> list[str]:
    return path.split(".")


def _of_value(composed: Composed, path: str, written: Sequence[Written]) -> list[Origin]:
    rules = composed.shape
    for step in _parts(path):
        rules = _rules(rules, step)
    if _APPEND in rules:
        return _appended(composed, path, written)
    layer = composed.layers[path]
    value = _unnamed(_value(composed.values, path), path)
    return [_origin(path, value, layer, _find(composed, path, layer, written))]


def _origin(path: str, value: object, layer: str, found: _Found | None) -> Origin:
    if found is None or layer == CHART:
        return Origin(path=path, value=value, layer=layer)
    source = _latest(found.values, found.path)
    return Origin(path=path, value=value, layer=layer, key=dotted(found.path), source=source)


def _find(composed: Composed, path: str, layer: str, written: Sequence[Written]) -> _Found | None:
    """Return where a layer says the value at ``path``, or the nearest above it; what is written above others wins."""
    found = []
    for values in written:
        node, root = _layer(values, layer)
        if node is not None:
            steps, left = _follow(node, path, composed.shape, composed.values)
            found.append(_Found(values, root + steps, left))
    return min(found, key=lambda entry: len(entry.left), default=None)


def _appended(composed: Composed, path: str, written: Sequence[Written]) -> list[Origin]:
    """Return what each layer adds to a list, in the list's order; first what no layer that is read here says."""
    rest = _value(composed.values, path)
    parts: list[Origin] = []
    for layer in _strongest_first(composed, written):
        found = _find(composed, path, layer, written)
        added = door.to_plain(get(found.values.values, *found.path)) if found and not found.left else None
        if rest and isinstance(rest, list) and isinstance(added, list) and added and rest[-len(added) :] == added:
            parts.append(_origin(path, added, layer, found))
            rest = rest[: -len(added)]
    if rest or not parts:
        parts.append(Origin(path=path, value=rest, layer=UNKNOWN if parts else composed.layers[path]))
    return parts[::-1]


def _strongest_first(composed: Composed, written: Sequence[Written]) -> Iterator[str]:
    group, *presets, defaults = composed.stack
    strategies = {preset: {str(get(_layer(values, preset)[0], _STRATEGY)) for values in written} for preset in presets}
    above = [preset for preset in presets if not _ABOVE.isdisjoint(strategies[preset])]
    under = [preset for preset in presets if preset not in above]
    others = sorted(set(composed.layers.values()) - {*composed.stack, CHART})
    return iter((*reversed(above), group, *reversed(under), defaults, *others))


def _apart(composed: Composed, field: str, written: Sequence[Written]) -> Iterator[Origin]:
    for layer in composed.stack:
        for values in written:
            node, root = _layer(values, layer)
            value = get(node, field)
            if value is not None:
                source, plain = values.source(*root, field), door.to_plain(value)
                yield Origin(path=field, value=plain, layer=layer, key=dotted((*root, field)), source=source)


def _latest(values: Written, path: Path) -> Source | None:
    """Return where the value was set; of a map or list, the source of what another one changed in it."""
    source, node = values.source(*path), get(values.values, *path)
    inner = node.sources.values() if isinstance(node, Map) else node.sources if isinstance(node, Listing) else ()
    return next((below for below in inner if source and below.name != source.name), source)


def _layer(values: Written, layer: str) -> tuple[object, Path]:
    """Return what a layer holds and the path to it; None where these values do not have it."""
    root, dot, name = layer.partition(".")
    path = (root, name) if dot else (root,)
    return get(values.values, *path), path


def _value(values: object, path: str) -> object:
    """Return what stands at a dotted path, whose keys may hold dots themselves."""
    if not isinstance(values, dict):
        return None
    if path in values:
        return values[path]
    found = (_value(values[key], path.removeprefix(f"{key}.")) for key in values if path.startswith(f"{key}."))
    return next((value for value in found if value is not None), None)


def _unnamed(value: object, path: str) -> object:
    """Return an entry that is set as a whole as the map form has it: without the name that stands in its path."""
    if not isinstance(value, dict) or not path.endswith(f".{value.get('name')}"):
        return value
    rest = {key: entry for key, entry in value.items() if key != "name"}
    return rest["value"] if rest.keys() == {"value"} else rest


def _follow(node: object, rest: str, shape: Mapping[str, Any], composed: object) -> tuple[Path, str]:
    """Return the longest way into ``node`` along the dotted path ``rest``, and what of it is left."""
    best: tuple[Path, str] = ((), rest)
    for step, key in _candidates(node, rest, shape, composed):
        if rest == key:
            return (step,), ""
        below = composed.get(key) if isinstance(composed, dict) else None
        steps, left = _follow(get(node, step), rest.removeprefix(f"{key}."), _rules(shape, key), below)
        if len(left) < len(best[1]):
            best = (step, *steps), left
    return best


def _rules(shape: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    """Return the shape below ``key``: a field, or an entry of a list by key, whose fields stand beside its ``@by``.

    Of a map whose keys are the user's, ``@each`` is the shape of all.
    """
    if _BY in shape:
        return {name: rule for name, rule in shape.items() if name != _BY}
    return shape.get(key) or shape.get(_EACH) or {}


def _candidates(node: object, rest: str, shape: Mapping[str, Any], composed: object) -> Iterator[tuple[str | int, str]]:
    """Yield the steps from ``node`` with which ``rest`` may begin, each with its part of ``rest``."""
    if isinstance(node, Map):
        for key in node:
            beside = f"{key}{_BESIDE}{_handle(node[key], shape.get(_BY, ()))}"
            yield from ((key, known) for known in (key, beside) if walk.is_within(rest, known))
    elif isinstance(node, Listing) and _BY in shape:
        by = shape[_BY]
        entries = composed if isinstance(composed, dict) else {}
        named = {_handle(entry, by): key for key, entry in entries.items() if walk.is_within(rest, key)}
        for index, entry in enumerate(node):
            handle = _handle(entry, by)
            if walk.is_within(rest, key := named.get(handle, handle)):
                yield index, key


def _handle(entry: object, by: Sequence[str]) -> str:
    """Return the key of a list entry, as the chart makes it: see ``replica-group.keyed.handle``."""
    if not by or not isinstance(entry, dict):
        return str(entry)
    parts = [entry.get(field) for field in by]
    return "/".join(str((part.get("name") if isinstance(part, dict) else part) or "") for part in parts)
