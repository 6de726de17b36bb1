"""What ``plan --against`` finds, for programs and for people; its JSON is described in ``plan_json``."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, Final

from rich.table import Table

from helm_roster.policy.changes import Change, Changes
from helm_roster.policy.differences import Difference

_HIDDEN: Final = "(hidden)"
_MOST: Final = 5
_SHOWN: Final = 40
_WORDS: Final = {"changed": "changed in place"}
# Where most differences stand: left out in front of people, who know.
_LONG: Final = ("spec.template.spec.", "spec.template.metadata.", "spec.", "metadata.")


def document(found: Changes, release: str, revision: int) -> dict[str, Any]:
    """Return the changes, ready for ``json.dumps``."""
    return {
        "release": release,
        "revision": revision,
        "groups": [
            {"name": group.group, "action": group.action, "objects": [_change(entry) for entry in group.objects]}
            for group in found.groups
        ],
        "objects": [_change(entry) for entry in found.objects],
    }


def table(changes: dict[str, Any]) -> Table:
    """Return the table of the groups, and of the other objects that do not stay as they are."""
    made = Table(box=None, pad_edge=False, title_justify="left")
    made.title = f"against {changes['release']}, revision {changes['revision']}"
    made.add_column("group or object")
    made.add_column("change", overflow="fold")
    for group in changes["groups"]:
        made.add_row(group["name"], _group_text(group))
    for entry in changes["objects"]:
        if entry["action"] != "unchanged":
            made.add_row(f"{entry['kind']} {entry['name']}", _text(entry["action"], [entry]))
    return made


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
    more = [f"and {len(told) - _MOST} more"] if len(told) > _MOST else []
    details = ", ".join(told[:_MOST] + more)
    if not details:
        return _WORDS.get(action, action)
    return f"{_WORDS.get(action, action)}: {details}"


def _details(objects: list[dict[str, Any]], action: str) -> Iterator[str]:
    """Yield reasons first, then what differs; of objects beside the workload with their name."""
    yield from (entry["reason"] for entry in objects if entry["reason"])
    for index, entry in enumerate(objects):
        named = f"{entry['kind']} {entry['name']} " if index or entry["action"] != action else ""
        if named and not entry["differences"] and entry["action"] != "unchanged":
            yield f"{named}{entry['action']}"
        for difference in entry["differences"] if not entry["reason"] or index else ():
            yield f"{named}{_difference_text(difference)}"


def _difference_text(difference: dict[str, Any]) -> str:
    path, before, after = difference["path"], difference["before"], difference["after"]
    path = path.removeprefix(next((prefix for prefix in _LONG if path.startswith(prefix)), ""))
    if before is None or after is None:
        return f"{path} {'added' if before is None else 'removed'}"
    if isinstance(before, (dict, list)) or isinstance(after, (dict, list)):
        return f"{path} changed"
    return f"{path} {_short(before)} → {_short(after)}"


def _short(value: object) -> str:
    text = value if isinstance(value, str) and value else json.dumps(value)
    return text if len(text) <= _SHOWN and "\n" not in text else f"{text[:_SHOWN].splitlines()[0]}…"
