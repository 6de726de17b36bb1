"""What Helm applied of an operation and is not there any more: deleted by hand, or with what it had replaced."""

from __future__ import annotations

import contextlib
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from helm_roster import constants, errors
from helm_roster.cluster import live, records
from helm_roster.cluster.client import WORKLOADS, Client
from helm_roster.cluster.live import Observed
from helm_roster.manifests import door, walk

_DEPLOYED = "deployed"


class Gone:
    """Compares, look after look, what there is with the manifests of the newest revision, which are read once."""

    def __init__(self, client: Client, namespace: str) -> None:
        self._client, self._namespace = client, namespace
        self._made: dict[int, Mapping[tuple[str, str], Sequence[str]]] = {}

    def of(self, observed: Observed) -> list[str]:
        """Return the objects that are not there, as ``Service x``; none while Helm works on the release.

        Workloads and grouping objects are left out, of which groups and gangs tell; so are kinds that may not be read,
        and all where the record cannot be.
        """
        record = observed.record
        if record is None or record.state != _DEPLOYED:
            return []
        if record.revision not in self._made:
            text = ""
            with contextlib.suppress(errors.BadInputError):  # the record is damaged
                text = records.manifest(self._client, self._namespace, record)
            self._made = {record.revision: _by_kind(map(door.to_plain, door.load_all(text)))}
        found = self._made[record.revision]
        return [f"{kind[1]} {name}" for kind, names in found.items() for name in self._missing(kind, names, observed)]

    def _missing(self, kind: tuple[str, str], names: Sequence[str], observed: Observed) -> list[str]:
        selector, _ = live.selectors(observed.release)
        there = live.of_kind(self._client, self._namespace, kind, selector)
        return [] if there is None else [name for name in names if name not in there]


def _by_kind(manifests: Iterable[object]) -> dict[tuple[str, str], list[str]]:
    """Return the names of what carries the operation's label, by apiVersion and kind."""
    told = {resource.kind for resource in (*WORKLOADS, *live.grouping_resources())}
    found: dict[tuple[str, str], list[str]] = defaultdict(list)
    for manifest in manifests:
        if isinstance(manifest, dict) and walk.get(manifest, "metadata", "labels", constants.OPERATION_LABEL):
            kind = str(manifest.get("apiVersion")), str(manifest.get("kind"))
            if kind[1] not in told:
                found[kind].append(str(walk.get(manifest, "metadata", "name")))
    return found
