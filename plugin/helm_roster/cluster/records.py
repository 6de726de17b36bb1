"""Helm's own record of a release, as its storage driver labels it: no Helm process is needed.

Source: helm pkg/storage/driver (labels ``owner``, ``name``, ``status``, ``version``; drivers secret and configmap; the
record is JSON in base64, gzipped but for very old ones, and a Secret's data are base64 once more).
"""

from __future__ import annotations

import base64
import gzip
import json
import os
import zlib
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Final

from helm_roster import errors
from helm_roster.cluster.client import CONFIG_MAPS, SECRETS, ApiError, Client, Resource
from helm_roster.manifests import walk
from helm_roster.manifests.walk import Manifest

_GZIPPED: Final = b"\x1f\x8b\x08"


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
    found = _list(client, namespace, f"owner=helm,name={release}")
    if found is None:
        return Record(name=release, state="unknown", revision=0)
    return _newest(release, found) if found else None


@dataclass(frozen=True, kw_only=True)
class Records:
    """Helm's records of all releases in a namespace or in all of them; ``found`` is None where we may not look."""

    found: Mapping[tuple[str, str], Sequence[Manifest]] | None

    def of(self, namespace: str, release: str) -> Record | None:
        """Return the newest revision's record, as ``find`` does."""
        if self.found is None:
            return Record(name=release, state="unknown", revision=0)
        revisions = self.found.get((namespace, release))
        return _newest(release, revisions) if revisions else None

    def besides(self, known: AbstractSet[tuple[str, str]]) -> Iterator[tuple[str, Record]]:
        """Yield the namespaces and records of releases that are not ``known``, each by namespace and name."""
        for (namespace, release), revisions in (self.found or {}).items():
            if (namespace, release) not in known:
                yield namespace, _newest(release, revisions)


def manifest(client: Client, namespace: str, record: Record) -> str:
    """Return the manifests that a revision applied; empty where the record is gone, or you may not read it.

    Raises:
        BadInputError: The record is damaged.
    """
    kind, name = storage(), f"sh.helm.release.v1.{record.name}.v{record.revision}"
    try:
        found = client.get(kind, namespace, name)
    except ApiError as error:
        if not error.is_forbidden:
            raise
        return ""
    data = str(walk.get(found, "data", "release", default=""))
    try:
        return _manifest(data if kind is CONFIG_MAPS else base64.b64decode(data, validate=True))
    except (ValueError, OSError, EOFError, zlib.error) as cause:
        why = f"{kind.kind} {name} in namespace {namespace}, Helm's record of {record.name}, cannot be read ({cause})"
        msg = f"{why}; Helm takes it for absent: restore it, or delete that {kind.kind}"
        raise errors.BadInputError(msg) from cause


def _manifest(data: str | bytes) -> str:
    packed = base64.b64decode(data, validate=True)
    text = gzip.decompress(packed) if packed.startswith(_GZIPPED) else packed
    return str(walk.get(json.loads(text or "{}"), "manifest", default=""))


def every(client: Client, namespace: str) -> Records:
    """Read the records of all releases in a namespace; in all of them where it is empty."""
    manifests = _list(client, namespace, "owner=helm,name")
    if manifests is None:
        return Records(found=None)
    found: dict[tuple[str, str], list[Manifest]] = defaultdict(list)
    for manifest in manifests:
        where = str(walk.get(manifest, "metadata", "namespace", default=namespace))
        found[where, str(walk.get(manifest, "metadata", "labels", "name"))].append(manifest)
    return Records(found=found)


def _list(client: Client, namespace: str, selector: str) -> list[Manifest] | None:
    """Return the objects that hold revisions; None where we may not list them, or they are not in the cluster."""
    if driver_outside():
        return None
    return client.select_if_allowed(storage(), namespace, labels=selector, metadata_only=True)


def _newest(release: str, found: Sequence[Manifest]) -> Record:
    labels = [walk.mapping(manifest, "metadata", "labels") for manifest in found]
    numbered = ((str(entry.get("version")), str(entry.get("status"))) for entry in labels)
    revision, state = max((int(number) if number.isdecimal() else 0, state) for number, state in numbered)
    uids = frozenset(str(walk.get(manifest, "metadata", "uid")) for manifest in found)
    return Record(name=release, state=state, revision=revision, uids=uids)


def driver_outside() -> str:
    """Return Helm's storage driver where it keeps records outside of the cluster (``sql``); empty where in it."""
    driver = os.environ.get("HELM_DRIVER", "")
    return "" if not driver or driver.startswith(("secret", "configmap")) else driver


def refuse_outside() -> None:
    """Refuse what must know Helm's record where that is not in the cluster.

    Raises:
        RefusedError: So it is.
    """
    if driver := driver_outside():
        msg = (
            f"HELM_DRIVER={driver} keeps Helm's records outside of the cluster, where they are not read: use helm "
            "upgrade and helm uninstall for such releases"
        )
        raise errors.RefusedError(msg)


def storage() -> Resource:
    """Return the kind in which Helm keeps its records here."""
    return CONFIG_MAPS if os.environ.get("HELM_DRIVER", "").startswith("configmap") else SECRETS
