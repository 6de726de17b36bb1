"""``plan --explain`` as JSON: ``{"apiVersion": "helm-roster.dev/v1alpha1", "kind": "Explanation", …}``.

| key | value |
|---|---|
| ``path`` | what was asked for, from the group on, as the values have it (``resources`` for ``container.resources``) |
| ``presets``, ``skippedPresets`` | the presets of the group: those that apply, in order, and those that are left out |
| ``values`` | ``[{path, value, layer, key, source, line}]``, sorted by path |
| ``patches`` | names of the group's patches, which change the objects after all this |

``path`` in them counts from the group on; entries of a list that merges by key go by that key. ``layer`` is
``defaults``, ``presets.<name>``, ``groups.<name>``, … or ``chart`` for what the chart itself makes. ``key`` is the
values key that sets it; ``source`` the file, or the flag as it was given; ``line`` counts from 1. They are null where
there is none. A list to which several layers add has an entry for each of them, in the order of the list; ``unknown``
is the layer of a part that stands in a file which only Helm can read.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final

from helm_roster import constants
from helm_roster.model.operation import Group
from helm_roster.policy.origins import CHART, Origin
from helm_roster.report import texts

if TYPE_CHECKING:
    from rich.table import Table

HEADINGS: Final = ("value of", "is", "layer", "set in")
_SHOWN: Final = 60
_CHART: Final = "the chart itself"
_NOWHERE: Final = "not read here"


def document(group: Group, path: str, found: Sequence[Origin], patches: Sequence[str]) -> dict[str, Any]:
    """Return the whole explanation, ready for ``json.dumps``."""
    return {
        "apiVersion": constants.API_VERSION,
        "kind": "Explanation",
        "path": ".".join(part for part in (group.name, path) if part),
        "presets": list(group.presets),
        "skippedPresets": list(group.skipped_presets),
        "values": [_value(origin) for origin in found],
        "patches": list(patches),
    }


def rows(explanation: dict[str, Any]) -> Iterator[tuple[str, str, str, str]]:
    """Yield each value with its layer and where that is written."""
    for value in explanation["values"]:
        yield value["path"], texts.short(value["value"], _SHOWN), value["layer"], _place(value)


def table(explanation: dict[str, Any]) -> Table:
    """Return the table of ``rows``."""
    from rich.table import Table  # noqa: PLC0415  (only tables need it)

    made = Table(box=None, pad_edge=False)
    for heading in HEADINGS:
        made.add_column(heading, overflow="fold")
    for row in rows(explanation):
        made.add_row(*row)
    return made


def lines(explanation: dict[str, Any]) -> Iterator[str]:
    """Yield what stands below the table."""
    if explanation["presets"]:
        yield f"presets, in order: {', '.join(explanation['presets'])}"
    for preset in explanation["skippedPresets"]:
        yield f"preset {preset} of defaults is left out: the group asks for no accelerators, or lists its own"
    if explanation["patches"]:
        yield f"patches change the objects after all this: {', '.join(explanation['patches'])}"


def _value(origin: Origin) -> dict[str, Any]:
    return {
        "path": origin.path,
        "value": origin.value,
        "layer": origin.layer,
        "key": origin.key,
        "source": origin.source.name if origin.source else None,
        "line": origin.source.line if origin.source else None,
    }


def _place(value: dict[str, Any]) -> str:
    if value["source"] is None:
        return _CHART if value["layer"] == CHART else _NOWHERE
    where = f"{value['source']}:{value['line']}" if value["line"] else str(value["source"])
    exact = f"{value['layer']}.{value['path']}"
    return where if value["key"] in {exact, f"{constants.CHART}.{exact}"} else f"{where} ({value['key']})"
