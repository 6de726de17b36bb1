"""What layers say in vain: fields of a preset that do not come through, and empty values that delete nothing."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from helm_roster.manifests import door, walk
from helm_roster.model.plan import Plan, groups_of
from helm_roster.model.schema import Schema
from helm_roster.model.written import Map, Written, dotted, get

# Read apart from the merge: an empty list of presets means none.
_APART: Final = frozenset({"presets", "unset"})
_ORDER: Final = "@order"


def warnings(plan: Plan, resolved: Mapping[str, Any], written: Written, chart: Path | str) -> Iterator[str]:
    """Yield a line for each preset of a group that is partly left out, and each empty value of a group.

    ``resolved`` is a ``Rendering``'s, ``chart`` the one that made it.
    """
    schema = Schema.of(chart)
    for group in groups_of(plan):
        composed, layers = json.loads(resolved["composed"][group.name]), resolved["layers"][group.name]
        for preset in group.presets:
            if lost := list(_left_out(preset, composed, layers, written)):
                yield (
                    f'group "{group.name}": preset "{preset}" (patchStrategy isnull) sets only whole fields that '
                    f"nobody else sets, so it leaves out {', '.join(lost)}; set that in the group, or make it pre_merge"
                )
        at = ("groups", group.name)
        for path in _empty(get(written.values, *at), at, schema):
            if _stays(path[2:], composed, layers, ".".join(at)):
                yield (
                    f"{dotted(path)} ({written.source(*path)}): what is empty deletes nothing, and other layers set "
                    f"something there; write null, or name {dotted(path[2:])} in unset"
                )


def _left_out(preset: str, composed: Mapping[str, Any], layers: Mapping[str, str], written: Written) -> Iterator[str]:
    """Yield what a preset that fills gaps says in fields which others set, where these do not say it too."""
    said = door.to_plain(get(written.values, "presets", preset)) or {}
    if said.get("patchStrategy") != "isnull":
        return
    through = {path.partition(".")[0] for path, layer in layers.items() if layer == f"presets.{preset}"}
    for field, value in said.items():
        if field not in through and isinstance(value, dict):
            there = composed.get(field) or {}
            yield from (f"{field}.{key}" for key in value if value[key] is not None and key not in there)


def _empty(node: object, path: tuple[str, ...], schema: Schema) -> Iterator[tuple[str, ...]]:
    """Yield the paths of empty lists, and of empty maps with keys of the user's."""
    for key, value in node.items() if isinstance(node, Map) else ():
        below = (*path, key)
        if value in ([], {}) and below[2] not in _APART and not (value == {} and schema.is_closed(below)):
            yield below
        yield from _empty(value, below, schema)


def _stays(path: tuple[str, ...], composed: Mapping[str, Any], layers: Mapping[str, str], own: str) -> bool:
    """Return whether something stands at the path that another layer than the group's ``own`` put there."""
    below = [layer for known, layer in layers.items() if known.startswith(f"{dotted(path)}.")]
    if below:
        return any(layer not in {own, "chart"} and not layer.startswith("connections.") for layer in below)
    found = walk.get(composed, *path)
    return bool(found) and found != {_ORDER: []}
