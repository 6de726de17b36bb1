"""Lists of Kubernetes objects whose entries have an identity: how a patch tells one entry from another.

The keys are the API's own (``x-kubernetes-list-map-keys`` in api/openapi-spec of Kubernetes 1.37). Lists that
Kubernetes replaces whole have none, but for tolerations and capabilities, which merge as in the chart's values.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

_NAME: Final = ("name",)
_KEYS: Final[Mapping[str, tuple[str, ...]]] = {
    "containers": _NAME, "initContainers": _NAME, "ephemeralContainers": _NAME, "env": _NAME, "volumes": _NAME,
    "imagePullSecrets": _NAME, "resourceClaims": _NAME, "claims": _NAME, "schedulingGates": _NAME, "secrets": _NAME,
    "evictionResponders": _NAME,
    "volumeMounts": ("mountPath",), "volumeDevices": ("devicePath",), "hostAliases": ("ip",),
    "topologySpreadConstraints": ("topologyKey", "whenUnsatisfiable"),
    "tolerations": ("key", "operator", "value", "effect"),
}  # fmt: skip
_CONTAINER_PORTS: Final = ("containerPort", "protocol")
_SERVICE_PORTS: Final = ("port", "protocol")
_DEFAULTS: Final = {"protocol": "TCP", "operator": "Equal"}
# Lists of capabilities, which are sets of words.
SETS: Final = frozenset({"add", "drop"})
# A toleration without a key tolerates any: what it does not say belongs to its identity.
_WHOLE: Final = "tolerations"
_INDEX: Final = re.compile(r"0|[1-9][0-9]*")


def keys(field: str, entries: Sequence[object]) -> tuple[str, ...]:
    """Return the fields that tell the entries of list ``field`` apart; none where the list is one value."""
    if field == "ports":
        named = (isinstance(entry, dict) and "containerPort" in entry for entry in entries)
        return _CONTAINER_PORTS if any(named) else _SERVICE_PORTS
    return _KEYS.get(field, ())


def stated(field: str, keys: Sequence[str], entry: Mapping[str, Any]) -> list[str]:
    """Return the keys by which ``entry`` says which one it means."""
    return [key for key in keys if field == _WHOLE or entry.get(key) is not None]


def matching(entries: Sequence[Any], wanted: Mapping[str, Any], keys: Sequence[str]) -> list[int]:
    """Return the indexes of the entries that are equal to ``wanted`` in ``keys``."""
    return [place for place, entry in enumerate(entries) if identity(entry, keys) == identity(wanted, keys)]


def identity(entry: Any, keys: Sequence[str]) -> list[Any]:  # noqa: ANN401  (an entry may be of any shape)
    """Return the values of an entry's keys, with the API's defaults."""
    found = entry if isinstance(entry, dict) else {}
    return [found.get(key, _DEFAULTS.get(key)) for key in keys]


def position(field: str, entries: Sequence[Any], token: str) -> int | None:
    """Return the index that a step of a pointer means: a number counts, anything else is the name of an entry."""
    if _INDEX.fullmatch(token):
        return int(token) if int(token) < len(entries) else None
    return next((place for place, entry in enumerate(entries) if called(field, entry) == token), None)


def called(field: str, entry: object) -> str | None:
    """Return the name of an entry, which is its only key (such as ``mountPath``), else ``name``; None without one."""
    if not isinstance(entry, dict):
        return None
    key = _KEYS.get(field, _NAME)[0] if len(_KEYS.get(field, _NAME)) == 1 else "name"
    metadata = entry.get("metadata")
    found = entry.get(key, metadata.get("name") if isinstance(metadata, dict) else None)
    return None if found is None else str(found)


def faults(data: object, field: str = "", at: str = "") -> Iterator[str]:
    """Yield, in words, where an entry of a keyed list is no mapping or doubles another; the API takes neither."""
    if isinstance(data, dict):
        for key, value in data.items():
            yield from faults(value, key, f"{at}/{key}")
    elif isinstance(data, list):
        known, seen = keys(field, data), set()
        for place, entry in enumerate(data):
            if known and not isinstance(entry, dict):
                yield f"{at}/{place} is {entry!r}, which is no mapping"
            elif known and repr(identity(entry, known)) in seen:
                yield f"{at} has two entries of the same {' and '.join(known)}: {entry.get(known[0])}"
            seen.add(repr(identity(entry, known)))
            yield from faults(entry, "", f"{at}/{called(field, entry) or place}")
