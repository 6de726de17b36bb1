"""A cluster for backends to ask: what a test puts into it, and nothing else."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

from helm_roster.backend_base import ApiKind
from helm_roster.manifests import walk
from helm_roster.manifests.walk import Manifest

NOW = datetime(2026, 11, 29, 12, 0, 0, tzinfo=UTC)


class Asked:
    """Holds objects by kind; a kind that is not among ``known`` cannot be read."""

    def __init__(self, known: Sequence[str], *objects: Manifest) -> None:
        self.known, self.objects = known, objects

    def all_of(self, kind: ApiKind, name: str = "") -> Sequence[Manifest] | None:
        """Return the objects of a kind, with ``name`` those that are called so."""
        if kind.kind not in self.known:
            return None
        found = [
            entry for entry in self.objects if (entry["apiVersion"], entry["kind"]) == (kind.api_version, kind.kind)
        ]
        return [entry for entry in found if name in {"", entry["metadata"]["name"]}]

    def here(self, kind: ApiKind, namespace: str, *, fields: str = "") -> Sequence[Manifest] | None:
        """Return the objects of a kind in a namespace; ``fields`` are terms of a path and what stands there."""
        terms = [term.split("=") for term in fields.split(",") if term]
        found = self.all_of(kind)
        return found and [
            entry
            for entry in found
            if entry["metadata"].get("namespace") == namespace
            and all(walk.get(entry, *path.split(".")) == value for path, value in terms)
        ]

    def serves(self, kind: ApiKind) -> bool:
        """Return whether objects of the kind can be read."""
        return kind.kind in self.known

    def stored(self, manifest: Manifest, namespace: str) -> Manifest | None:
        """Say nothing; a test that asks for it puts a function here."""
        del manifest, namespace
        return None

    def refusal(self, manifest: Manifest, namespace: str) -> str:
        """Say nothing; a test that asks for it puts a function here."""
        del manifest, namespace
        return ""

    def now(self) -> datetime:
        """Return the time, which stands still."""
        return NOW


def nothing() -> Asked:
    """Return a cluster of which nothing can be read."""
    return Asked([])
