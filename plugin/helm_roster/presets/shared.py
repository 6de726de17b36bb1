"""What several presets of a file write out alike instead of sharing it: then one of them is forgotten one day."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from helm_roster.manifests import door
from helm_roster.presets.findings import Finding, of_preset
from helm_roster.presets.library import Definition

# What variants of one thing have in common; probes and the like may be alike by chance.
_FIELDS: Final = ("accelerator", "devices", "networks", "environment")
_SMALLEST: Final = 3


class _Held(NamedTuple):
    """A map, whose preset it is, and the line of its key."""

    definition: Definition
    line: int
    value: door.Mapping


def findings(definitions: Sequence[Definition]) -> Iterator[Finding]:
    """Yield maps of presets of one file that are equal and written twice; what an anchor shares is not."""
    first: dict[tuple[str, str, str], _Held] = {}
    for definition in definitions:
        for field in _FIELDS:
            value = definition.value.get(field)
            if isinstance(value, door.Mapping):
                yield from _below(_Held(definition, definition.value.lines[field], value), field, first)


def _below(held: _Held, path: str, first: dict[tuple[str, str, str], _Held]) -> Iterator[Finding]:
    plain = door.to_plain(held.value)
    if _leaves(plain) < _SMALLEST:
        return
    key = (held.definition.file.name, path, json.dumps(plain, sort_keys=True))
    other = first.setdefault(key, held)
    if other.definition is not held.definition and not _is_shared(held, other):
        message = (
            f"presets.{held.definition.name}.{path}: as presets.{other.definition.name} has it on line {other.line}; "
            "write it once: an anchor (&name) there, *name here"
        )
        yield of_preset(held.definition, "shared", message, held.line)
        return
    for name, below in held.value.items():
        if isinstance(below, door.Mapping):
            yield from _below(_Held(held.definition, held.value.lines[name], below), f"{path}.{name}", first)


def _is_shared(held: _Held, other: _Held) -> bool:
    """Return whether an alias or ``<<`` brought in the one from the other: then their keys stand on the same lines."""
    return held.value.lines == other.value.lines


def _leaves(value: object) -> int:
    if isinstance(value, dict):
        return sum(map(_leaves, value.values()))
    return sum(map(_leaves, value)) if isinstance(value, list) else 1
