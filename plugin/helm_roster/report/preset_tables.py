"""Presets for people: what is there, what is wrong, and what fits a cluster."""

from __future__ import annotations

from collections.abc import Iterator, Sequence, ValuesView
from pathlib import Path
from typing import TYPE_CHECKING, Any

from helm_roster.model.wording import few, required

if TYPE_CHECKING:
    from rich.table import Table

_LABELS = 2


def listed(document: dict[str, Any]) -> Table:
    """Return the table of a list of presets (its shape: ``commands.presets_list``)."""
    rows = [
        (entry["name"], selected(entry["selects"]), _nodes(entry["selects"]), _besides(entry["selects"]), _file(entry))
        for entry in document["presets"]
    ]
    return made(("name", "selects", "nodes", "with it", "file"), rows)


def selected(selects: dict[str, Any]) -> str:
    """Return in a few words what a preset selects."""
    model, kind = selects.get("model"), selects.get("resource") or selects.get("deviceClass")
    if model or kind:
        told = "class " if "deviceClass" in selects else ""
        return f"{model} ({told}{kind})" if model and kind else str(model or kind)
    if "levels" in selects:
        return f"levels {', '.join(selects['levels'])}"
    if "role" in selects:
        return f"role {selects['role']}"
    return "router" if "router" in selects else f"sets {', '.join(selects.get('sets', ()))}"


def _nodes(selects: dict[str, Any]) -> str:
    chosen = [f"{key}={value}" for key, value in selects.get("nodeSelector", {}).items()]
    return few([*chosen, *_required(selects.get("requireNodes"))], _LABELS) or "-"


def _required(requirements: object) -> Iterator[str]:
    """Yield the requirements on labels of nodes, a list or a map, as people say them."""
    entries = requirements.values() if isinstance(requirements, dict) else requirements
    for entry in entries if isinstance(entries, list | ValuesView) else ():
        if isinstance(entry, dict):
            yield required(entry)


def _besides(selects: dict[str, Any]) -> str:
    return ", ".join(_companions(selects)) or "-"


def _companions(selects: dict[str, Any]) -> Iterator[str]:
    yield from selects.get("devices", ())
    yield from (f"network {name}" for name in selects.get("networks", ()))
    yield from (f"claim {name}" for name in selects.get("claims", ()))
    if "topology" in selects:
        yield f"slice {selects['topology']}"
    if "fillsNode" in selects:
        yield "whole nodes"


def _file(entry: dict[str, Any]) -> str:
    return Path(entry["file"]).name if entry["library"] else str(entry["file"])


def made(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> Table:
    """Return a table without lines; what is in its first column is copied, so it is never broken."""
    from rich.table import Table  # noqa: PLC0415  (only tables need it)
    from rich.text import Text  # noqa: PLC0415

    table = Table(box=None, pad_edge=False)
    for heading in headings:
        table.add_column(heading, overflow="fold", no_wrap=heading == headings[0])
    for row in rows:
        table.add_row(*map(Text, row))
    return table
