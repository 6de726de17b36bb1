"""``helm roster plan``: what an operation will ask for and what will be kept of it; no cluster is needed."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from helm_roster.commands import rendering, value_files, warnings
from helm_roster.policy import totals
from helm_roster.render import pipeline
from helm_roster.report import console, plan_json, plan_table


def run(release: str, helm_args: Sequence[str], *, chart: Path | str, output: str) -> None:
    """Print the plan as a table, or for programs (its shape: ``report.plan_json``).

    Raises:
        RosterError: As ``rendering.render``; or a quantity in the pods cannot be read.
    """
    with value_files.opened(helm_args) as given:
        plan = rendering.render(release, given, chart).plan
        told = [*warnings.of_values(given.written, chart), *warnings.of_plan(plan)]
    guarantees = pipeline.backend_of(plan.operation).guarantees(plan)
    document = plan_json.document(plan, totals.count(plan), guarantees, told)
    if output != "table":
        console.document(document, output)
        return
    console.show(plan_table.table(document), *plan_table.lines(document))
