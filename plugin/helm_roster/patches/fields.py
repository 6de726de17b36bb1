"""Whether an object's fields are the API's, and hold what the API wants there; read from a table of Kubernetes.

``fields.json`` beside this is written by ``make docs`` (``tools/kubernetes_fields.py``). A field that the table does
not know may be a newer Kubernetes': only one that is almost the name of a known field is taken for a slip.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from helm_roster import errors
from helm_roster.manifests import lists, walk
from helm_roster.manifests.lists import Field
from helm_roster.manifests.walk import Manifest
from helm_roster.model import nearest
from helm_roster.model.plan import TEMPLATE_PATHS
from helm_roster.patches import pointers

_TABLE: Final = Path(__file__).with_name("fields.json")
# So alike that it is a slip: "hostUser" and "hostUsers" are, "restartPolicy" and "restartPolicyRules" are not.
_SLIP: Final = 0.85


def check(before: Manifest, after: Manifest) -> None:
    """Refuse what the change from ``before`` to ``after``, one whole object, brings in that the API does not take.

    Raises:
        BadInputError: A field is misspelt, or holds a value of another type.
    """
    known: set[str] | None = None
    for fault in faults(after):
        known = set(faults(before)) if known is None else known
        if fault not in known:
            raise errors.BadInputError(fault)


def faults(manifest: Manifest) -> Iterator[str]:
    """Yield, in words and by path, what the API does not take; of kinds that the table does not know, of pods only."""
    kind = _table()["kinds"].get(f"{manifest.get('apiVersion')} {manifest.get('kind')}")
    if kind:
        yield from _faults(manifest, kind, lists.ROOT, "")
        return
    for path in TEMPLATE_PATHS.get(str(manifest.get("kind")), {}).values():  # of a kind that is not Kubernetes' own
        template = walk.mapping(manifest, *path)
        yield from _faults(template, "PodTemplateSpec", Field(*path[-2:]), pointers.text(path))


def _faults(value: object, wanted: str, field: Field, at: str) -> Iterator[str]:
    if value is None:
        return
    if wanted in _PLAIN:
        fits, otherwise = _PLAIN[wanted]
        if not fits(value):
            yield f"{at} is {pointers.shown(value)}, which is {otherwise}"
    elif wanted.startswith("["):
        yield from _entries(value, wanted[1:], field, at)
    elif not isinstance(value, dict):
        yield f"{at} is {pointers.shown(value)}, which is no mapping"
    elif wanted.startswith("{"):
        for key, entry in value.items():
            yield from _faults(entry, wanted[1:], field.below(str(key)), f"{at}{pointers.text([key])}")
    else:
        yield from _members(value, wanted, field, at)


def _entries(value: object, wanted: str, field: Field, at: str) -> Iterator[str]:
    if not isinstance(value, list):
        yield f"{at} is {pointers.shown(value)}, which is no list"
        return
    for index, entry in enumerate(value):
        yield from _faults(entry, wanted, field.entry, f"{at}{pointers.text([lists.called(field, entry) or index])}")


def _members(value: Mapping[Any, Any], wanted: str, field: Field, at: str) -> Iterator[str]:
    known = _table()["types"][wanted]
    for key, entry in value.items():
        if key in known:
            yield from _faults(entry, known[key], field.below(key), f"{at}{pointers.text([key])}")
        elif meant := _meant(str(key), known):
            yield f'{at}{pointers.text([key])} is no field of Kubernetes there; did you mean "{meant}"?'


def _meant(key: str, known: Mapping[str, str]) -> str | None:
    """Return the field that was meant, whatever the case of its letters; None where none is near."""
    alike = {name.casefold(): name for name in known}
    found = nearest.nearest(key.casefold(), alike, cutoff=_SLIP)
    return alike[found] if found else None


@functools.cache
def _table() -> Mapping[str, Mapping[str, Any]]:
    loaded: Mapping[str, Mapping[str, Any]] = json.loads(_TABLE.read_text(encoding="utf-8"))
    return loaded


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_whole(value: object) -> bool:
    return _is_number(value) and float(value).is_integer()  # type: ignore[arg-type]


# By the word of the table: whether a value fits, and what to say where it does not.
_PLAIN: Final[Mapping[str, tuple[Callable[[object], bool], str]]] = {
    "text": (lambda value: isinstance(value, str), "no text: quote it"),
    "integer": (_is_whole, "no whole number; write one, without quotes"),
    "number": (_is_number, "no number; write one, without quotes"),
    "boolean": (lambda value: isinstance(value, bool), "neither true nor false; write one of them, without quotes"),
    "quantity": (lambda value: isinstance(value, str) or _is_number(value), "no quantity such as 500m or 2Gi"),
    "integer or text": (lambda value: isinstance(value, str) or _is_whole(value), "neither a whole number nor a text"),
    "any": (lambda _: True, ""),
}
