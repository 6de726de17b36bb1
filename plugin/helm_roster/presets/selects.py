"""What a preset selects, as data: the accelerator and how it comes, nodes, and what comes along with it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from helm_roster import errors
from helm_roster.manifests import door, walk
from helm_roster.presets.library import Definition

_ORDER = "@order"


def summary(definition: Definition) -> dict[str, Any]:
    """Return what the preset selects; only keys with something in them.

    ``model``; ``resource`` or ``deviceClass`` with ``selectors``; ``perNode``, ``topology``; ``nodeSelector``,
    ``requireNodes``, ``tolerations`` (their keys); ``devices``, ``networks``, ``claims`` (names); ``fillsNode``;
    ``role`` and ``router`` of profiles; ``sets``, the fields of a group that it has; ``levels`` of files that name
    levels of a topology.

    Raises:
        BadInputError: Something in it is of another form; file, line and preset are named.
    """
    try:
        found = _found(definition)
    except errors.BadInputError as cause:
        msg = f"{definition.where}: {definition.name}: {cause}; helm roster presets lint tells what belongs there"
        raise errors.BadInputError(msg) from cause
    return {key: value for key, value in found.items() if value not in (None, [], {})}


def _found(definition: Definition) -> dict[str, Any]:
    preset = definition.plain
    accelerator, environment = walk.mapping(preset, "accelerator"), walk.mapping(preset, "environment")
    claim = walk.mapping(accelerator, "claim")
    return {
        "model": accelerator.get("model"),
        "resource": accelerator.get("resource"),
        "deviceClass": claim.get("deviceClassName"),
        "selectors": claim.get("selectors"),
        "perNode": accelerator.get("perNode"),
        "topology": accelerator.get("topology"),
        "nodeSelector": environment.get("nodeSelector"),
        "requireNodes": environment.get("requireNodes"),
        "tolerations": list(_tolerated(environment.get("tolerations"))),
        "devices": [*walk.mapping(preset, "devices"), *_companions(claim)],
        "networks": list(walk.mapping(preset, "networks")),
        "claims": [str(name) for name in preset.get("claims") or ()],
        "fillsNode": preset.get("fillsNode"),
        "role": walk.get(preset, "serving", "role"),
        "router": True if preset.get("router") else None,
        "sets": list(preset),
        "levels": None if definition.is_preset else definition.file.levels,
    }


def is_like(definition: Definition, words: tuple[str, ...]) -> bool:
    """Return whether every word stands in its name, its file's name or what it selects, whatever the case."""
    said = f"{definition.name} {definition.file.path.stem} {door.dump(summary(definition))}".lower()
    return all(word.lower() in said for word in words)


def _companions(claim: dict[str, Any]) -> Iterator[str]:
    for name, companion in walk.mapping(claim, "devices").items():
        yield str(walk.get(companion, "deviceClassName", default=name))


def _tolerated(tolerations: object) -> Iterator[str]:
    """Yield the keys of taints; of a map, its handle where it names none."""
    entries = dict(enumerate(tolerations)) if isinstance(tolerations, list) else tolerations
    for handle, entry in entries.items() if isinstance(entries, dict) else ():
        if handle != _ORDER and isinstance(entry, dict):
            yield str(entry.get("key") or handle)
