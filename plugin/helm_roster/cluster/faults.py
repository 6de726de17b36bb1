"""Which objects the API server would not take as they are, asked of it by a dry run, which changes nothing.

Helm finds out in the midst of an installation, when other objects are there already. Only what is wrong with an object
itself counts: rights, quotas, policies, webhooks, a namespace or a kind that is yet to come, and a server that is away
are Helm's to tell.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Final

from helm_roster import constants
from helm_roster.cluster import capabilities
from helm_roster.cluster.client import ApiError, Client, Resource, UnreachableError, is_passing
from helm_roster.manifests import walk
from helm_roster.manifests.walk import Manifest

_THREADS: Final = 8
_BAD_REQUEST: Final = 400
_INVALID: Final = 422
# What no other bad request says than one whose object cannot be read (apiserver pkg/endpoints/handlers/create.go).
_UNREADABLE: Final = " cannot be handled as a "
# Its answers may have any status, and causes too.
_WEBHOOK: Final = "admission webhook "
# Helm applies definitions of kinds by other rules.
_NOT_TRIED: Final = frozenset({"CustomResourceDefinition"})
# Some of the API's sentences repeat the whole value.
_LONGEST: Final = 240


@dataclass(frozen=True, kw_only=True)
class Fault:
    """What is wrong with an object, in the API server's words; ``field`` is empty where only these name it."""

    manifest: Manifest
    field: str
    said: str

    @property
    def group(self) -> str:
        """Return the group to which the object belongs; empty for the operation's own."""
        return str(walk.get(self.manifest, "metadata", "labels", constants.GROUP_LABEL, default=""))

    def __str__(self) -> str:
        """Return object, field and words."""
        identity = walk.identity(self.manifest)
        said = self.said if len(self.said) <= _LONGEST else f"{self.said[:_LONGEST]}…"
        return ": ".join(part for part in (f"{identity.kind} {identity.name}", self.field, said) if part)


def find(client: Client, namespace: str, manifests: Sequence[Manifest]) -> list[Fault]:
    """Return what is wrong with the objects, in their order, one fault a field.

    Each is asked for, like Helm does it, but several at once. A server that is away, or has too much to do, is not
    asked again.
    """
    found: list[Fault] = []
    with contextlib.suppress(ApiError, UnreachableError), ThreadPoolExecutor(_THREADS) as threads:
        for faults in threads.map(lambda one: _faults(client, *one), list(_served(client, namespace, manifests))):
            found += faults
    return found


def _served(client: Client, namespace: str, manifests: Sequence[Manifest]) -> Iterator[tuple[Resource, str, Manifest]]:
    """Yield the objects of kinds that are served, each with its namespace, which is empty for kinds without one."""
    versions = {str(manifest.get("apiVersion")) for manifest in manifests}
    served = {api_version: capabilities.served(client, api_version) for api_version in sorted(versions)}
    for manifest in manifests:
        api_version, kind = str(manifest.get("apiVersion")), str(manifest.get("kind"))
        known = served[api_version].get(kind)
        if known is not None and kind not in _NOT_TRIED:
            at = str(walk.get(manifest, "metadata", "namespace", default=namespace)) if known.namespaced else ""
            yield Resource(api_version=api_version, kind=kind, plural=known.plural), at, manifest


def _faults(client: Client, resource: Resource, namespace: str, manifest: Manifest) -> list[Fault]:
    said = _refused(lambda: client.try_create(resource, namespace, manifest))
    name = walk.identity(manifest).name
    if said and "" not in said and name and _is_there(client, resource, namespace, name):
        # A new object of that name may be wrong where this one is not: its port is taken, namely by itself, or its
        # value was right when it was made. What Helm's change would make of it may be wrong for other reasons: we ask
        # for a change that leaves more as it is than Helm's (what an older Helm set is not taken away).
        still = _refused(lambda: client.try_apply(resource, namespace, manifest, force=True))
        said = {field: words for field, words in said.items() if field in still}
    return [Fault(manifest=manifest, field=field, said=words) for field, words in said.items()]


def _is_there(client: Client, resource: Resource, namespace: str, name: str) -> bool:
    """Return whether there is an object; also where this user may not know, since then the change is asked for."""
    try:
        return client.get(resource, namespace, name) is not None
    except ApiError as error:
        if is_passing(error):
            raise
        return True


def _refused(ask: Callable[[], object]) -> Mapping[str, str]:
    """Return what the server says is wrong with the object itself, by field.

    Raises:
        ApiError: The server starts, ends or has too much to do.
    """
    try:
        ask()
    except ApiError as error:
        if is_passing(error):
            raise
        return {} if _WEBHOOK in error.said else _wrong(error)
    return {}


def _wrong(error: ApiError) -> Mapping[str, str]:
    if error.status == _BAD_REQUEST and _UNREADABLE in error.said:
        return {"": error.said.partition(_UNREADABLE)[2].partition(": ")[2]}
    if error.status != _INVALID:
        return {}
    found: dict[str, str] = {}
    for cause in error.causes:
        if field := str(cause.get("field") or ""):  # a policy's answer has none
            found.setdefault(field, " ".join(str(cause.get("message", "")).split()))
    return found
