"""``helm roster plan``: what an operation will ask for and what will be kept of it; no cluster is needed."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from helm_roster.commands import rendering, value_files
from helm_roster.model.plan import Plan, groups_of
from helm_roster.policy import shared_memory, totals
from helm_roster.render import pipeline
from helm_roster.report import console, plan_json, plan_table


def run(release: str, helm_args: Sequence[str], *, chart: Path | str, output: str) -> None:
    """Print the plan as a table, or for programs (its shape: ``report.plan_json``).

    Raises:
        RosterError: As ``rendering.render``; or a quantity in the pods cannot be read.
    """
    with value_files.seekable(helm_args) as args:
        plan = rendering.render(release, args, chart)
    guarantees = pipeline.backend_of(plan.operation).guarantees(plan)
    document = plan_json.document(plan, totals.count(plan), guarantees, warnings(plan))
    if output != "table":
        console.document(document, output)
        return
    console.show(plan_table.table(document), *plan_table.lines(document))


def warnings(plan: Plan) -> list[str]:
    """Return what is legal but may surprise."""
    groups = plan.operation.groups
    return [
        *shared_memory.warnings(plan),
        *(
            f'group "{group.name}" asks for no accelerators, so it leaves out preset "{preset}" of defaults'
            for group in groups_of(plan)
            for preset in group.skipped_presets
        ),
        *(
            f'group "{group.name}" cannot become ready: it requires "{required}", which has no replicas'
            for group in groups_of(plan)
            for required in group.requires
            if not groups[required].pods
        ),
    ]
