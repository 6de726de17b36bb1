"""Finds and deletes everything that carries an operation's labels, over every kind that the cluster serves.

Helm deletes what stands in its record; this finds the rest: objects of an install that was cut off before the
record was whole, objects without any record, and what controllers made of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

from helm_roster import constants
from helm_roster.cluster.client import CLAIMS, PODS, ApiError, Client, Resource
from helm_roster.manifests import walk
from helm_roster.manifests.walk import Manifest
from helm_roster.policy import pods

_THREADS: Final = 8
_FORBIDDEN: Final = 403
# Records of what happened; they expire by themselves.
_RECORDS: Final = frozenset({"events"})


@dataclass(frozen=True, kw_only=True)
class Leftover:
    """One object that is still there."""

    resource: Resource
    manifest: Manifest

    @property
    def name(self) -> str:
        """Return ``Kind name``."""
        return f"{self.resource.kind} {walk.get(self.manifest, 'metadata', 'name')}"

    @property
    def uid(self) -> str:
        """Return the object's uid."""
        return str(walk.get(self.manifest, "metadata", "uid", default=""))

    @property
    def owners(self) -> set[str]:
        """Return the uids of the objects that own this one."""
        return {str(owner.get("uid")) for owner in walk.sequence(self.manifest, "metadata", "ownerReferences")}

    @property
    def is_kept(self) -> bool:
        """Return whether the object is marked to outlive the release, as Helm reads it."""
        return str(walk.get(self.manifest, "metadata", "annotations", constants.KEEP_ANNOTATION)) == "keep"


@dataclass(frozen=True, kw_only=True)
class Sweep:
    """What one look over all kinds found, and the kinds that we may not list (``podgroups.scheduling.k8s.io``)."""

    found: Sequence[Leftover]
    unseen: Sequence[str]


def kinds(client: Client) -> list[Resource]:
    """Return every namespaced kind that can be listed and deleted."""
    return [
        resource
        for resource in client.resources()
        if {"list", "delete"} <= set(resource.verbs) and resource.plural not in _RECORDS
    ]


def look(client: Client, namespace: str, selector: str, resources: Iterable[Resource]) -> Sweep:
    """Return everything that the selector matches."""
    listed = list(resources)
    with ThreadPoolExecutor(_THREADS) as threads:
        pages = threads.map(lambda resource: _page(client, namespace, selector, resource), listed)
        seen = dict(zip(listed, pages, strict=True))
    found = [
        Leftover(resource=resource, manifest=manifest) for resource, page in seen.items() for manifest in page or ()
    ]
    return Sweep(found=found, unseen=[resource.long_name for resource, page in seen.items() if page is None])


def kept_claims(client: Client, namespace: str, release: str) -> list[Leftover]:
    """Return the volume claims that StatefulSets made for the release: Kubernetes keeps them, and so do we.

    None are returned to whom may not list them.
    """
    claims = _page(client, namespace, f"{constants.INSTANCE_LABEL}={release},{constants.GROUP_LABEL}", CLAIMS) or []
    return [Leftover(resource=CLAIMS, manifest=claim) for claim in claims if not pods.is_terminating(claim)]


def delete(client: Client, namespace: str, found: Sequence[Leftover]) -> None:
    """Delete what nobody deletes yet, owners first: what they own goes with them."""
    present = {leftover.uid for leftover in found}
    for leftover in found:
        if not pods.is_terminating(leftover.manifest) and not leftover.owners & present:
            name = str(walk.get(leftover.manifest, "metadata", "name"))
            client.delete(leftover.resource, namespace, name, uid=leftover.uid)


def reason(leftover: Leftover) -> str:
    """Return, in words, what keeps an object that is being deleted."""
    manifest = leftover.manifest
    deleted = walk.get(manifest, "metadata", "deletionTimestamp")
    if not deleted:
        return f"{leftover.name} is not deleted yet"
    if finalizers := walk.sequence(manifest, "metadata", "finalizers"):
        return f"{leftover.name} waits for its finalizer {', '.join(map(str, finalizers))}"
    node = walk.get(manifest, "spec", "nodeName")
    grace = walk.get(manifest, "metadata", "deletionGracePeriodSeconds", default=0)
    late = int((datetime.now(UTC) - datetime.fromisoformat(str(deleted))).total_seconds())
    overdue = f", {late} s overdue: does its node still run?" if late > 0 else ""
    return f"{leftover.name} is terminating{f' on node {node}' if node else ''} (grace {grace} s{overdue})"


def _page(client: Client, namespace: str, selector: str, resource: Resource) -> list[Manifest] | None:
    whole = (resource.api_version, resource.plural) == (PODS.api_version, PODS.plural)
    try:
        return client.select(resource, namespace, labels=selector, metadata_only=not whole)
    except ApiError as error:
        if error.status == _FORBIDDEN:
            return None
        raise
