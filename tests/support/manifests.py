"""Manifests as data, in one fixed order, so that two renderings can be compared whatever Helm printed them."""

from __future__ import annotations

from typing import Any

import yaml

from helm_roster.manifests import door
from helm_roster.render import stream

Manifest = dict[str, Any]


def read(text: str) -> list[Manifest]:
    """Return the stream's objects as Kubernetes would read them, sorted by kind and name."""
    loaded = (door.to_plain(entry.load()) for entry in stream.split(text) if not entry.is_blank)
    found = [entry for entry in loaded if isinstance(entry, dict)]
    return sorted(found, key=lambda entry: (entry["kind"], entry["metadata"]["name"]))


def write(manifests: list[Manifest]) -> str:
    """Return manifests as YAML, keys sorted, a document each."""
    return yaml.safe_dump_all(manifests, sort_keys=True, width=1000)
