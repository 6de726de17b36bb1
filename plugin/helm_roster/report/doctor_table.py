"""What doctor found, for people."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from helm_roster.policy.diagnosis import Finding

if TYPE_CHECKING:
    from rich.table import Table

_STYLES: Final = {"ok": "green", "warning": "yellow", "failed": "bold red", "skipped": "dim"}


def table(findings: Sequence[Finding]) -> Table:
    """Return a table with a row for each finding; the last column says what to do."""
    from rich.table import Table  # noqa: PLC0415  (only tables need it)
    from rich.text import Text  # noqa: PLC0415

    made = Table(box=None, pad_edge=False)
    for heading in ("check", "state", "found", "what to do"):
        made.add_column(heading, overflow="fold")
    for finding in findings:
        state = Text(finding.state, style=_STYLES[finding.state])
        made.add_row(Text(finding.check), state, Text(finding.found), Text(finding.remedy))
    return made
