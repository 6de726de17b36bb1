"""A plan for people: a table by group, its moments, what placement keeps, and warnings."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from helm_roster.manifests import quantities
from helm_roster.policy import wiring

if TYPE_CHECKING:
    from rich.table import Table

_MOMENTS = {"totals": "total", "minimumToStart": "minimum to start", "rolloutPeak": "rollout peak", "atMost": "at most"}
_NONE = "-"
# How many columns have words, before those with amounts.
_WORDS = 2


class _Column(NamedTuple):
    """A column: its heading, its text in a row, and whether it is shown where no row says anything in it."""

    heading: str
    text: Callable[[dict[str, Any]], str]
    always: bool = False


def _counts(amounts: dict[str, Any]) -> str:
    return ", ".join(f"{amount} {name}" for name, amount in amounts.items()) or _NONE


def _replicas(group: dict[str, Any]) -> str:
    bounds = group.get("autoscaling")
    if not bounds:
        return str(group["replicas"])
    return f"{group['replicas']} ({bounds['min']} to {bounds['max'] or 'any'})"


def _storage(row: dict[str, Any]) -> str:
    return _NONE if row["ephemeralStorage"] == "0" else quantities.short_memory(row["ephemeralStorage"])


def _volumes(row: dict[str, Any]) -> str:
    volumes = row.get("memoryVolumes") or {}
    return ", ".join(f"{name} {size or 'unbounded'}" for name, size in volumes.items()) or _NONE


_COLUMNS = (
    _Column("pods", lambda row: str(row["pods"]), always=True),
    _Column("whole nodes", lambda row: str(row.get("nodes") or _NONE)),
    _Column("accelerators", lambda row: _counts(row["accelerators"]), always=True),
    _Column("cpu", lambda row: quantities.short_cpu(row["cpu"]), always=True),
    _Column("memory", lambda row: quantities.short_memory(row["memory"]), always=True),
    _Column("ephemeral storage", _storage),
    _Column("other", lambda row: _counts(row["other"])),
    _Column("in memory, a pod", _volumes),
)


class Grid(NamedTuple):
    """The table as text: a row for each group, and for leaders that ask for something else; then the moments."""

    headings: list[str]
    groups: list[list[str]]
    moments: list[list[str]]


def title(document: dict[str, Any], *, named: bool = True) -> str:
    """Return what a plan is of; ``named``: whether the operation's name is somebody's choice."""
    operation = document["operation"]
    return f"{operation['name'] if named else 'unnamed release'} ({operation['kind']})"


def moments(document: dict[str, Any]) -> dict[str, str]:
    """Return the moments for which a plan has sums, by their keys there, in words."""
    return {key: name for key, name in _MOMENTS.items() if key in document}


def grid(document: dict[str, Any]) -> Grid:
    """Return the table of a plan document (see ``plan_json``) as text. Columns that would be empty are left out.

    Amounts are rounded up where they have many digits.
    """
    sums = moments(document)
    parts = [part for group in document["groups"] for part in _parts(group)]
    parts += [([f"fill of {fill['connection']}", "Job", "once"], fill) for fill in document.get("fills", ())]
    rows = [*(part for _, part in parts), *(document[key] for key in sums)]
    columns = [column for column in _COLUMNS if column.always or any(column.text(row) != _NONE for row in rows)]
    return Grid(
        headings=["group", "workload", "replicas", *(column.heading for column in columns)],
        groups=[[*named, *(column.text(part) for column in columns)] for named, part in parts],
        moments=[[name, "", "", *(column.text(document[key]) for column in columns)] for key, name in sums.items()],
    )


def _parts(group: dict[str, Any]) -> Iterator[tuple[list[str], dict[str, Any]]]:
    """Yield a group and, where its leaders ask for something else, what of it is theirs, each after its words."""
    yield [group["name"], group["workload"], _replicas(group)], group
    if "leader" in group:
        yield ["of which leaders", "", ""], group["leader"]


def table(document: dict[str, Any], *, named: bool = True) -> Table:
    """Return ``grid`` as a table with its ``title``."""
    from rich.table import Table  # noqa: PLC0415  (only tables need it)

    found = grid(document)
    made = Table(title=title(document, named=named), title_justify="left", box=None, pad_edge=False)
    for index, heading in enumerate(found.headings):
        made.add_column(heading, justify="left" if index < _WORDS else "right")
    for row in found.groups:
        made.add_row(*row)
    made.add_section()
    for index, row in enumerate(found.moments):
        made.add_row(*row, style=None if index else "bold")
    return made


def lines(document: dict[str, Any]) -> Iterator[str]:
    """Yield what stands below the table."""
    if document["claims"]:
        yield "volume claims:"
        yield from map(_claim, document["claims"])
    if admission := document.get("admission"):
        yield f"admission: {admission['backend']}, queue {admission['queue']}"
    yield f"placement: {document['placement']['backend']}"
    for guarantee in document["guarantees"]:
        yield f"  - {guarantee}"
    for together in document.get("coordinated", ()):
        yield wiring.sentence(together["router"], together["groups"])
    for warning in document["warnings"]:
        yield f"warning: {warning}"


def _claim(claim: dict[str, Any]) -> str:
    fate = "kept after an uninstall" if claim["kept"] else "not kept"
    if not claim["group"]:
        return f"  - {claim['name']}: {claim['size']}, {fate}"
    return f"  - {claim['name']} of {claim['group']}: {claim['count']} of {claim['size']}, one a pod, {fate}"
