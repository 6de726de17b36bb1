"""How presets fit a cluster, for people: one a line, and below what stands in the way."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from helm_roster.model.wording import agreed, counted, few
from helm_roster.report import preset_tables

if TYPE_CHECKING:
    from rich.table import Table


def table(document: dict[str, Any]) -> Table:
    """Return the table of a check (its shape: ``commands.presets_check``)."""
    rows = [
        (entry["name"], str(entry["matching"]), str(entry["usable"]), "; ".join(_offers(entry)) or "-")
        for entry in document["presets"]
    ]
    return preset_tables.made(("preset", "nodes", "usable", "they offer"), rows)


def lines(document: dict[str, Any]) -> list[str]:
    """Return what stands in the way of presets, a line each, and what was not looked at."""
    found = [f"{entry['name']}: {why}" for entry in document["presets"] for why in _hindrances(entry)]
    if any(entry["classes"] for entry in document["presets"]):
        found.append("selectors of claims (CEL) are not evaluated: devices are those of the class's driver, all models")
    if document.get("unfit"):
        number, names = len(document["unfit"]), few(document["unfit"])
        told = f"{counted(number, 'more preset')} {agreed(number, 'select')} nodes and {agreed(number, 'fit')} none"
        found.append(f"{told} of them: {names}; check by name to see why")
    return ["", *found] if found else []


def fitting(document: dict[str, Any]) -> dict[str, Any]:
    """Return the document with presets that fit alone, and the names of the others as ``unfit``."""
    fit = [entry for entry in document["presets"] if entry["fits"]]
    return document | {
        "presets": fit,
        "unfit": [entry["name"] for entry in document["presets"] if not entry["fits"]],
    }


def _offers(entry: dict[str, Any]) -> Iterator[str]:
    yield from (f"{offer['nodes']} with {offer['each']} {offer['resource']}" for offer in entry["offers"])
    for each in entry["classes"]:
        if each["devices"] is not None:
            yield f"{counted(each['devices'], 'device')} of {each['driver']} on {counted(each['nodes'], 'node')}"
    for level in entry["levels"]:
        yield f"{level['level']}: {level['nodes']} in {level['values']}"


def _hindrances(entry: dict[str, Any]) -> Iterator[str]:
    if entry["refused"]:
        yield f"no group can be made with it: {entry['refused']}"
        return
    if not entry["selects"]:
        yield "it selects no nodes, so it fits wherever what else its groups take does"
    elif not entry["matching"] and not entry["levels"]:
        yield _nowhere(entry["unmet"])
    for found in entry["taints"]:
        yield _tainted(found, entry) + _where(found["taint"], entry)
    for found in entry["lacking"]:
        told = f"{counted(found['nodes'], 'node')} {agreed(found['nodes'], 'offer')} no {found['resource']}"
        yield told + _where(found["resource"], entry)
    if entry["cordoned"]:
        yield f"{counted(entry['cordoned'], 'node')} cordoned{_where('cordoned', entry)}"
    if entry["fewer"]:
        told = (
            f"{counted(entry['fewer'], 'node')} {agreed(entry['fewer'], 'offer')} fewer accelerators than its perNode"
        )
        yield told + _where("fewer", entry)
    yield from _of_claims(entry)
    yield from (
        f"no node has the label {one['label']} of level {one['level']}" for one in entry["levels"] if not one["nodes"]
    )


def _tainted(found: dict[str, Any], entry: dict[str, Any]) -> str:
    if entry["takesOthers"]:
        return (
            f"{found['taint']} on {counted(found['nodes'], 'node')} is for the preset of the accelerators to tolerate; "
            f"look at both: NAME+{entry['name']}"
        )
    return f"{counted(found['nodes'], 'node')} {agreed(found['nodes'], 'keep')} its pods off by {found['taint']}"


def _where(reason: str, entry: dict[str, Any]) -> str:
    names = entry["examples"].get(reason)
    return f" ({', '.join(names)}{', …' if len(names) < _nodes(reason, entry) else ''})" if names else ""


def _nodes(reason: str, entry: dict[str, Any]) -> int:
    by_name = {each.get("taint") or each["resource"]: each["nodes"] for each in (*entry["taints"], *entry["lacking"])}
    return int(by_name.get(reason) or entry[reason])


def _nowhere(unmet: list[str]) -> str:
    if unmet:
        return f"no node has {few(unmet)}"
    return "no node has all that it asks for; helm roster presets show tells its labels and devices"


def _of_claims(entry: dict[str, Any]) -> Iterator[str]:
    yield from (f"{kind} is not served" for kind in entry["unserved"])
    for each in entry["classes"]:
        if each["exists"] is False:
            yield f"there is no DeviceClass {each['name']}"
        elif each["exists"] is None:
            yield f"you may not look for the DeviceClass {each['name']}"
        elif each["driver"] is None:
            yield f"DeviceClass {each['name']} names no driver, so its devices are not counted"
        elif each["devices"] == 0:
            yield f"no driver publishes devices for DeviceClass {each['name']} ({each['driver']})"
