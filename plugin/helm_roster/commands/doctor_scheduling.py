"""The part of doctor that asks the cluster how pods get quota and nodes there, and whether it would take these."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from helm_roster import all_backends, backend_base
from helm_roster.backend_base import LEASE, Backend
from helm_roster.cluster import asking, capabilities, preflight
from helm_roster.cluster.client import PODS, Client
from helm_roster.commands.rendering import Rendering
from helm_roster.manifests.walk import Manifest
from helm_roster.model.operation import Operation
from helm_roster.model.plan import Plan
from helm_roster.pairs import Pair
from helm_roster.policy import diagnosis, liveness
from helm_roster.policy.diagnosis import Finding
from helm_roster.render import pipeline

# What needs no more than every operation does.
_NOTHING: Final = Plan(operation=Operation(name="", kind="service", release="", namespace="", groups={}), workloads={})


def backends(client: Client) -> Finding:
    """Tell which backends the cluster could serve, by the kinds that they need at the least."""
    asked: Mapping[str, Mapping[str, Backend]] = {
        "placement": all_backends.PLACEMENT, "admission": all_backends.ADMISSION,
    }  # fmt: skip
    return diagnosis.backends({
        part: {name: _kinds(client, backend) for name, backend in known.items()} for part, known in asked.items()
    })  # fmt: skip


def processes(client: Client, made: Rendering, namespace: str) -> list[Finding]:
    """Tell of each program that the values need whether it runs, as far as the cluster shows it."""
    ask = asking.Asker(client)
    return [
        liveness.judge(
            process.name,
            _leases(ask, process.leases),
            list(_pods(client, namespace, process.scheduler)) if process.scheduler else None,
            ask.now(),
        )
        for process in pipeline.backend_of(made.plan.operation).PROCESSES
    ]


def inspected(client: Client, made: Rendering) -> list[Finding]:
    """Let the backends look for what they need beyond kinds: queues, quota, topologies, their configuration."""
    operation, ask = made.plan.operation, asking.Asker(client)
    backend = pipeline.backend_of(operation)
    placement, admission = (backend.placement, backend.admission) if isinstance(backend, Pair) else (backend, None)
    told = _told("placement", operation.placement_backend, placement.inspect(made.plan, ask))
    by_itself = preflight.captured(made.plan, ask)
    if admission is None and not by_itself:
        return told
    found = [*(admission.inspect(made.plan, ask) if admission else ()), *by_itself]
    return [*told, *_told("admission", operation.admission_backend, found)]


def _told(check: str, backend: str, found: Sequence[backend_base.Finding]) -> list[Finding]:
    return diagnosis.inspected(check, backend, [(one.state, one.message) for one in found])


def _kinds(client: Client, backend: Backend) -> dict[str, bool]:
    """Return whether each kind of a backend is served, by what people call it."""
    needed = (need.kind for need in backend.needs(_NOTHING))
    wanted = dict.fromkeys((*backend.GROUPING_KINDS, *needed))
    return {
        f"{kind.kind} ({kind.api_version})": kind.kind in capabilities.served(client, kind.api_version)
        for kind in wanted
    }


def _leases(ask: asking.Asker, names: Sequence[str]) -> Sequence[Manifest] | None:
    found = [ask.all_of(LEASE, name) for name in names]
    known = [one for one in found if one is not None]
    return None if names and not known else [lease for one in known for lease in one]


def _pods(client: Client, namespace: str, scheduler: str) -> Iterator[Manifest]:
    yield from client.select_if_allowed(PODS, namespace, fields=f"spec.schedulerName={scheduler}") or ()
