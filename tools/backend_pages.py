"""Writes what the docs say of placement and admission backends, asked of the backends themselves.

The index tells which backend, and which pair of two, takes which need, by its ``check``, and what each keeps, by its
``KEEPS``. A page ``docs/backends/<name>.md`` is written by hand, but for its part on what is kept.
"""

from __future__ import annotations

import re
import typing
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from helm_roster import all_backends, backend_base
from helm_roster.backend_base import Admission, Backend
from helm_roster.pairs import Pair
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


_WHOLE = gang(learner=(4, False), rollout=(8, False))

_Asked = tuple[Mapping[str, Any], Mapping[str, Any]]


def _needs_of(several: Mapping[str, Any]) -> Mapping[str, _Asked]:
    """Return what people want, each with the gang and the placement that ask for it; ``several``: a gang of groups."""
    members = several["members"]
    local = {"members": members | {"learner": members["learner"] | {"locality": _RACK}}}
    research = {"queue": "research"}
    return {
        "no gang: pods one by one": ({}, {}),
        "a gang of one group": (_FLAT, {}),
        "a gang of one group that may grow": (gang(rollout=(2, True)), {}),
        "a gang of several groups, all pods of each": (_WHOLE, {}),
        "a minimum by role, one member elastic": (_BY_ROLE, {}),
        "two elastic members": (gang(learner=(2, True), rollout=(2, True)), {}),
        "a gang of one group within one rack": (_FLAT | {"locality": _RACK}, {}),
        "a gang of several groups within one rack": (several | {"locality": _RACK}, {}),
        "one of its groups within one rack": (local, {}),
        "one rack where possible": (several | {"locality": _RACK | {"required": False}}, {}),
        "each four pods of a group within one rack": (_FLAT | {"locality": _RACK | {"segment": 4}}, {}),
        "a queue": (_FLAT, research),
        "to wait in the queue for the resources of the minimum": (_FLAT | {"minResources": True}, research),
        "eviction of all after a time below the minimum": (_FLAT | {"stalenessGracePeriod": 60}, {}),
        "preemption by pod": (_FLAT | {"preemption": "pod"}, {}),
        "preemption of the whole gang": (_FLAT | {"preemption": "gang"}, {}),
    }


NEEDS = _needs_of(_BY_ROLE)
# Where the word of the code is not that of the docs.
_ASPECTS: Mapping[str, str] = {
    "size": "size of a fixed member",
    "locality": "required locality",
    "minimum raised": "minimum raised above the pods that have a place",
    "elasticity": "fixed or elastic",
    "admission": "queue or class of the admission",
    "resources": "resources of a member",
    "nodes": "node selector or required node affinity of a member",
}
_HEAD = """# Placement and admission backends

Written by `make docs`, which asks the backends. One of these names stands in `scheduling.placement.backend`, and one of
[those below](#admission-backends), or none, in `scheduling.admission.backend`; what a backend cannot keep it refuses in
words before anything is applied, and `helm-roster plan` says what it keeps for your values.
"""
_ADMISSION = """## Admission backends

They decide whether pods may use quota, before the placement backend sees them. The pairs below were run on the real
programs; every other is refused.
"""
_PAIRED_NEEDS = """What you may ask for with admission; a queue is the placement's own:
"""
_PAIRED_CHANGES = """With admission, what changes in place with each placement that makes gangs:
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
        _ADMISSION,
        _table(["admission", "placements", "more"], _admissions()),
        *(part for name, admission in all_backends.ADMISSION.items() for part in _admission(name, admission)),
    ]
    return "\n".join(parts)


def page(text: str, backend: Backend) -> str:
    """Return a backend's page with its part on what is kept as it should be."""
    kept = _table(["topic", "what holds"], [[topic, backend.KEEPS[topic]] for topic in backend_base.TOPICS])
    return _PART.sub(lambda found: f"{found[1]}{kept}{found[2]}", text)


def pages() -> dict[Path, Backend]:
    """Return the pages of backends that have one."""
    backends: dict[str, Backend] = {**all_backends.PLACEMENT, **all_backends.ADMISSION}
    found = {PAGES / f"{name}.md": backend for name, backend in backends.items()}
    return {path: backend for path, backend in found.items() if path.exists()}


def _backends() -> Iterator[list[str]]:
    for name, backend in all_backends.PLACEMENT.items():
        kinds = ", ".join(f"{kind.kind} ({kind.api_version})" for kind in backend.GROUPING_KINDS)
        placed = "all pods of an operation" if backend.MARKS_ALL else "members of gangs" if kinds else "nothing itself"
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


def _admissions() -> Iterator[list[str]]:
    for name, admission in all_backends.ADMISSION.items():
        yield [_code(name), ", ".join(map(_code, admission.PLACEMENTS)), ", ".join(_links(name)) or "-"]


def _admission(name: str, admission: Admission) -> Iterator[str]:
    """Yield what is kept by each pair, what each takes, what it keeps by topic, and what it changes in place."""
    pairs = {placement: Pair(all_backends.PLACEMENT[placement], admission) for placement in admission.PLACEMENTS}
    paired = [_code(f"{placement} + {name}") for placement in pairs]
    yield _table(["placement, with " + _code(name), "what both keep"], _pairs(admission))
    yield _PAIRED_NEEDS
    yield _table(["you ask for", *paired], _paired_needs(name, pairs))
    yield _table(
        [f"by {_code(name)}", "what holds"], [[topic, admission.KEEPS[topic]] for topic in backend_base.TOPICS]
    )
    yield _PAIRED_CHANGES
    gang_makers = {placement: pair for placement, pair in pairs.items() if pair.GROUPING_KINDS}
    headings = [_code(f"{placement} + {name}") for placement in gang_makers]
    yield _table(["what changes of a gang that runs", *headings], _changed(gang_makers, of_admission=True))


def _pairs(admission: Admission) -> Iterator[list[str]]:
    for placement in all_backends.PLACEMENT:
        yield [_code(placement), admission.PLACEMENTS.get(placement, "refused")]


def _paired_needs(name: str, pairs: Mapping[str, Pair]) -> Iterator[list[str]]:
    admitted = {"backend": name, "queue": "team-a"}
    for need, (entry, placement) in _needs_of(_WHOLE).items():
        answers = []
        for backend, pair in pairs.items():
            asked = plan(_GROUPS, {"step": entry} if entry else {}, backend=backend, admission=admitted, **placement)
            answers.append("refused" if pair.check(asked) else "yes")
        yield [need, *answers]


def _kept(backends: Mapping[str, Backend]) -> Iterator[list[str]]:
    for topic in backend_base.TOPICS:
        yield [topic, *(backend.KEEPS[topic] for backend in backends.values())]


def _changed(backends: Mapping[str, Backend], *, of_admission: bool = False) -> Iterator[list[str]]:
    for aspect in typing.get_args(gang_specs.Aspect):
        if aspect in gang_specs.OF_ADMISSION and not of_admission:
            continue
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
