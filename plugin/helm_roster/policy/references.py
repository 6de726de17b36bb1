"""What the objects of an operation name and do not bring along: secrets, claims, classes and the like; pure.

What is marked ``optional`` is left out, and so is what is among the objects themselves.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from helm_roster import constants
from helm_roster.manifests import walk
from helm_roster.manifests.walk import Manifest

Kind: TypeAlias = Literal[
    "Secret", "ConfigMap", "PersistentVolumeClaim", "StorageClass", "ServiceAccount", "PriorityClass"
]

# Kubernetes makes them: one a namespace, and those for parts of the cluster itself.
_GIVEN: Final = frozenset({("ServiceAccount", "default")})
_SYSTEM: Final = "system-"


@dataclass(frozen=True, kw_only=True)
class Reference:
    """One object that is named, by ``users`` (groups, or other objects); no name means the default of its kind."""

    kind: Kind
    name: str
    users: tuple[str, ...]


def of(manifests: Sequence[Manifest]) -> list[Reference]:
    """Return what the manifests name beyond themselves, by kind and name."""
    made = {(str(manifest.get("kind")), walk.identity(manifest).name) for manifest in manifests}
    users: dict[tuple[Kind, str], dict[str, None]] = defaultdict(dict)
    for manifest in manifests:
        for named in _named(manifest):
            users[named][_user(manifest)] = None
    return [
        Reference(kind=kind, name=name, users=tuple(users[kind, name]))
        for kind, name in sorted(users.keys() - made - _GIVEN)
        if not (kind == "PriorityClass" and name.startswith(_SYSTEM))
    ]


def _user(manifest: Manifest) -> str:
    group = walk.get(manifest, "metadata", "labels", constants.GROUP_LABEL)
    return f'group "{group}"' if group else str(walk.identity(manifest))


def _named(manifest: Manifest) -> Iterator[tuple[Kind, str]]:
    for spec in _pods(manifest):
        yield from _of_pod(spec)
    claims: list[Manifest] = [*walk.sequence(manifest, "spec", "volumeClaimTemplates")]
    for claim in [*claims, *([manifest] if manifest.get("kind") == "PersistentVolumeClaim" else ())]:
        yield from _class(claim)


def _pods(node: object) -> Iterator[Manifest]:
    """Yield the pod specs anywhere in a manifest: whatever holds a list of containers."""
    if isinstance(node, dict):
        if isinstance(node.get("containers"), list):
            yield node
            return
        for value in node.values():
            yield from _pods(value)


def _of_pod(spec: Manifest) -> Iterator[tuple[Kind, str]]:
    if account := spec.get("serviceAccountName"):
        yield "ServiceAccount", str(account)
    if priority := spec.get("priorityClassName"):
        yield "PriorityClass", str(priority)
    for volume in walk.sequence(spec, "volumes"):
        yield from _of_volume(volume)
    for container in [*walk.sequence(spec, "initContainers"), *walk.sequence(spec, "containers")]:
        for entry in walk.sequence(container, "envFrom"):
            yield from _of_source(entry, "secretRef", "configMapRef")
        for entry in walk.sequence(container, "env"):
            yield from _of_source(walk.mapping(entry, "valueFrom"), "secretKeyRef", "configMapKeyRef")


def _of_volume(volume: Manifest) -> Iterator[tuple[Kind, str]]:
    secret = walk.mapping(volume, "secret")
    if secret.get("secretName") and secret.get("optional") is not True:
        yield "Secret", str(secret["secretName"])
    for source in [volume, *walk.sequence(volume, "projected", "sources")]:
        yield from _of_source(source, "secret", "configMap")
    if claim := walk.get(volume, "persistentVolumeClaim", "claimName"):
        yield "PersistentVolumeClaim", str(claim)
    if template := walk.get(volume, "ephemeral", "volumeClaimTemplate"):
        yield from _class(template)


def _of_source(source: Manifest, secret: str, config_map: str) -> Iterator[tuple[Kind, str]]:
    kinds: tuple[tuple[Kind, str], ...] = (("Secret", secret), ("ConfigMap", config_map))
    for kind, key in kinds:
        found = walk.mapping(source, key)
        if found.get("name") and found.get("optional") is not True:
            yield kind, str(found["name"])


def _class(claim: Manifest) -> Iterator[tuple[Kind, str]]:
    """Yield the storage class of a claim; none where it asks for a volume that is there, or for no class."""
    spec = walk.mapping(claim, "spec")
    name = spec.get("storageClassName")
    if name != "" and not spec.get("volumeName") and not spec.get("selector"):
        yield "StorageClass", str(name or "")
