"""What the objects of an operation name and do not bring along: secrets, claims, classes and the like; pure.

What is marked ``optional`` is left out, and so is what is among the objects themselves. Objects of any kind may hold
pods, so what has not the shape of a pod's field is passed over: a kind of somebody's own may use its name otherwise.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Literal, NamedTuple, TypeAlias

from helm_roster import constants
from helm_roster.manifests import walk
from helm_roster.manifests.walk import Manifest

Kind: TypeAlias = Literal[
    "Secret",
    "ConfigMap",
    "PersistentVolumeClaim",
    "StorageClass",
    "ServiceAccount",
    "PriorityClass",
    "RuntimeClass",
    "DeviceClass",
    "ResourceClaim",
    "ResourceClaimTemplate",
]

_CLUSTER_WIDE: Final = frozenset({"StorageClass", "PriorityClass", "RuntimeClass", "DeviceClass"})
# Kubernetes makes them: some in each namespace, and classes for parts of the cluster itself.
_GIVEN: Final = frozenset({("ServiceAccount", "default"), ("ConfigMap", "kube-root-ca.crt")})
_SYSTEM: Final = "system-"
# Where objects say what of devices is claimed, and with each of which class.
_REQUESTS: Final = {
    "ResourceClaim": ("spec", "devices", "requests"),
    "ResourceClaimTemplate": ("spec", "spec", "devices", "requests"),
}
# How the sources of volumes name a secret: a mapping with its name.
_SECRETS: Final = ("secretRef", "nodePublishSecretRef")


@dataclass(frozen=True, kw_only=True)
class Reference:
    """One object that is named, by ``users`` (groups, or other objects); no name means the default of its kind.

    ``namespace`` is empty for what belongs to the whole cluster; pods start without what ``is_needed`` is false of.
    """

    kind: Kind
    namespace: str
    name: str
    users: tuple[str, ...]
    is_needed: bool = True


class _Named(NamedTuple):
    kind: Kind
    name: str
    is_needed: bool = True


def of(manifests: Sequence[Manifest], namespace: str) -> list[Reference]:
    """Return what the manifests of a release in ``namespace`` name beyond themselves, by kind, namespace and name."""
    flat = [each for manifest in manifests for each in walk.flat(manifest)]
    placed = [(each, str(walk.get(each, "metadata", "namespace", default=namespace))) for each in flat]
    made = {_place(kind, name, where) for manifest, where in placed for kind, name in _made(manifest)}
    users: dict[tuple[str, str, str], dict[str, None]] = defaultdict(dict)
    found: dict[tuple[str, str, str], _Named] = {}
    for manifest, where in placed:
        for named in _named(manifest):
            place = _place(named.kind, named.name, where)
            users[place][_user(manifest)] = None
            found[place] = max(named, found.get(place, named))  # needed comes after not needed
    return [
        Reference(
            kind=named.kind, namespace=place[1], name=named.name, users=tuple(users[place]), is_needed=named.is_needed
        )
        for place, named in sorted(found.items())
        if place not in made and not _is_given(named)
    ]


def _made(manifest: Manifest) -> Iterator[tuple[str, str]]:
    """Yield the kind and name of an object, and of the template of claims that its controller makes."""
    yield str(manifest.get("kind")), walk.identity(manifest).name
    if template := _text(manifest, "spec", "channel", "resourceClaimTemplate", "name"):
        yield "ResourceClaimTemplate", template


def _place(kind: str, name: str, namespace: str) -> tuple[str, str, str]:
    return kind, "" if kind in _CLUSTER_WIDE else namespace, name


def _is_given(named: _Named) -> bool:
    is_system = named.kind == "PriorityClass" and named.name.startswith(_SYSTEM)
    return is_system or (named.kind, named.name) in _GIVEN


def _user(manifest: Manifest) -> str:
    group = walk.get(manifest, "metadata", "labels", constants.GROUP_LABEL)
    return f'group "{group}"' if group else str(walk.identity(manifest))


def _named(manifest: Manifest) -> Iterator[_Named]:
    for spec in _pods(manifest):
        yield from _of_pod(spec)
    for claim in _maps(manifest, "spec", "volumeClaimTemplates"):
        yield from _class(claim)
    if manifest.get("kind") == "PersistentVolumeClaim":
        yield from _class(manifest)
    if path := _REQUESTS.get(str(manifest.get("kind"))):
        for request in _maps(manifest, *path):
            for asked in (walk.get(request, "exactly"), *_maps(request, "firstAvailable")):
                if name := _text(asked, "deviceClassName"):
                    yield _Named("DeviceClass", name)


def _pods(node: object) -> Iterator[Manifest]:
    """Yield the pod specs anywhere in a manifest: whatever holds a list of containers."""
    if isinstance(node, dict):
        if isinstance(node.get("containers"), list):
            yield node
            return
        node = list(node.values())
    if isinstance(node, list):
        for value in node:
            yield from _pods(value)


def _of_pod(spec: Manifest) -> Iterator[_Named]:
    fields: tuple[tuple[Kind, str], ...] = (
        ("ServiceAccount", "serviceAccountName"),
        ("PriorityClass", "priorityClassName"),
        ("RuntimeClass", "runtimeClassName"),
    )
    for kind, field in fields:
        if name := _text(spec, field):
            yield _Named(kind, name)
    for claim in _maps(spec, "resourceClaims"):
        yield from _of_claim(claim)
    for secret in _maps(spec, "imagePullSecrets"):
        if name := _text(secret, "name"):
            yield _Named("Secret", name, is_needed=False)  # a public image comes without
    for volume in _maps(spec, "volumes"):
        yield from _of_volume(volume)
    for container in [*_maps(spec, "initContainers"), *_maps(spec, "containers")]:
        for entry in _maps(container, "envFrom"):
            yield from _of_source(entry, "secretRef", "configMapRef")
        for entry in _maps(container, "env"):
            yield from _of_source(walk.get(entry, "valueFrom"), "secretKeyRef", "configMapKeyRef")


def _of_claim(claim: Manifest) -> Iterator[_Named]:
    kinds: tuple[tuple[Kind, str], ...] = (
        ("ResourceClaim", "resourceClaimName"),
        ("ResourceClaimTemplate", "resourceClaimTemplateName"),
    )
    for kind, field in kinds:
        if name := _text(claim, field):
            yield _Named(kind, name)


def _of_volume(volume: Manifest) -> Iterator[_Named]:
    for source in volume.values():
        names = (_text(source, "secretName"), *(_text(source, key, "name") for key in _SECRETS))
        yield from (_Named("Secret", name) for name in names if name and not _is_optional(source))
    for source in [volume, *_maps(volume, "projected", "sources")]:
        yield from _of_source(source, "secret", "configMap")
    if claim := _text(volume, "persistentVolumeClaim", "claimName"):
        yield _Named("PersistentVolumeClaim", claim)
    if template := walk.get(volume, "ephemeral", "volumeClaimTemplate"):
        yield from _class(template)


def _of_source(source: object, secret: str, config_map: str) -> Iterator[_Named]:
    kinds: tuple[tuple[Kind, str], ...] = (("Secret", secret), ("ConfigMap", config_map))
    for kind, key in kinds:
        if (name := _text(source, key, "name")) and not _is_optional(walk.get(source, key)):
            yield _Named(kind, name)


def _is_optional(source: object) -> bool:
    return walk.get(source, "optional") is True


def _class(claim: object) -> Iterator[_Named]:
    """Yield the storage class of a claim; none where it asks for a volume that is there, or for no class."""
    spec = walk.get(claim, "spec")
    name = walk.get(spec, "storageClassName")
    if name != "" and not walk.get(spec, "volumeName") and not walk.get(spec, "selector"):
        yield _Named("StorageClass", str(name or ""))


def _maps(data: object, *path: str) -> list[Manifest]:
    """Return the mappings of the list at a path; none where something else stands there."""
    found = walk.get(data, *path)
    return [entry for entry in found if isinstance(entry, dict)] if isinstance(found, list) else []


def _text(data: object, *path: str) -> str:
    """Return the text at a path; empty where something else stands there."""
    found = walk.get(data, *path)
    return found if isinstance(found, str) else ""
