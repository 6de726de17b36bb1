"""Helm's own record of a release, as its storage driver labels it: no Helm process and no payload is needed.

Source: helm pkg/storage/driver (labels ``owner``, ``name``, ``status``, ``version``; drivers secret and configmap).
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Final

from helm_roster.cluster.client import CONFIG_MAPS, SECRETS, ApiError, Client, Resource
from helm_roster.manifests import walk

_FORBIDDEN: Final = 403


@dataclass(frozen=True, kw_only=True)
class Record:
    """The newest revision of a release: Helm's word for its state, or ``unknown`` (revision 0) where we may not look.

    ``uids`` are those of the objects that hold the revisions.
    """

    name: str
    state: str
    revision: int
    uids: frozenset[str] = frozenset()

    @property
    def is_readable(self) -> bool:
        """Return whether we know that there is a release."""
        return self.revision > 0


def find(client: Client, namespace: str, release: str) -> Record | None:
    """Return the newest revision's record, or None where Helm knows no such release."""
    try:
        found = client.select(storage(), namespace, labels=f"owner=helm,name={release}", metadata_only=True)
    except ApiError as error:
        if error.status != _FORBIDDEN:
            raise
        return Record(name=release, state="unknown", revision=0)
    labels = [walk.mapping(manifest, "metadata", "labels") for manifest in found]
    revisions = sorted((int(entry.get("version", 0)), str(entry.get("status"))) for entry in labels)
    uids = frozenset(str(walk.get(manifest, "metadata", "uid")) for manifest in found)
    return Record(name=release, state=revisions[-1][1], revision=revisions[-1][0], uids=uids) if revisions else None


def storage() -> Resource:
    """Return the kind in which Helm keeps its records here."""
    return CONFIG_MAPS if os.environ.get("HELM_DRIVER", "").startswith("configmap") else SECRETS
