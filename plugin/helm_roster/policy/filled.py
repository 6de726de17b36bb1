"""The init container in which pods wait until a connection is filled: what it is called, and which pods have it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from helm_roster import constants
from helm_roster.manifests import walk


def container(connection: str) -> str:
    """Return the name of the container that waits for the connection."""
    return f"{connection}{constants.FILLED_ENDING}"


def is_one(entry: Mapping[str, Any]) -> bool:
    """Return whether a container is one that waits so."""
    return str(entry.get("name")).endswith(constants.FILLED_ENDING)


def waits(specs: Iterable[Mapping[str, Any]], connection: str) -> bool:
    """Return whether pods of these specs wait for the connection."""
    name = container(connection)
    return any(entry.get("name") == name for spec in specs for entry in walk.mappings(spec, "initContainers"))
