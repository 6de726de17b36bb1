"""Writes what the docs say of placement backends, asked of the backends themselves.

The index tells which backend takes which need, by its ``check``, and what each keeps, by its ``KEEPS``. A page
``docs/backends/<name>.md`` is written by hand, but for its part on what is kept.
"""

from __future__ import annotations

import re
import typing
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from helm_roster import all_backends, backend_base
from helm_roster.backend_base import Backend
from helm_roster.policy import gang_specs

from tests.unit.builders import gang, group, plan

ROOT = Path(__file__).parent.parent
INDEX = ROOT / "docs" / "backends.md"
PAGES = ROOT / "docs" / "backends"
EXAMPLES = ROOT / "examples"

_GROUPS = {"learner": group(4, accelerators=1), "rollout": group(8, accelerators=1)}
_FLAT = gang(rollout=(8, False))
_BY_ROLE = gang(learner=(4, False), rollout=(2, True))
_RACK = {"within": "rack", "label": "example.org/rack", "tier": 1, "topology": "fabric"}


def _local(level: Mapping[str, Any]) -> dict[str, Any]:
    """Return a gang of which only one member has a locality."""
    members = _BY_ROLE["members"]
    return {"members": members | {"learner": members["learner"] | {"locality": level}}}


# What people want, each with the gang and the placement that ask for it.
NEEDS: Mapping[str, tuple[Mapping[str, Any], Mapping[str, Any]]] = {
    "no gang: pods one by one": ({}, {}),
    "a gang of one group": (_FLAT, {}),
    "a gang of one group that may grow": (gang(rollout=(2, True)), {}),
    "a minimum by role, one member elastic": (_BY_ROLE, {}),
    "two elastic members": (gang(learner=(2, True), rollout=(2, True)), {}),
    "a gang of one group within one rack": (_FLAT | {"locality": _RACK}, {}),
    "a gang of several groups within one rack": (_BY_ROLE | {"locality": _RACK}, {}),
    "one of its groups within one rack": (_local(_RACK), {}),
    "one rack where possible": (_BY_ROLE | {"locality": _RACK | {"required": False}}, {}),
    "each four pods of a group within one rack": (_FLAT | {"locality": _RACK | {"segment": 4}}, {}),
    "a queue": (_FLAT, {"queue": "research"}),
    "to wait in the queue for the resources of the minimum": (_FLAT | {"minResources": True}, {"queue": "research"}),
    "eviction of all after a time below the minimum": (_FLAT | {"stalenessGracePeriod": 60}, {}),
    "preemption by pod": (_FLAT | {"preemption": "pod"}, {}),
    "preemption of the whole gang": (_FLAT | {"preemption": "gang"}, {}),
}
# Where the word of the code is not that of the docs.
_ASPECTS: Mapping[str, str] = {
    "size": "size of a fixed member",
    "locality": "required locality",
    "minimum raised": "minimum raised above the pods that have a place",
    "elasticity": "fixed or elastic",
}
_HEAD = """# Placement backends

Written by `make docs`, which asks the backends. One of these names stands in `scheduling.placement.backend`; what a
backend cannot keep it refuses in words before anything is applied, and `helm-roster plan` says what it keeps for your
values.
"""
_SEGMENTS = """`locality.segment`, parts of a group that are each together, is kept by no backend yet where replicas are
single pods, as all of this chart's are. Make a group of each part, each with a locality of its own.

A group's locality lies within that of its gang. A wider one is refused where the order of levels is known: their
tiers are numbers, or KAI's Topology lists both. Node labels alone do not tell; then the narrower of the two holds.
"""
_CHANGES = """## What changes in place, and what restarts the gang

A restart deletes all pods of a gang at once, and only `helm-roster upgrade --recreate` does it:
[changing gangs](changing-gangs.md). Whatever moves pods that run into another group restarts it too.
"""
_PART = re.compile(r"(<!-- keeps: written by make docs -->\n).*?(<!-- /keeps -->)", re.DOTALL)


def index() -> str:
    """Return the page of all backends."""
    gang_makers = {name: found for name, found in all_backends.PLACEMENT.items() if found.KEEPS}
    parts = [
        _HEAD,
        _table(["backend", "places", "makes", "more"], _backends()),
        "## Which backend for which need\n",
        _table(["you ask for", *map(_code, all_backends.PLACEMENT)], _needs()),
        _SEGMENTS,
        "## What each keeps\n",
        _table(["", *map(_code, gang_makers)], _kept(gang_makers)),
        _CHANGES,
        _table(["what changes of a gang that runs", *map(_code, gang_makers)], _changed(gang_makers)),
    ]
    return "\n".join(parts)


def page(text: str, backend: Backend) -> str:
    """Return a backend's page with its part on what is kept as it should be."""
    kept = _table(["topic", "what holds"], [[topic, backend.KEEPS[topic]] for topic in backend_base.TOPICS])
    return _PART.sub(lambda found: f"{found[1]}{kept}{found[2]}", text)


def pages() -> dict[Path, Backend]:
    """Return the pages of backends that have one."""
    found = {PAGES / f"{name}.md": backend for name, backend in all_backends.PLACEMENT.items()}
    return {path: backend for path, backend in found.items() if path.exists()}


def _backends() -> Iterator[list[str]]:
    for name, backend in all_backends.PLACEMENT.items():
        kinds = ", ".join(f"{kind.kind} ({kind.api_version})" for kind in backend.GROUPING_KINDS)
        placed = "all pods of an operation" if backend.PLACES_ALL else "members of gangs" if kinds else "nothing itself"
        yield [_code(name), placed, kinds or "-", ", ".join(_links(name)) or "-"]


def _links(name: str) -> Iterator[str]:
    """Yield links to the backend's page and to the examples that it takes."""
    if (PAGES / f"{name}.md").exists():
        yield f"[page](backends/{name}.md)"
    asked = re.compile(rf"^ *backend: {name}$", re.MULTILINE)
    for values in sorted(EXAMPLES.glob("*/values.yaml")):
        if asked.search(values.read_text()) and not values.with_name("expected.err").exists():
            yield f"[{values.parent.name}](../examples/{values.parent.name})"


def _needs() -> Iterator[list[str]]:
    for need, (entry, placement) in NEEDS.items():
        answers = []
        for name, backend in all_backends.PLACEMENT.items():
            asked = plan(_GROUPS, {"step": entry} if entry else {}, backend=name, **placement)
            refused = backend.check(asked) or (entry and not backend.GROUPING_KINDS)
            answers.append("refused" if refused else "yes")
        yield [need, *answers]


def _kept(backends: Mapping[str, Backend]) -> Iterator[list[str]]:
    for topic in backend_base.TOPICS:
        yield [topic, *(backend.KEEPS[topic] for backend in backends.values())]


def _changed(backends: Mapping[str, Backend]) -> Iterator[list[str]]:
    for aspect in typing.get_args(gang_specs.Aspect):
        answers = ("in place" if aspect in backend.IN_PLACE else "restarts" for backend in backends.values())
        yield [_ASPECTS.get(aspect, aspect), *answers]


def _code(name: str) -> str:
    return f"`{name}`"


def _table(headings: list[str], rows: Iterable[list[str]]) -> str:
    lines = [headings, ["---"] * len(headings), *rows]
    return "".join(f"| {' | '.join(cells)} |\n" for cells in lines)


def main() -> None:
    """Write all of it."""
    INDEX.write_text(index())
    for path, backend in pages().items():
        path.write_text(page(path.read_text(), backend))


if __name__ == "__main__":
    main()
