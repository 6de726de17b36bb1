"""What backends ask of a cluster beyond the operation's own objects, read once a look."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

from helm_roster.backend_base import ApiKind
from helm_roster.cluster import capabilities
from helm_roster.cluster.client import Client, Resource
from helm_roster.manifests.walk import Manifest


class Asker:
    """Asks the cluster of ``client``; satisfies ``backend_base.Ask``."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self._found: dict[tuple[ApiKind, str], Sequence[Manifest] | None] = {}

    def all_of(self, kind: ApiKind, name: str = "") -> Sequence[Manifest] | None:
        """Return the objects of a kind in all namespaces, with ``name`` those that are called so; None if unknown."""
        if (kind, name) not in self._found:
            self._found[kind, name] = self._read(kind, name)
        return self._found[kind, name]

    def now(self) -> datetime:
        """Return this machine's time."""
        return datetime.now(UTC)

    def _read(self, kind: ApiKind, name: str) -> Sequence[Manifest] | None:
        if kind.kind not in capabilities.served(self._client, kind.api_version):
            return None
        resource = Resource(api_version=kind.api_version, kind=kind.kind, plural=kind.plural)
        return self._client.select_if_allowed(resource, "", fields=f"metadata.name={name}" if name else "")


class NoCluster:
    """Knows nothing of any cluster: what ``plan`` asks, which needs none."""

    def all_of(self, kind: ApiKind, name: str = "") -> Sequence[Manifest] | None:
        """Return None."""
        del kind, name
        return None

    def now(self) -> datetime:
        """Return this machine's time."""
        return datetime.now(UTC)
