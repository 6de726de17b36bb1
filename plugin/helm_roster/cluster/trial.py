"""What Helm would do to objects that are there, asked of the API server by a dry run, which changes nothing.

Helm applies every object of a release, also those whose manifest stays the same, and so sets back what somebody
changed by hand. Server-side apply stands for the three-way merge of Helm 3 too: both set the fields of the manifest.
"""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Final

from helm_roster.cluster import live
from helm_roster.cluster.client import HELM_MANAGER, ApiError, Client, Resource
from helm_roster.manifests import walk
from helm_roster.manifests.walk import Manifest
from helm_roster.policy import drift
from helm_roster.policy.differences import Difference

_THREADS: Final = 8
_CONFLICT: Final = 409


@dataclass(frozen=True, kw_only=True)
class Trial:
    """One object: what Helm would change of it, and the fields on which Helm 4 would fail, since others set them.

    ``live`` is None where it is not there.
    """

    manifest: Manifest
    live: Manifest | None
    differences: tuple[Difference, ...] = ()
    conflicts: tuple[str, ...] = ()

    def manager(self, path: str) -> str:
        """Return who else than Helm set a field; empty where nobody is known."""
        return drift.manager(self.live or {}, path, but=HELM_MANAGER)


def run(client: Client, namespace: str, manifests: Sequence[Manifest], *, server_side: bool) -> list[Trial]:
    """Return what Helm would do to each of the objects; those of the whole cluster are left out.

    ``server_side``: whether Helm applies so, and thus fails on conflicts.

    Raises:
        OperationFailedError: The API server would not take an object, or cannot be asked.
    """
    with ThreadPoolExecutor(_THREADS) as threads:
        asked = _namespaced(client, manifests)
        return list(threads.map(lambda one: _try(client, namespace, *one, server_side=server_side), asked))


def suspects(client: Client, namespace: str, selector: str, manifests: Sequence[Manifest]) -> list[Manifest]:
    """Return those of the objects that somebody else than Helm wrote to, or that the selector does not find there.

    A few lists tell, where nobody did, that there is nothing to try. Objects of other namespaces and of kinds that may
    not be listed are left out.
    """
    named = [(walk.identity(manifest), manifest) for manifest in manifests]
    kinds = {(identity.api_version, identity.kind) for identity, _ in named}
    there = {kind: live.of_kind(client, namespace, kind, selector) for kind in sorted(kinds)}
    return [
        manifest
        for identity, manifest in named
        if identity.namespace in {"", namespace}
        and (found := there[identity.api_version, identity.kind]) is not None
        and _is_suspect(found.get(identity.name))
    ]


def _is_suspect(found: Manifest | None) -> bool:
    return found is None or drift.is_written_by_others(found, HELM_MANAGER)


def run_if_allowed(client: Client, namespace: str, manifests: Sequence[Manifest], *, server_side: bool) -> list[Trial]:
    """Do what ``run`` does, without those objects that you may not try, or that the server does not let be tried."""
    found: list[Trial] = []
    for resource, manifest in _namespaced(client, manifests):
        with contextlib.suppress(ApiError):
            found.append(_try(client, namespace, resource, manifest, server_side=server_side))
    return found


def _namespaced(client: Client, manifests: Sequence[Manifest]) -> list[tuple[Resource, Manifest]]:
    """Return the objects of namespaced kinds that are served, each with its kind."""
    named = ((walk.identity(manifest), manifest) for manifest in manifests)
    kinds = ((client.find(identity.api_version, identity.kind), manifest) for identity, manifest in named)
    return [(resource, manifest) for resource, manifest in kinds if resource]


def _try(client: Client, namespace: str, resource: Resource, manifest: Manifest, *, server_side: bool) -> Trial:
    at = str(walk.get(manifest, "metadata", "namespace", default=namespace))
    live = client.get(resource, at, walk.identity(manifest).name)
    if live is None:
        return Trial(manifest=manifest, live=None)
    applied, conflicts = _applied(client, at, resource, manifest, force=not server_side)
    found = drift.differences(live, applied) if applied else ()
    return Trial(manifest=manifest, live=live, differences=found, conflicts=conflicts)


def _applied(
    client: Client, namespace: str, resource: Resource, manifest: Manifest, *, force: bool
) -> tuple[Manifest | None, tuple[str, ...]]:
    """Return what the object would be, and the fields that others set otherwise, which is not asked with ``force``."""
    try:
        return client.try_apply(resource, namespace, manifest, force=force), ()
    except ApiError as error:
        if error.status != _CONFLICT or not error.causes:
            raise
        conflicts = tuple(str(cause.get("field", "")).removeprefix(".") for cause in error.causes)
    return client.try_apply(resource, namespace, manifest, force=True), conflicts
