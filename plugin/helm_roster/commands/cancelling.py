"""One cancellation: what belongs to the operation, what of it is kept by rule, and what is still there."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final

from helm_roster import all_backends
from helm_roster.cluster import belonging, leftovers, live, records
from helm_roster.cluster.belonging import Belongings, Shares
from helm_roster.cluster.client import CLAIMS, Client, Resource
from helm_roster.cluster.leftovers import Leftover, Sweep
from helm_roster.cluster.records import Record
from helm_roster.policy import pods

_CLAIM: Final = CLAIMS.kind


@dataclass(kw_only=True)
class Task:
    """One cancellation: where, what it is called, what was seen."""

    client: Client
    namespace: str
    release: str
    selector: str
    resources: Sequence[Resource]
    first: Sweep
    delete_data: bool = False
    belongings: Belongings = field(default_factory=Belongings)
    record: Record | None = None
    has_claims: bool = False
    seen: set[str] = field(default_factory=set)
    kept: dict[str, Leftover] = field(default_factory=dict)
    staying: set[str] = field(default_factory=set)
    data: dict[str, Leftover] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Take what is there now as the operation's."""
        self.belongings.begin(self.first.found)
        self.seen |= {one.uid for one in self._passing(self.first.found)}

    def take_data(self) -> None:
        """Take the volume claims that are there now as the operation's, where its data is to be deleted."""
        if self.delete_data:
            claims = [one for one in self.claims() if not pods.is_terminating(one.manifest)]
            self.data |= {one.uid: one for one in claims}
            self.belongings.begin(claims)

    def claims(self) -> list[Leftover]:
        """Return all volume claims that are kept by rule, each once: Helm's rule, and Kubernetes' for StatefulSets."""
        marked = [
            one for one in [*self.first.found, *self.kept.values()] if one.is_kept and one.resource.kind == _CLAIM
        ]
        made = leftovers.claims(self.client, self.namespace, self.release)
        return list({one.uid: one for one in [*marked, *made]}.values())

    def look(self, resources: Iterable[Resource] | None = None) -> Shares:
        """Return what is there of the operation, without what is kept by rule."""
        looked = list(resources or self.resources)
        found = self._everything(looked)
        if looked == list(self.resources):  # what was kept until somebody deleted it is so no more
            self.kept, self.staying = {}, set()
        self.kept |= {one.uid: one for one in found if self._stays(one)}
        shares = self.belongings.sort(self._passing(found))
        self.seen |= {one.uid for one in shares.awaited}
        return shares

    def _everything(self, resources: Sequence[Resource]) -> list[Leftover]:
        """Return all that is there, each object once: by label, claims that Kubernetes made for pods, and the data."""
        labelled = leftovers.look(self.client, self.namespace, self.selector, resources).found
        self.has_claims |= any(map(leftovers.has_claims, [*self.first.found, *labelled]))
        found = list(labelled)
        if self.has_claims:
            found += leftovers.of_pods(self.client, self.namespace, resources, self.belongings.uids)
        if any(resource.plural == CLAIMS.plural for resource in resources):
            claims = leftovers.claims(self.client, self.namespace, self.release)
            found += [one for one in claims if one.uid in self.data or one.is_ending]
        return list({one.uid: one for one in reversed(found)}.values())

    def _passing(self, found: Sequence[Leftover]) -> list[Leftover]:
        """Return what does not stay: a kept workload makes its pods again, so what it owns stays with it."""
        stay = [one for one in found if self._stays(one)]
        lasting = {one.uid for one in stay if not pods.is_terminating(one.manifest)}
        self.staying |= {one.uid for one in stay} | belonging.under(found, self.staying | lasting)
        return [one for one in found if one.uid not in self.staying]

    def _stays(self, one: Leftover) -> bool:
        return one.is_kept and not (self.delete_data and one.resource.kind == _CLAIM)

    def quota(self) -> list[Leftover]:
        """Return the objects by which pods that were ours still hold quota."""
        names = live.admissions(one.manifest for one in self.first.found)
        kinds = {(kind.api_version, kind.kind) for name in names for kind in all_backends.ADMISSION[name].HOLDS}
        resources = [resource for resource in self.resources if (resource.api_version, resource.kind) in kinds]
        return leftovers.owned(self.client, self.namespace, resources, self.belongings.uids)

    def reasons(self, found: Sequence[Leftover]) -> list[str]:
        """Return what holds these objects, a line each."""
        return leftovers.reasons(self.client, self.namespace, found)

    def find_record(self) -> Record | None:
        """Return Helm's record of the release as it is now."""
        return records.find(self.client, self.namespace, self.release)
