"""One operation, looked at again and again: by ``status`` and by ``wait``."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from helm_roster import all_backends, constants
from helm_roster.backend_base import SETTLED, Ask, Backend, Decision
from helm_roster.cluster import asking, client, gone, live, records
from helm_roster.cluster.client import Client
from helm_roster.cluster.live import Observed
from helm_roster.commands.bystanders import Bystanders
from helm_roster.commands.outages import Outages
from helm_roster.helm import releases
from helm_roster.helm import run as helm
from helm_roster.model.wording import counted
from helm_roster.policy import health, restarting
from helm_roster.policy.health import Health
from helm_roster.policy.restarting import Stuck
from helm_roster.policy.waiting import Seen
from helm_roster.report import status_json

T = TypeVar("T")


@dataclass(frozen=True, kw_only=True)
class Look:
    """What was seen: the operation, what its placement backend says of its gangs, why Helm's newest revision failed.

    ``gone`` names what Helm applied besides workloads and is not there any more.
    """

    observed: Observed
    decisions: Sequence[Decision]
    failure: str
    gone: Sequence[str] = ()

    @property
    def health(self) -> Health:
        """Return the verdict and what it is made of."""
        broken = [f"{found.group}: {found.told}" for found in self._broken]
        return health.assess(self.observed.live, notes=self.observed.notes, broken=broken, quota=self._quota)

    @functools.cached_property
    def status(self) -> dict[str, Any]:
        """Return the status as a document (its shape: ``report.status_json``)."""
        return status_json.document(self.observed, self.health, self.decisions, failure=self.failure, gone=self.gone)

    @property
    def seen(self) -> Seen:
        """Return what decides whether a wait goes on."""
        record = self.observed.record
        return Seen(
            live=self.observed.live,
            helm=record.state if record and record.is_readable else "",
            failure=self.failure,
            notes=self.observed.notes,
            broken={found.group: found.told for found in self._broken},
            quota=self._quota,
        )

    @property
    def _quota(self) -> dict[str, str]:
        return {found.group: found.message for found in self.decisions if found.stage == "quota" and found.message}

    @property
    def _broken(self) -> list[Decision]:
        return [found for found in self.decisions if found.state == "broken"]


class Observer:
    """Looks at the operation that is called ``name`` or whose release is."""

    def __init__(self, name: str) -> None:
        self.name, self.namespace, self.client = name, helm.namespace(), client.connect()
        self.release: str | None = None
        self._outages = Outages()
        self._failures: dict[int, str] = {}
        self._gone = gone.Gone(self.client, self.namespace)
        self._bystanders = Bystanders(self.client)

    @property
    def selectors(self) -> Sequence[str]:
        """Return the label selectors of the operation: of that which was seen, else of all that may be meant."""
        return live.selectors(self.name) if self.release is None else live.selectors(self.release)[:1]

    def look(self) -> Look | None:
        """Return what is there now, None where nothing of it is.

        Raises:
            OutageError: The cluster has answered before and does not now. That is told once, until it answers again.
        """
        return self.bear(self._look)

    def bear(self, ask: Callable[[], T]) -> T:
        """Return what ``ask`` returns, an error of a cluster that answered before and does not now as OutageError."""
        return self._outages.bear(ask)

    def unknown(self) -> str:
        """Return, in words, that there is no such operation, and which ones there are."""
        known = live.names(self.client, self.namespace)
        there = f"it holds {', '.join(known)}" if known else "it holds none; choose another with -n"
        blind = _blind(self.client, self.namespace, self.name)
        return f'no operation "{self.name}" in namespace "{self.namespace}": {there}{blind}'

    def _look(self) -> Look | None:
        # Once seen, by its release: of that a record of Helm's may be left when no object is there any more.
        observed = live.observe(self.client, self.namespace, self.release or self.name)
        if observed is None or self.release not in {None, observed.release}:
            return None  # another release's operation of the same name is not the one that was seen
        self.release = observed.release
        ask = asking.Asker(self.client)
        return Look(
            observed=observed,
            decisions=self._bystanders.told(observed.live, explain(observed, ask), ask.now()),
            failure=self._failure(observed),
            gone=self._gone.of(observed),
        )

    def _failure(self, observed: Observed) -> str:
        record = observed.record
        if record is None or record.state != "failed":
            return ""
        if not self._failures.get(record.revision):
            self._failures[record.revision] = releases.failure(observed.release)
        return self._failures[record.revision]


def explain(observed: Observed, ask: Ask) -> Sequence[Decision]:
    """Return what the operation's own backends say of gangs: which are stuck, who has a place of theirs."""
    found = observed.live
    workloads = [group.workload for group in found.groups.values()]
    backends: list[Backend] = [
        *(all_backends.ADMISSION[name] for name in live.admissions(workloads)),
        *(all_backends.PLACEMENT[name] for name in live.placements(workloads)),
    ]
    stuck = {
        one.group: Decision(gang=one.gang, group=one.group, state="broken", message=_stuck(one, observed.release))
        for backend in backends
        for one in restarting.stuck(found, backend.MEMBERSHIPS)
    }
    said = [decision for backend in backends for decision in backend.explain(found, ask)]
    held = {one.group for one in said if one.stage == "quota" and one.state not in SETTLED}
    others = [one for one in said if one.group not in stuck and not (_is_idle(one) and one.group in held)]
    return sorted([*others, *stuck.values()], key=lambda decision: (decision.gang, decision.group)) if stuck else others


def _is_idle(decision: Decision) -> bool:
    """Return whether it is about a place that nobody looks for as long as there is no quota."""
    return decision.stage == "placement" and decision.state == "waiting"


def _stuck(one: Stuck, release: str) -> str:
    return (
        f"its update never ends, since {counted(one.pods, 'pod')} would come into it one by one: "
        f"helm roster upgrade {release} with its values and {constants.RECREATE}"
    )


def _blind(cluster: Client, namespace: str, name: str) -> str:
    record = records.find(cluster, namespace, name)
    if record is None or record.is_readable:
        return ""
    return f" (Helm's record of {name} is not known: you may not list {records.storage().plural})"
