"""``helm roster status``: the verdict on one operation, and what it waits for: quota, placement or readiness."""

from __future__ import annotations

from collections.abc import Sequence

from helm_roster import all_backends, constants, errors
from helm_roster.backend_base import Decision
from helm_roster.cluster import client, live, records
from helm_roster.cluster.client import Client
from helm_roster.helm import releases
from helm_roster.helm import run as helm
from helm_roster.manifests import walk
from helm_roster.model.live import Live
from helm_roster.policy import health
from helm_roster.report import console, status_json, status_table


def run(name: str, *, output: str) -> None:
    """Print the status of the operation that is called ``name`` or whose release is, as a table, as JSON or as YAML.

    The shape of the JSON: ``report.status_json``. The exit code is 0 whatever the verdict.

    Raises:
        BadInputError: Nothing by that name is in the namespace.
    """
    namespace = helm.namespace()
    cluster = client.connect()
    observed = live.observe(cluster, namespace, name)
    if observed is None:
        raise errors.BadInputError(_unknown(cluster, namespace, name))
    decisions = explain(observed.live)
    broken = [f'gang "{found.gang}", {found.group}: {found.message}' for found in decisions if found.state == "broken"]
    found = health.assess(observed.live, notes=observed.notes, broken=broken)
    failed = observed.record is not None and observed.record.state == "failed"
    failure = releases.failure(observed.release) if failed else ""
    document = status_json.document(observed, found, decisions, failure=failure)
    if output != "table":
        console.document(document, output)
        return
    console.show(*status_table.head(document), "", status_table.table(document))
    console.show(*status_table.problems(document))


def explain(found: Live) -> Sequence[Decision]:
    """Return what the operation's own placement backend says of its gangs."""
    workloads = [group.workload for group in found.groups.values()]
    marks = {
        str(walk.get(workload, "metadata", "annotations", constants.PLACEMENT_ANNOTATION)) for workload in workloads
    }
    backends = [backend for name, backend in all_backends.PLACEMENT.items() if name in marks]
    return [decision for backend in backends for decision in backend.explain(found)]


def _unknown(cluster: Client, namespace: str, name: str) -> str:
    known = live.names(cluster, namespace)
    there = f"it holds {', '.join(known)}" if known else "it holds none; choose another with -n"
    return f'no operation "{name}" in namespace "{namespace}": {there}{_blind(cluster, namespace, name)}'


def _blind(cluster: Client, namespace: str, name: str) -> str:
    record = records.find(cluster, namespace, name)
    if record is None or record.is_readable:
        return ""
    return f" (Helm's record of {name} is not known: you may not list {records.storage().plural})"
