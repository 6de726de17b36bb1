"""Paths into a manifest (RFC 6901) in which an entry of a list may be called by its name.

``/spec/containers/main/image`` is ``/spec/containers/0/image`` where the first container is called main.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, Final

from helm_roster import errors
from helm_roster.manifests import lists
from helm_roster.manifests.lists import Field
from helm_roster.model.wording import few

Step = str | int
_SHOWN_NAMES: Final = 20
_SHOWN_LETTERS: Final = 100


def resolve(data: object, pointer: str, *, new: bool = False) -> list[Step]:
    """Return the steps to what ``pointer`` names, entries of lists by their index.

    ``new``: the last step may name a place that is still empty, a field or (``-``, or the next index) an entry.

    Raises:
        BadInputError: It is no pointer, or leads nowhere; the nearest parent that is there is named.
    """
    if pointer and not pointer.startswith("/"):
        msg = f'"{pointer}" is no path: it begins with /, and in a key ~1 stands for / and ~0 for ~'
        raise errors.BadInputError(msg)
    steps: list[Step] = []
    node, field = data, lists.ROOT
    tokens = names(pointer)
    for depth, token in enumerate(tokens):
        step = _step(node, field, token, new=new and depth == len(tokens) - 1)
        if step is None:
            parent = text(tokens[:depth]) or "the target"
            msg = f'there is no "{token}" in {parent}, which {_holds(node, field)}'
            raise errors.BadInputError(msg)
        steps.append(step)
        field = field.below(token) if isinstance(node, dict) else field.entry
        node = _below(node, step)
    return steps


def at(data: Any, steps: Sequence[Step]) -> Any:  # noqa: ANN401  (the shape is the document's)
    """Return what stands at the end of ``steps``, as ``resolve`` made them."""
    for step in steps:
        data = data[step]
    return data


def names(pointer: str) -> list[str]:
    """Return the steps of a pointer as they are written, without its escapes; none of "", which is the whole."""
    return [step.replace("~1", "/").replace("~0", "~") for step in pointer.split("/")[1:]]


def text(steps: Sequence[Step]) -> str:
    """Return ``steps`` as a pointer; "" is the whole."""
    return "".join("/" + str(step).replace("~", "~0").replace("/", "~1") for step in steps)


def same(one: object, other: object) -> bool:
    """Return whether two values are equal as JSON, where 1 is not true and the order of fields says nothing."""
    if one is other:
        return True
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same(value, other[key]) for key, value in one.items())
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same, one, other))
    return json.dumps(one) == json.dumps(other)


def shown(value: object) -> str:
    """Return a value for a message, as JSON and not too long."""
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _SHOWN_LETTERS else f"{text[:_SHOWN_LETTERS]}…"


def _step(node: object, field: Field, token: str, *, new: bool) -> Step | None:
    if isinstance(node, dict):
        return token if new or token in node else None
    if not isinstance(node, list):
        return None
    found = lists.position(field, node, token)
    return token if found is None and new and token in {"-", str(len(node))} else found


def _below(node: Any, step: Step) -> Any:  # noqa: ANN401  (the shape is the document's)
    """Return what stands at ``step``; None where the place is still empty."""
    if isinstance(node, dict):
        return node.get(str(step))
    return node[step] if isinstance(step, int) else None


def _holds(node: object, field: Field) -> str:
    if not isinstance(node, (dict, list)):
        return f"is {shown(node)}"
    names = (
        list(node)
        if isinstance(node, dict)
        else [lists.called(field, entry) or str(place) for place, entry in enumerate(node)]
    )
    return f"holds {few(names, _SHOWN_NAMES)}" if names else "is empty"
