"""``helm roster plan``: what an operation will ask for and what will be kept of it; no cluster is needed."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from pathlib import Path

from helm_roster import errors
from helm_roster.backend_base import Ask, Backend, Finding
from helm_roster.cluster import asking, client
from helm_roster.commands import against, options, rendering, value_files
from helm_roster.commands.value_files import Given
from helm_roster.model.plan import Plan
from helm_roster.policy import careless, claims, conflicting, crowding, idle, totals, warnings
from helm_roster.render import pipeline
from helm_roster.report import changes_report, console, page, plan_json, plan_table


def run(release: str, helm_args: Sequence[str], *, chart: Path | str, output: str, running: str | None = None) -> None:
    """Print the plan as a table, as a page, or for programs (its shape: ``report.plan_json``).

    ``running``: the release that it is compared with; the plan is then that of an upgrade of it.

    Raises:
        UsageError: Another release than the one that runs is named.
        RosterError: As ``rendering.render`` and ``against.compare``; or a quantity in the pods cannot be read.
    """
    if running is not None:
        release = _same(release, running)
    ask = asking.NoCluster() if running is None else asking.Asker(client.connect())
    with value_files.opened(helm_args) as typed, _upgraded(running, typed) as given:
        made = rendering.render(release, given, chart)
        sums = totals.count(made.plan, rendering.fills(made.text))
        backend = pipeline.backend_of(made.plan.operation)
        told = [
            *warnings.of_values(typed.written, chart),
            *warnings.of_plan(made.plan, _priorities(made.plan, backend, ask)),
            *warnings.of_resolved(made.plan, made.resolved),
            *conflicting.warnings(made.plan, typed.written),
            *careless.inherited(made.plan, made.resolved, typed.written),
            *idle.warnings(made.plan, made.resolved, typed.written, chart),
        ]
    guarantees = backend.guarantees(made.plan)
    told += _inspected(backend.inspect(made.plan, ask), asked=running is not None)
    volumes = claims.of_plan(made.plan, rendering.claims(made.text))
    document = plan_json.document(made.plan, sums, guarantees, told, volumes)
    if running is not None:
        found = against.compare(running, made)
        changed = changes_report.document(found.changes, running, found.revision, found.restarts)
        document |= {"changes": changed, "warnings": [*told, *found.warnings]}
    named = made.plan.operation.name != options.NO_RELEASE
    if output == "html":
        console.write(page.of_plan(document, named=named))
        return
    if output != "table":
        console.document(document, output)
        return
    compared = [changes_report.table(document["changes"])] if running is not None else []
    console.show(plan_table.table(document, named=named), *compared, *plan_table.lines(document))


def _inspected(findings: Sequence[Finding], *, asked: bool) -> list[str]:
    """Return what the backend found, the last of what no cluster was ``asked`` with how to ask it."""
    told = [finding.message for finding in findings]
    unknown = [at for at, finding in enumerate(findings) if finding.state == "unknown"]
    if unknown and not asked:
        told[unknown[-1]] += console.as_called(" (helm roster doctor -f with these values asks the cluster)")
    return told


def _priorities(plan: Plan, backend: Backend, ask: Ask) -> crowding.Priorities:
    """Return what is known of the priorities of the plan's pods; the cluster is asked only where they matter."""
    values = asking.priorities(ask) if any(crowding.crowded(plan)) else None
    return crowding.Priorities(values=values, condition=backend.PREEMPTS_WHERE)


def _same(release: str, running: str) -> str:
    if release not in {options.NO_RELEASE, running}:
        msg = f"--against {running} compares with that release: leave out {release}, or write {running} there too"
        raise errors.UsageError(msg)
    return running


def _upgraded(running: str | None, given: Given) -> contextlib.AbstractContextManager[Given]:
    return contextlib.nullcontext(given) if running is None else against.values(running, given)
