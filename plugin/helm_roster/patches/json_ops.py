"""The form ``json`` of a patch: operations of RFC 6902, one after the other, with entries of lists by name.

The library jsonpatch carries out each operation; added are paths and shapes in words, and that every operation but
``test`` must change something, and not only take back what those before it did, unless others read it in between.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from typing import Any, Final, NoReturn

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
    states, changes = [data], []
    for index, operation in enumerate(operations):
        try:
            changed = _applied(states[-1], operation)
        except errors.BadInputError as cause:
            _refuse(index, operation, str(cause), cause)
        if operation["op"] != "test":
            states.append(changed)
            changes.append(index)
    _check_needed(states, changes, operations)
    return states[-1]


def _check_needed(states: Sequence[object], changes: Sequence[int], operations: Sequence[Mapping[str, Any]]) -> None:
    """Refuse an operation that only takes back earlier ones. ``changes`` are those that led from state to state.

    Raises:
        BadInputError: As said.
    """
    if found := undoing.find(states, lambda place, data: _changed(data, operations[changes[place]])):
        index = changes[found.change]
        earlier = ", ".join(f"json[{changes[place]}]" for place in found.undone)
        _refuse(index, operations[index], f"it only takes back what {earlier} did: take that out, and this with it")


def _applied(data: object, operation: object) -> object:
    wanted = _checked(operation)
    changed = _changed(data, wanted)
    if wanted["op"] != "test" and pointers.same(data, changed):
        msg = "it changes nothing; take it out, or make it a test"
        raise errors.BadInputError(msg)
    return changed


def _refuse(index: int, operation: object, problem: str, cause: Exception | None = None) -> NoReturn:
    named = f" ({operation.get('op')} {operation.get('path')})" if isinstance(operation, dict) else ""
    msg = f"json[{index}]{named}: {problem}"
    raise errors.BadInputError(msg) from cause


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
        rest = _run(data, "remove", source) if op == "move" else data
        return _run(rest, "add", pointers.resolve(rest, path, new=True), value)
    steps = pointers.resolve(data, path, new=op == "add")
    try:
        return _run(data, op, steps, operation.get("value"))
    except jsonpatch.JsonPatchTestFailed as cause:
        msg = f"expected {pointers.shown(operation['value'])}, found {pointers.shown(pointers.at(data, steps))}"
        raise errors.BadInputError(msg) from cause


def _run(data: object, op: str, steps: Sequence[pointers.Step], value: object = None) -> object:
    if op == "remove" and not steps:
        msg = "the target as a whole cannot be removed"
        raise errors.BadInputError(msg)
    operation = {"op": op, "path": pointers.text(steps), "value": value}
    try:
        changed: object = jsonpatch.apply_patch(_opened(data, steps), [operation], in_place=True)
    except jsonpatch.JsonPatchConflict as cause:
        raise errors.BadInputError(str(cause)) from cause
    return changed


def _opened(data: Any, steps: Sequence[pointers.Step]) -> Any:  # noqa: ANN401  (the shape is the document's)
    """Return ``data`` with copies of all that stands around the end of ``steps``, and the rest shared."""
    if not steps:
        return data
    first, *rest = steps
    opened = copy.copy(data)
    if rest:
        opened[first] = _opened(data[first], rest)
    return opened
