"""What a cluster is, and what it lets us do: its version, kinds and feature gates, and the rights of the user there."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from helm_roster.cluster.client import ApiError, Client
from helm_roster.manifests import walk
from helm_roster.model.wording import few

_REVIEWS: Final = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews"
# One line a gate (component-base/metrics/prometheus/feature, since Kubernetes 1.26).
_GATE: Final = re.compile(r'^kubernetes_feature_enabled\{name="(\w+)"[^}]*\} ([01])$', re.MULTILINE)


@dataclass(frozen=True, kw_only=True)
class ResourceAttributes:
    """What a right is about, but for its verb: a kind or a part of it (``pods/log``); cluster-wide ones too."""

    group: str
    plural: str
    namespaced: bool

    @property
    def long_name(self) -> str:
        """Return the name that tells it from all others, as kubectl writes it (``jobs.batch``)."""
        plural, slash, part = self.plural.partition("/")
        return f"{plural}.{self.group}{slash}{part}" if self.group else self.plural


def version(client: Client) -> str:
    """Return the API server's version, as in ``v1.37.2``."""
    return str(walk.get(client.read("/version", what="read the version"), "gitVersion", default="of unknown version"))


def served(client: Client, api_version: str) -> dict[str, ResourceAttributes]:
    """Return the kinds of an API version by their names; none where it is not served."""
    group = api_version.rpartition("/")[0]
    return {
        str(entry["kind"]): ResourceAttributes(
            group=group, plural=str(entry["name"]), namespaced=bool(entry["namespaced"])
        )
        for entry in client.served(api_version)
        if "/" not in str(entry["name"])
    }


def missing(client: Client, api_version: str, kind: str, versions: Mapping[str, str]) -> str:
    """Return a kind that is not served as people are told of it, with the other versions that it is served in.

    ``versions`` tell whose other versions are, where that is known.
    """
    others = [
        f"{other}{f', as {versions[other]}' if other in versions else ''}"
        for other in _versions(client, api_version.rpartition("/")[0])
        if other != api_version and kind in served(client, other)
    ]
    return f"{kind} ({api_version}{f'; the cluster has it in {few(others)}' if others else ''})"


def _versions(client: Client, group: str) -> list[str]:
    found = client.read(f"/apis/{group}", what=f"read the versions of {group}") if group else None
    return [str(entry["groupVersion"]) for entry in walk.sequence(found, "versions")]


def gates(client: Client) -> dict[str, bool] | None:
    """Return the API server's feature gates; None where it does not tell them to this user."""
    try:
        text = client.text("/metrics", what="read metrics")
    except ApiError as error:
        if error.is_refused:
            return None
        raise
    found = {name: value == "1" for name, value in _GATE.findall(text)}
    return found or None


def has_namespace(client: Client, namespace: str) -> bool | None:
    """Return whether the namespace is there; None where this user may not know."""
    try:
        return client.read(f"/api/v1/namespaces/{namespace}", what="read the namespace") is not None
    except ApiError as error:
        if error.is_refused:
            return None
        raise


def denied(client: Client, namespace: str, wanted: Mapping[ResourceAttributes, Sequence[str]]) -> list[str]:
    """Return what this user may not do, each as ``create jobs.batch``."""
    return [
        f"{verb} {kind.long_name}"
        for kind, verbs in wanted.items()
        if not _may(client, namespace, kind, "*")
        for verb in verbs
        if not _may(client, namespace, kind, verb)
    ]


def _may(client: Client, namespace: str, kind: ResourceAttributes, verb: str) -> bool:
    plural, _, part = kind.plural.partition("/")
    attributes = {"verb": verb, "group": kind.group, "resource": plural, **({"subresource": part} if part else {})}
    if kind.namespaced:
        attributes["namespace"] = namespace
    body = {
        "apiVersion": "authorization.k8s.io/v1",
        "kind": "SelfSubjectAccessReview",
        "spec": {"resourceAttributes": attributes},
    }
    answer = client.post(_REVIEWS, body, what="ask for your rights")
    return walk.get(answer, "status", "allowed") is True
