"""Finds and deletes everything that carries an operation's labels, over every kind that the cluster serves.

Helm deletes what stands in its record; this finds the rest: objects of an install that was cut off before the
record was whole, objects without any record, and what controllers made of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

from helm_roster import constants
from helm_roster.cluster.client import CLAIMS, PODS, ApiError, Client, Resource
from helm_roster.manifests import walk
from helm_roster.manifests.walk import Manifest
from helm_roster.policy import holding, pods
from helm_roster.policy.holding import NodeState

_THREADS: Final = 8
# Kinds of which more than the metadata tells something: on which node, how large.
_WHOLE: Final = frozenset((resource.api_version, resource.plural) for resource in (PODS, CLAIMS))
_MADE_FOR_PODS: Final = frozenset({"persistentvolumeclaims", "resourceclaims"})
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
    def group(self) -> str:
        """Return the group that it belongs to; empty where it is the whole operation's."""
        return str(walk.get(self.manifest, "metadata", "labels", constants.GROUP_LABEL, default=""))

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
        """Return whether the object is marked to outlive the release: Helm reads that of its own objects only."""
        return not self.owners and walk.is_kept(self.manifest)

    @property
    def is_ending(self) -> bool:
        """Return whether it goes by itself: it is being deleted, or with what owns it."""
        return bool(self.owners) or pods.is_terminating(self.manifest)


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


def claims(client: Client, namespace: str, release: str) -> list[Leftover]:
    """Return the volume claims of the release's groups, which StatefulSets made too: Kubernetes keeps those.

    None are returned to whom may not list them.
    """
    found = _page(client, namespace, f"{constants.INSTANCE_LABEL}={release},{constants.GROUP_LABEL}", CLAIMS) or []
    return [Leftover(resource=CLAIMS, manifest=claim) for claim in found]


def ending_claims(client: Client, namespace: str, release: str) -> list[Leftover]:
    """Return those of the release's volume claims that go with their StatefulSet or pods, or by somebody's hand.

    Kubernetes gives them the labels by which a StatefulSet selects its pods, the operation's not among these.
    """
    return [one for one in claims(client, namespace, release) if one.is_ending]


def of_pods(client: Client, namespace: str, resources: Iterable[Resource], uids: AbstractSet[str]) -> list[Leftover]:
    """Return the claims that Kubernetes made for pods with these uids: it gives them no labels of theirs.

    Those are claims of ephemeral volumes, and claims of devices that are made from a template.
    """
    kinds = [resource for resource in resources if resource.plural in _MADE_FOR_PODS]
    return owned(client, namespace, kinds, uids)


def owned(client: Client, namespace: str, kinds: Iterable[Resource], uids: AbstractSet[str]) -> list[Leftover]:
    """Return the objects of these kinds that belong to one with such a uid."""
    found = [
        Leftover(resource=kind, manifest=entry) for kind in kinds for entry in _page(client, namespace, "", kind) or ()
    ]
    return [one for one in found if one.owners & uids]


def has_claims(one: Leftover) -> bool:
    """Return whether it is a pod for which Kubernetes makes claims."""
    volumes: list[Manifest] = walk.sequence(one.manifest, "spec", "volumes")
    return any("ephemeral" in volume for volume in volumes) or bool(
        walk.sequence(one.manifest, "spec", "resourceClaims")
    )


def size(claim: Leftover) -> str:
    """Return how large the volume of a claim is, as a quantity; what was asked for where it has none yet."""
    paths = (("status", "capacity", "storage"), ("spec", "resources", "requests", "storage"))
    return str(next((found for path in paths if (found := walk.get(claim.manifest, *path))), "of unknown size"))


def delete(client: Client, namespace: str, found: Sequence[Leftover]) -> None:
    """Delete what nobody deletes yet, owners first: what they own goes with them.

    Raises:
        ApiError: The server refuses some; all others are being deleted then.
    """
    present = {leftover.uid for leftover in found}
    refused: list[ApiError] = []
    for leftover in found:
        if not pods.is_terminating(leftover.manifest) and not leftover.owners & present:
            name = str(walk.get(leftover.manifest, "metadata", "name"))
            try:
                client.delete(leftover.resource, namespace, name, uid=leftover.uid)
            except ApiError as error:
                refused.append(error)
    if refused:
        raise refused[0]


def reasons(client: Client, namespace: str, found: Sequence[Leftover]) -> list[str]:
    """Return, a line each, what keeps objects that are being deleted, and the command that lets go of them."""
    names = {str(node) for one in found if (node := walk.get(one.manifest, "spec", "nodeName"))}
    nodes = {name: node_state(client, name) for name in sorted(names)}
    now = datetime.now(UTC)
    users = _users(client, namespace, found)
    told = [
        holding.of_object(
            one.resource.kind, one.resource.long_name, one.manifest, now=now,
            node=nodes.get(str(walk.get(one.manifest, "spec", "nodeName")), "unknown"),
            users=users.get(one.uid, ()),
        )
        for one in found
    ]  # fmt: skip
    return [*holding.of_namespace(_read(client, f"/api/v1/namespaces/{namespace}") or {}), *told]


def _users(client: Client, namespace: str, found: Sequence[Leftover]) -> dict[str, list[str]]:
    """Return the names of the pods that use each volume claim which waits for their end, by the claim's uid."""
    claims = {
        walk.get(one.manifest, "metadata", "name"): one.uid
        for one in found
        if one.resource.plural == CLAIMS.plural and holding.is_protected(one.manifest)
    }
    users: dict[str, list[str]] = {uid: [] for uid in claims.values()}
    for pod in (_page(client, namespace, "", PODS) or ()) if claims else ():
        for claim in claims.keys() & pods.claims(pod):
            users[claims[claim]].append(pods.name(pod))
    return users


def node_state(client: Client, name: str) -> NodeState:
    """Return the state of a node; unknown to whom may not read nodes."""
    node = _read(client, f"/api/v1/nodes/{name}")
    if not node:
        return "gone" if node is None else "unknown"
    conditions: list[Manifest] = walk.mappings(node, "status", "conditions")
    is_ready = any(entry.get("type") == "Ready" and entry.get("status") == "True" for entry in conditions)
    return "ready" if is_ready else "not ready"


def _read(client: Client, path: str) -> Manifest | None:
    """Return an object, None where it is not there; an empty one to whom may not read it."""
    try:
        return client.read(path, what="read what holds it")
    except ApiError as error:
        if not error.is_forbidden:
            raise
        return {}


def _page(client: Client, namespace: str, selector: str, resource: Resource) -> list[Manifest] | None:
    whole = (resource.api_version, resource.plural) in _WHOLE
    return client.select_if_allowed(resource, namespace, labels=selector, metadata_only=not whole)
