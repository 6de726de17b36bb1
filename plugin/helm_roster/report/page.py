"""What ``plan`` finds as one HTML page, to send or print: no scripts, nothing from elsewhere, all texts escaped.

It has what the tables have, and of changes every difference.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

from helm_roster.policy import wiring
from helm_roster.report import changes_report, console, explanation, plan_table

_TEMPLATE: Final = Path(__file__).with_name("page.html.j2")
_SETTINGS: Final = ("minResources", "stalenessGracePeriod", "preemption")


class _Part(NamedTuple):
    """A table of the page; left out where it has no rows."""

    title: str
    headings: Sequence[str]
    rows: Sequence[Sequence[object]]
    totals: Sequence[Sequence[object]] = ()


class _List(NamedTuple):
    """A list of the page; left out where it is empty."""

    title: str
    lines: Sequence[str]


def of_plan(document: dict[str, Any], *, named: bool = True) -> str:
    """Return the page of a plan document (see ``plan_json``)."""
    operation = document["operation"]
    about = [f"namespace {operation['namespace']}"]
    if admission := document.get("admission"):
        about.append(f"admission {admission['backend']}, queue {admission['queue']}")
    about.append(f"placement {document['placement']['backend']}")
    if named:
        about.insert(0, f"release {operation['release']}")
    return _page(
        title=plan_table.title(document, named=named),
        about=", ".join(about),
        warnings=document["warnings"],
        parts=[*_asked(document), *(_changed(document["changes"]) if "changes" in document else ())],
        lists=[_List("What placement keeps", document["guarantees"]), *_together(document)],
    )


def _together(document: dict[str, Any]) -> list[_List]:
    told = [wiring.sentence(found["router"], found["groups"]) for found in document.get("coordinated", ())]
    return [_List("What is rolled out together", told)] if told else []


def of_explanation(document: dict[str, Any]) -> str:
    """Return the page of an explanation document (see ``explanation``)."""
    part = _Part("Values", explanation.HEADINGS, list(explanation.rows(document)))
    lists = [_List("Besides", list(explanation.lines(document)))]
    return _page(title=f"Who set {document['path']}", about="", warnings=[], parts=[part], lists=lists)


def _asked(document: dict[str, Any]) -> Iterator[_Part]:
    grid = plan_table.grid(document)
    yield _Part("Groups", grid.headings, grid.groups, grid.moments)
    moments = plan_table.moments(document)
    models = sorted({model for key in moments for model in document[key]["accelerators"]})
    rows = [[model, *(document[key]["accelerators"].get(model, 0) for key in moments)] for model in models]
    yield _Part("Accelerators by model", ["model", *moments.values()], rows)
    bounds = {group["name"]: group["autoscaling"] for group in document["groups"] if "autoscaling" in group}
    scaled = [[name, one["owner"], one["min"], "any" if one["max"] is None else one["max"]]
              for name, one in bounds.items()]  # fmt: skip
    yield _Part("Autoscaling", ["group", "owner", "replicas at least", "at most"], scaled)
    yield _Part("Gangs", ["gang", "member", "pods at least", "size", "order", "within"], list(_members(document)))
    settings = [[gang["name"], key, gang[key]] for gang in document["gangs"] for key in _SETTINGS if key in gang]
    yield _Part("Settings of gangs", ["gang", "setting", "value"], settings)
    claims = [
        [one["name"], one["group"] or "-", one["count"], one["size"], "kept" if one["kept"] else "not kept"]
        for one in document["claims"]
    ]
    yield _Part("Volume claims", ["claim", "group", "count", "size of one", "after an uninstall"], claims)


def _members(document: dict[str, Any]) -> Iterator[list[Any]]:
    for gang in document["gangs"]:
        for member in gang["members"]:
            within = ", ".join(_place(one["locality"]) for one in (gang, member) if "locality" in one)
            size = "elastic" if member["elastic"] else "fixed"
            yield [gang["name"], member["group"], member["min"], size, member["order"], within or "-"]


def _place(locality: dict[str, Any]) -> str:
    part = f", {locality['segment']} at a time" if "segment" in locality else ""
    return f"one {locality['within']}{part}{'' if locality['required'] else ' (preferred)'}"


def _changed(changes: dict[str, Any]) -> Iterator[_Part]:
    rows = [[name, console.as_called(text)] for name, text in changes_report.rows(changes)]
    yield _Part(changes_report.title(changes), changes_report.HEADINGS, rows)
    objects = [*(one for group in changes["groups"] for one in group["objects"]), *changes["objects"]]
    differences = [
        [f"{one['kind']} {one['name']}", found["path"], _said(found["before"]), _said(found["after"])]
        for one in objects
        for found in one["differences"]
    ]
    yield _Part("All that differs", ["object", "path", "before", "after"], differences)


def _said(value: object) -> str:
    """Return a value whole; a sign where there is none."""
    if value is None:
        return "-"
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _page(*, title: str, about: str, warnings: Sequence[str], parts: Sequence[_Part], lists: Sequence[_List]) -> str:
    import jinja2  # noqa: PLC0415  (only pages need it)

    template = jinja2.Environment(
        autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True
    ).from_string(_TEMPLATE.read_text(encoding="utf-8"))
    called = [_List(one.title, [console.as_called(line) for line in one.lines]) for one in lists]
    told = [console.as_called(line) for line in warnings]
    return template.render(title=title, about=about, warnings=told, parts=parts, lists=called)
