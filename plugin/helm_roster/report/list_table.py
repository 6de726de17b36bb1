"""The operations for people: one a line."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from helm_roster.report import status_table

if TYPE_CHECKING:
    from rich.table import Table


def table(document: dict[str, Any], *, with_namespace: bool) -> Table:
    """Return the table of a list (its shape: ``commands.list``)."""
    from rich.table import Table  # noqa: PLC0415  (only tables need it)
    from rich.text import Text  # noqa: PLC0415

    made = Table(box=None, pad_edge=False)
    headings = ["name", *(["namespace"] if with_namespace else []), "kind", "verdict", "ready", "groups", "owner"]
    for heading in headings:
        made.add_column(heading, overflow="fold", justify="right" if heading == "ready" else "left")
    for entry in document["operations"]:
        where = [entry["namespace"]] if with_namespace else []
        told = [entry["operationKind"], status_table.verdict(entry["verdict"]), _counts(entry), _groups(entry)]
        made.add_row(*(Text(cell) for cell in (_name(entry), *where, *told, owner(entry))))
    return made


def owner(entry: dict[str, Any]) -> str:
    """Return who looks after an operation: a GitOps object, a Helm release, or nobody."""
    release = entry["release"]
    known = release is not None and release["revision"] > 0
    if entry["gitops"]:
        return str(entry["gitops"])
    if known:
        return f"Helm release, revision {release['revision']} {release['state']}"
    return "-" if release is None else "not known: you may not list Helm's records"


def _name(entry: dict[str, Any]) -> str:
    return str(entry["name"]) if entry["name"] == entry["operation"] else f"{entry['name']} ({entry['operation']})"


def _counts(entry: dict[str, Any]) -> str:
    """Return the pods that are ready, of a job also those that ended well, of those that are asked for."""
    counts = entry["pods"]
    done = f", {counts['succeeded']} done" if counts["succeeded"] else ""
    return f"{counts['ready']}{done} of {counts['desired']}"


def _groups(entry: dict[str, Any]) -> str:
    return ", ".join(entry["groups"]) or "-"
