"""Lists of Kubernetes objects whose entries have an identity, and where the API wants text: by parent and field.

The keys are the API's own (``x-kubernetes-list-map-keys`` in api/openapi-spec of Kubernetes 1.37). Lists that
Kubernetes replaces whole have none, but for tolerations and capabilities, which merge as in the chart's values.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple


class Field(NamedTuple):
    """A field by its own name and that of the field it stands in, lists passed over: ``containers``, ``env``."""

    parent: str = ""
    name: str = ""

    def below(self, key: str) -> Field:
        """Return the field ``key`` of the mapping that stands here."""
        return Field(self.name or self.parent, key)

    @property
    def entry(self) -> Field:
        """Return the field of an entry of the list that stands here: the list's, without a name of its own."""
        return Field(self.name)


ROOT: Final = Field()
CONTAINERS: Final = ("containers", "initContainers", "ephemeralContainers")
_NAME: Final = ("name",)


def _within(parents: Iterable[str], **fields: Any) -> dict[Field, Any]:  # noqa: ANN401  (any table of fields)
    return {Field(parent, name): value for parent in parents for name, value in fields.items()}


_KEYS: Final[Mapping[Field, tuple[str, ...]]] = {
    **_within(["spec"], **dict.fromkeys(CONTAINERS, _NAME), volumes=_NAME, resourceClaims=_NAME, schedulingGates=_NAME,
              evictionResponders=_NAME, imagePullSecrets=_NAME, hostAliases=("ip",), ports=("port", "protocol"),
              topologySpreadConstraints=("topologyKey", "whenUnsatisfiable"),
              tolerations=("key", "operator", "value", "effect")),
    **_within(CONTAINERS, env=_NAME, volumeMounts=("mountPath",), volumeDevices=("devicePath",),
              ports=("containerPort", "protocol")),
    **_within(["resources"], claims=_NAME),
    **_within([""], secrets=_NAME),  # of a ServiceAccount
}  # fmt: skip
_NUMBERS: Final = frozenset({"containerPort", "port"})
_DEFAULTS: Final = {"protocol": "TCP", "operator": "Equal"}
# Lists of capabilities, which are sets of words.
SETS: Final = frozenset(_within(["capabilities"], add=None, drop=None))
# A toleration without a key tolerates any: what it does not say belongs to its identity.
_WHOLE: Final = Field("spec", "tolerations")
_INDEX: Final = re.compile(r"0|[1-9][0-9]*")

# Lists and maps of texts, and texts, of which people write numbers and truth values without quotes.
_TEXTS: Final[Mapping[Field, type]] = {
    **_within(CONTAINERS, args=list, command=list),
    **_within(["metadata"], labels=dict, annotations=dict),
    **_within(["spec"], nodeSelector=dict),
}
_SHAPES: Final[Mapping[Field, type]] = {**dict.fromkeys(_KEYS, list), **_TEXTS, Field("env", "value"): str}
_IS_NOT: Final[Mapping[type, str]] = {list: "no list", dict: "no mapping", str: "no text: quote it"}


def keys(field: Field) -> tuple[str, ...]:
    """Return the fields that tell the entries of list ``field`` apart; none where the list is one value."""
    return _KEYS.get(field, ())


def stated(field: Field, entry: Mapping[str, Any]) -> list[str]:
    """Return the keys by which ``entry`` of list ``field`` says which one it means."""
    return [key for key in keys(field) if field == _WHOLE or entry.get(key) is not None]


def matching(entries: Sequence[Any], wanted: Mapping[str, Any], keys: Sequence[str]) -> list[int]:
    """Return the indexes of the entries that are equal to ``wanted`` in ``keys``."""
    return [index for index, entry in enumerate(entries) if identity(entry, keys) == identity(wanted, keys)]


def identity(entry: Any, keys: Sequence[str]) -> list[Any]:  # noqa: ANN401  (an entry may be of any shape)
    """Return the values of an entry's keys, with the API's defaults."""
    found = entry if isinstance(entry, dict) else {}
    return [found.get(key, _DEFAULTS.get(key)) for key in keys]


def position(field: Field, entries: Sequence[Any], token: str) -> int | None:
    """Return the index that a step of a pointer means: a number counts, anything else is the name of an entry."""
    if _INDEX.fullmatch(token):
        return int(token) if int(token) < len(entries) else None
    return next((index for index, entry in enumerate(entries) if called(field, entry) == token), None)


def called(field: Field, entry: object) -> str | None:
    """Return the name of an entry, which is its only key (such as ``mountPath``), else ``name``; None without one."""
    if not isinstance(entry, dict):
        return None
    known = keys(field)
    key = known[0] if len(known) == 1 else "name"
    metadata = entry.get("metadata")
    found = entry.get(key, metadata.get("name") if isinstance(metadata, dict) else None)
    return found if isinstance(found, str) else None


def faults(data: object, field: Field = ROOT, at: str = "") -> Iterator[str]:
    """Yield, in words, what the API will not take: another shape than a known list, map or text, a doubled entry.

    ``at`` is the pointer to ``data``. Null is taken for absent.
    """
    wanted = _SHAPES.get(field)
    if wanted and data is not None:
        yield from _misshapen(data, wanted, at) or _inside(data, field, at)
    if isinstance(data, dict):
        for key, value in data.items():
            yield from faults(value, field.below(key), f"{at}/{key}")
    elif isinstance(data, list):
        for index, entry in enumerate(data):
            yield from faults(entry, field.entry, f"{at}/{called(field, entry) or index}")


def _misshapen(value: object, wanted: type, at: str) -> list[str]:
    fits = value is None or isinstance(value, wanted)
    return [] if fits else [f"{at} is {json.dumps(value)}, which is {_IS_NOT[wanted]}"]


def _inside(data: Any, field: Field, at: str) -> Iterator[str]:  # noqa: ANN401  (its shape is what the field wants)
    if field in _TEXTS:
        for step, value in data.items() if isinstance(data, dict) else enumerate(data):
            yield from _misshapen(value, str, f"{at}/{step}")
    elif known := keys(field):
        yield from _wrong_entries(data, known, field, at)


def _wrong_entries(entries: list[Any], known: Sequence[str], field: Field, at: str) -> Iterator[str]:
    seen = set()
    for index, entry in enumerate(entries):
        here = f"{at}/{called(field, entry) or index}"
        yield from _misshapen(entry, dict, here)
        for key in known if isinstance(entry, dict) else ():
            yield from () if key in _NUMBERS else _misshapen(entry.get(key), str, f"{here}/{key}")
        which = repr(identity(entry, known))
        if which in seen and isinstance(entry, dict):
            yield f"{at} has two entries of the same {' and '.join(known)}: {entry.get(known[0])}"
        seen.add(which)
