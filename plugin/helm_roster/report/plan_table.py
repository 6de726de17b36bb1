"""A plan for people: a table by group, the three moments, what placement keeps, and warnings."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rich.table import Table

_MOMENTS = {"totals": "total", "minimumToStart": "minimum to start", "rolloutPeak": "rollout peak"}


def table(document: dict[str, Any]) -> Table:
    """Return the table of a plan document (see ``plan_json``)."""
    operation = document["operation"]
    made = Table(title=f"{operation['name']} ({operation['kind']})", title_justify="left", box=None, pad_edge=False)
    made.add_column("group")
    made.add_column("workload")
    for heading in ("replicas", "pods", "accelerators", "cpu", "memory"):
        made.add_column(heading, justify="right")
    for group in document["groups"]:
        made.add_row(group["name"], group["workload"], str(group["replicas"]), *_amounts(group))
    made.add_section()
    for key, name in _MOMENTS.items():
        made.add_row(name, "", "", *_amounts(document[key]), style="bold" if key == "totals" else None)
    return made


def lines(document: dict[str, Any]) -> Iterator[str]:
    """Yield what stands below the table."""
    yield f"placement: {document['placement']['backend']}"
    for guarantee in document["guarantees"]:
        yield f"  - {guarantee}"
    for warning in document["warnings"]:
        yield f"warning: {warning}"


def _amounts(part: dict[str, Any]) -> tuple[str, str, str, str]:
    models = ", ".join(f"{count} {model}" for model, count in part["accelerators"].items())
    return str(part["pods"]), models or "-", part["cpu"], part["memory"]
