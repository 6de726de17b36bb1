"""The form ``json`` of a patch: operations of RFC 6902, one after the other, with entries of lists by name.

The library jsonpatch carries out each operation; added are paths and shapes in words, and that every operation but
``test`` must change something, and more than what those before it did.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import jsonpatch

from helm_roster import errors
from helm_roster.patches import pointers, undoing

_MEMBERS: Final[Mapping[str, tuple[str, ...]]] = {
    "add": ("path", "value"),
    "remove": ("path",),
    "replace": ("path", "value"),
    "move": ("from", "path"),
    "copy": ("from", "path"),
    "test": ("path", "value"),
}


def apply(data: object, operations: object) -> object:
    """Return ``data`` after all ``operations``; ``data`` itself stays.

    Raises:
        BadInputError: An operation has a wrong shape, leads nowhere, changes nothing, or is a test that fails.
    """
    if not isinstance(operations, list):
        msg = f"json: {pointers.shown(operations)} is no list of operations"
        raise errors.BadInputError(msg)
    if not operations:
        msg = "json: it is empty: say what to change, or take the patch out"
        raise errors.BadInputError(msg)
    first = data
    for index, operation in enumerate(operations):
        try:
            data = _applied(first, data, operation)
        except errors.BadInputError as cause:
            named = f" ({operation.get('op')} {operation.get('path')})" if isinstance(operation, dict) else ""
            msg = f"json[{index}]{named}: {cause}"
            raise errors.BadInputError(msg) from cause
    return data


def _applied(first: object, data: object, operation: object) -> object:
    wanted = _checked(operation)
    changed = _changed(data, wanted)
    if wanted["op"] == "test":
        return changed
    if pointers.same(data, changed):
        msg = "it changes nothing; take it out, or make it a test"
        raise errors.BadInputError(msg)
    if first is not data and undoing.undone(first, data, changed):
        msg = "it only takes back what the operations before it did: take out both"
        raise errors.BadInputError(msg)
    return changed


def _checked(operation: object) -> Mapping[str, Any]:
    op = operation.get("op") if isinstance(operation, dict) else None
    if not isinstance(operation, dict) or not isinstance(op, str) or op not in _MEMBERS:
        msg = f"{pointers.shown(operation)} says no op that is known: {', '.join(_MEMBERS)}"
        raise errors.BadInputError(msg)
    for member in _MEMBERS[op]:
        if member not in operation:
            msg = f"{member} is missing"
            raise errors.BadInputError(msg)
        if member != "value" and not isinstance(operation[member], str):
            msg = f"{member} is {pointers.shown(operation[member])}, not a path such as /spec/containers/main/image"
            raise errors.BadInputError(msg)
    return operation


def _changed(data: object, operation: Mapping[str, Any]) -> object:
    """Return ``data`` after one operation; ``move`` and ``copy`` are the removal and the addition of RFC 6902."""
    op, path = operation["op"], operation["path"]
    if op in {"move", "copy"}:
        source = pointers.resolve(data, operation["from"])
        value = pointers.at(data, source)
        rest = _run(data, {"op": "remove", "path": pointers.text(source)}) if op == "move" else data
        return _run(rest, {"op": "add", "path": pointers.text(pointers.resolve(rest, path, new=True)), "value": value})
    steps = pointers.resolve(data, path, new=op == "add")
    try:
        return _run(data, {**operation, "path": pointers.text(steps)})
    except jsonpatch.JsonPatchTestFailed as cause:
        msg = f"expected {pointers.shown(operation['value'])}, found {pointers.shown(pointers.at(data, steps))}"
        raise errors.BadInputError(msg) from cause


def _run(data: object, operation: Mapping[str, Any]) -> object:
    if operation["op"] == "remove" and not operation["path"]:
        msg = "the target as a whole cannot be removed"
        raise errors.BadInputError(msg)
    try:
        changed: object = jsonpatch.apply_patch(data, [operation])
    except jsonpatch.JsonPatchConflict as cause:
        raise errors.BadInputError(str(cause)) from cause
    return changed
