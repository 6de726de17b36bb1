"""What ``plan --against`` finds, for programs and for people; its JSON is described in ``plan_json``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final

from helm_roster.model.wording import few
from helm_roster.policy.changes import COUNTS, Change, Changes
from helm_roster.policy.differences import Difference
from helm_roster.policy.regrouping import Restart
from helm_roster.report import texts

if TYPE_CHECKING:
    from rich.table import Table

HEADINGS: Final = ("group or object", "change")
_HIDDEN: Final = "(hidden)"
_MOST: Final = 5
_SHOWN: Final = 40
_WORDS: Final = {"changed": "changed in place"}
_GANG_WORDS: Final = {"restarts": "restarts the gang", "refused": "refused, a Job is not restarted"}
# Where the reason says it all.
_WHOLE: Final = frozenset({"refused", "recreated"})
# Where most differences stand: left out in front of people, who know.
_LONG: Final = ("spec.template.spec.", "spec.template.metadata.", "spec.", "metadata.")


def document(found: Changes, release: str, revision: int, restarts: Sequence[Restart] = ()) -> dict[str, Any]:
    """Return the changes, ready for ``json.dumps``; ``restarts`` are the gangs that cannot go on as they run."""
    return {
        "release": release,
        "revision": revision,
        "groups": [
            {"name": group.group, "action": group.action, "objects": [_change(entry) for entry in group.objects]}
            for group in found.groups
        ],
        "objects": [_change(entry) for entry in found.objects],
        "gangs": [_restart(restart) for restart in restarts],
    }


def title(changes: dict[str, Any]) -> str:
    """Return with what the plan was compared."""
    return f"against {changes['release']}, revision {changes['revision']}"


def rows(changes: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield gangs that restart, all groups, and other objects that do not stay, each with what becomes of it."""
    for gang in changes["gangs"]:
        yield f'gang "{gang["name"]}"', f"{_GANG_WORDS[gang['action']]}: {'; '.join(gang['reasons'])}"
    yield from ((group["name"], _group_text(group)) for group in changes["groups"])
    for entry in changes["objects"]:
        if entry["action"] != "unchanged":
            yield f"{entry['kind']} {entry['name']}", _text(entry["action"], [entry])


def table(changes: dict[str, Any]) -> Table:
    """Return the table of ``rows``."""
    from rich.table import Table  # noqa: PLC0415  (only tables need it)

    made = Table(box=None, pad_edge=False, title_justify="left")
    made.title = title(changes)
    for heading in HEADINGS:
        made.add_column(heading, overflow="fold")
    for row in rows(changes):
        made.add_row(*row)
    return made


def _restart(restart: Restart) -> dict[str, Any]:
    return {
        "name": restart.gang,
        "action": "refused" if restart.jobs else "restarts",
        "reasons": list(restart.reasons),
        "groups": list(restart.groups),
    }


def _change(change: Change) -> dict[str, Any]:
    secret = change.kind == "Secret"
    return {
        "kind": change.kind,
        "name": change.name,
        "action": change.action,
        "reason": change.reason,
        "differences": [_difference(found, secret=secret) for found in change.differences],
    }


def _difference(found: Difference, *, secret: bool) -> dict[str, Any]:
    before, after = (_HIDDEN if secret and side is not None else side for side in (found.before, found.after))
    return {"path": found.path, "before": before, "after": after}


def _group_text(group: dict[str, Any]) -> str:
    return _text(group["action"], group["objects"] if group["action"] not in {"new", "removed"} else [])


def _text(action: str, objects: list[dict[str, Any]]) -> str:
    told = list(_details(objects, action))
    details = few(told, _MOST)
    if not details:
        return _WORDS.get(action, action)
    return f"{_WORDS.get(action, action)}: {details}"


def _details(objects: list[dict[str, Any]], action: str) -> Iterator[str]:
    """Yield reasons first, then what differs; of objects beside the workload with their name."""
    named = [_named(entry, index, action) for index, entry in enumerate(objects)]
    yield from (f"{name}{entry['reason']}" for name, entry in zip(named, objects, strict=True) if entry["reason"])
    for name, entry in zip(named, objects, strict=True):
        if name and not entry["differences"] and not entry["reason"] and entry["action"] != "unchanged":
            yield f"{name}{entry['action']}"
        for difference in entry["differences"] if entry["action"] not in _WHOLE else ():
            yield f"{name}{_difference_text(difference)}"


def _named(entry: dict[str, Any], index: int, action: str) -> str:
    return f"{entry['kind']} {entry['name']} " if index or entry["action"] != action else ""


def _difference_text(difference: dict[str, Any]) -> str:
    full, before, after = difference["path"], difference["before"], difference["after"]
    path = full.removeprefix(next((prefix for prefix in _LONG if full.startswith(prefix)), ""))
    if before is None:
        return f"{path} added: {after}" if full in COUNTS else f"{path} added"
    if after is None:
        return f"{path} removed, {before} so far" if full in COUNTS else f"{path} removed"
    if isinstance(before, (dict, list)) or isinstance(after, (dict, list)):
        return f"{path} changed"
    return f"{path} {texts.short(before, _SHOWN)} → {texts.short(after, _SHOWN)}"
