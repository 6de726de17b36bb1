"""What backends ask of a cluster beyond the operation's own objects, read once a look."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Final

from helm_roster.backend_base import PRIORITY_CLASS, ApiKind, Ask
from helm_roster.cluster import capabilities
from helm_roster.cluster.client import ApiError, Client, Resource
from helm_roster.manifests import walk
from helm_roster.manifests.walk import Manifest

# Room for what the API server appends to a name that it chooses.
_NAME: Final = 50


class Asker:
    """Asks the cluster of ``client``; satisfies ``backend_base.Ask``."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self._found: dict[tuple[ApiKind, str], Sequence[Manifest] | None] = {}
        self._near: dict[tuple[ApiKind, str, str], Sequence[Manifest] | None] = {}
        self._refused: dict[str, ApiError] = {}

    def all_of(self, kind: ApiKind, name: str = "") -> Sequence[Manifest] | None:
        """Return the objects of a kind in all namespaces, with ``name`` those that are called so; None if unknown."""
        if (kind, name) not in self._found:
            self._found[kind, name] = self._read(kind, "", f"metadata.name={name}" if name else "")
        return self._found[kind, name]

    def here(self, kind: ApiKind, namespace: str, *, fields: str = "") -> Sequence[Manifest] | None:
        """Return the objects of a kind in one namespace, with ``fields`` those that match; None if unknown."""
        asked = (kind, namespace, fields)
        if asked not in self._near:
            self._near[asked] = self._read(kind, namespace, fields)
        return self._near[asked]

    def serves(self, kind: ApiKind) -> bool:
        """Return whether the API server serves the kind."""
        return kind.kind in capabilities.served(self._client, kind.api_version)

    def stored(self, manifest: Manifest, namespace: str) -> Manifest | None:
        """Return what the API server would make of a new object like ``manifest``; None where it does not say."""
        identity = walk.identity(manifest)
        resource = self._client.find(identity.api_version, identity.kind)
        # One of that name may be there, of which a field that was dropped once would be compared.
        unnamed = {key: value for key, value in manifest["metadata"].items() if key != "name"}
        body = manifest | {"metadata": unnamed | {"generateName": f"{identity.name[:_NAME]}-"}}
        try:
            return self._client.try_create(resource, namespace, body) if resource else None
        except ApiError as error:
            self._refused[_key(manifest, namespace)] = error
            return None

    def refusal(self, manifest: Manifest, namespace: str) -> str:
        """Return with which words the API server would refuse a new object like ``manifest``; empty where it takes it.

        Empty too where its kind or the namespace is not there, or you may not make such objects.
        """
        key = _key(manifest, namespace)
        if key not in self._refused:
            self.stored(manifest, namespace)
        error = self._refused.get(key)
        return "" if error is None or error.is_forbidden else error.said

    def now(self) -> datetime:
        """Return this machine's time."""
        return datetime.now(UTC)

    def _read(self, kind: ApiKind, namespace: str, fields: str) -> Sequence[Manifest] | None:
        if not self.serves(kind):
            return None
        resource = Resource(api_version=kind.api_version, kind=kind.kind, plural=kind.plural)
        return self._client.select_if_allowed(resource, namespace, fields=fields)


def _key(manifest: Manifest, namespace: str) -> str:
    return json.dumps([namespace, manifest], sort_keys=True)


class NoCluster:
    """Knows nothing of any cluster: what ``plan`` asks, which needs none."""

    def all_of(self, kind: ApiKind, name: str = "") -> Sequence[Manifest] | None:
        """Return None."""
        del kind, name
        return None

    def here(self, kind: ApiKind, namespace: str, *, fields: str = "") -> Sequence[Manifest] | None:
        """Return None."""
        del kind, namespace, fields
        return None

    def serves(self, kind: ApiKind) -> bool | None:
        """Return None."""
        del kind
        return None

    def stored(self, manifest: Manifest, namespace: str) -> Manifest | None:
        """Return None."""
        del manifest, namespace
        return None

    def refusal(self, manifest: Manifest, namespace: str) -> str:
        """Return nothing."""
        del manifest, namespace
        return ""

    def now(self) -> datetime:
        """Return this machine's time."""
        return datetime.now(UTC)


def priorities(ask: Ask) -> Mapping[str, int] | None:
    """Return what each PriorityClass is worth, under "" that of pods without one; None where that is not known."""
    found = ask.all_of(PRIORITY_CLASS)
    if found is None:
        return None
    default = max((int(entry.get("value", 0)) for entry in found if entry.get("globalDefault")), default=0)
    return {"": default} | {str(walk.get(entry, "metadata", "name")): int(entry.get("value", 0)) for entry in found}
