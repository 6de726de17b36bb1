"""A status for people: the verdict, what waits and why, a table by group, and each group's problems."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final

from helm_roster.model.wording import agreed, counted, few
from helm_roster.report.status_json import STAGES

if TYPE_CHECKING:
    from rich.table import Table

_COUNTS: Final = ("desired", "pods", "placed", "ready", "restarts")
# Events that only repeat what the stages and problems say.
_TOLD: Final = frozenset({"FailedScheduling", "FailedCreate", "BackOff", "Failed"})
# Of a claim, where no storage class is the default (Kubernetes, pkg/controller/volume).
_NO_CLASS: Final = "no storage class is set"
# What the line on quota says already, and what is over.
_QUIET: Final = frozenset({"admitted", "finished"})
_NAME_A_CLASS: Final = "; give its connection a storageClassName, or the cluster a default storage class"


def head(status: dict[str, Any]) -> Iterator[str]:
    """Yield the lines above the table: what it is, the verdict, and each stage with its decision."""
    release = status["release"]
    told = (
        f"Helm release {release['name']}: {release['state']}, revision {release['revision']}"
        if release
        else "no Helm release"
    )
    yield f"{status['name']} ({status['operationKind']}) in namespace {status['namespace']}; {told}"
    yield f"{verdict(status['verdict'])}{_usable(status)}"
    if release and release["reason"]:
        yield f"  Helm: {release['reason']}"
    if status["verdict"] == "Suspended":
        yield f"  helm roster resume {release['name'] if release else status['name']} has it admitted again"
    for stage in STAGES:
        yield from _stage(stage, status[stage])
    suspended = {group["name"] for group in status["groups"] if group["suspended"]}
    for gang in status["gangs"]:
        if gang["group"] in suspended or (gang["state"] in _QUIET and not gang["message"]):
            continue
        stage = status[gang["stage"]]
        waiting = [entry["message"] for entry in stage["messages"] if entry["group"] == gang["group"]]
        more = _more(gang["message"], waiting)
        whole = f'gang "{gang["name"]}", ' if gang["name"] else "group "
        yield f"  {whole}{gang['group']}: {gang['state']}{_colon(more)}"


def table(status: dict[str, Any]) -> Table:
    """Return the table of the groups."""
    from rich.table import Table  # noqa: PLC0415  (only tables need it)

    made = Table(box=None, pad_edge=False)
    made.add_column("group")
    made.add_column("workload")
    for heading in _COUNTS:
        made.add_column(heading, justify="right")
    made.add_column("state")
    for group in status["groups"]:
        workload = f"{group['workload']} {group['object']}" if group["object"] else "-"
        held = [entry["pods"] for entry in status["quota"]["messages"] if entry["group"] == group["name"]]
        state = _state(group, sum(map(len, held)))
        counts = {count: str(group[count]) for count in _COUNTS}
        if "readyReplicas" in group:
            counts["ready"] += f" ({counted(group['readyReplicas'], 'replica')})"
        made.add_row(group["name"], workload, *counts.values(), state)
    return made


def problems(status: dict[str, Any]) -> Iterator[str]:
    """Yield a line for each cause of trouble, and for each warning that says more."""
    if status["gone"]:
        yield f"gone: {', '.join(status['gone'])}; upgrade to make {'it' if len(status['gone']) == 1 else 'them'} again"
    for group in status["groups"]:
        if group["missing"]:
            yield f'group "{group["name"]}": its workload object is gone; upgrade to make it again'
        for problem in group["problems"]:
            yield f'group "{group["name"]}": {problem_text(problem)}'
        yield from (f'group "{group["name"]}": {text}' for text in warnings(group))


def warnings(group: dict[str, Any]) -> Iterator[str]:
    """Yield the cluster's warnings about a group that say more than its problems and what it waits for."""
    for event in group["events"]:
        if event["reason"] not in _TOLD:
            often = f" ({event['count']} times)" if event["count"] > 1 else ""
            advice = _NAME_A_CLASS if event["message"].endswith(_NO_CLASS) else ""
            yield f"{few(event['objects'])}: {event['reason']}{often}{_colon(event['message'])}{advice}"


def verdict(word: str) -> str:
    """Return a verdict as people write it: ``WaitingForPlacement`` is "Waiting for placement"."""
    return re.sub(r"(?<=[a-z])([A-Z])", lambda found: f" {found[1].lower()}", word)


def _usable(status: dict[str, Any]) -> str:
    if status["verdict"] != "Degraded":
        return ""
    return " (usable, but with fewer pods than asked for)" if status["ready"] else " (not all of its pods are there)"


def _stage(name: str, stage: dict[str, Any]) -> Iterator[str]:
    if stage["state"] == "clear":
        yield f"  {name}: nothing waits"
    for entry in _folded(stage["messages"]):
        count = len(entry["pods"])
        what = f"{counted(count, 'pod')} of " if count else ""
        yield f"  {name}: {what}{entry['group']} {agreed(count or 1, 'wait')}{_colon(entry['message'])}"


def _folded(entries: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Join entries of one group whose message is a part of another's: the scheduler repeats itself pod by pod."""
    folded: list[dict[str, Any]] = []
    for entry in sorted(entries, key=lambda entry: -len(entry["message"])):
        longer = (
            known
            for known in folded
            if known["group"] == entry["group"] and entry["message"] and entry["message"] in known["message"]
        )
        if known := next(longer, None):
            known["pods"] = [*known["pods"], *entry["pods"]]
        else:
            folded.append(dict(entry))
    order = [(entry["group"], entry["message"]) for entry in entries]
    return sorted(folded, key=lambda entry: order.index((entry["group"], entry["message"])))


def _more(message: str, told: Sequence[str]) -> str:
    """Return what a message says that was not told yet."""
    for text in told:
        if message in text:
            return ""
        if text:
            message = message.replace(text, "").strip(" ,:")
    return message


def _state(group: dict[str, Any], held: int = 0) -> str:
    """Return how a group is in a word or two; so many of its pods are ``held`` by quota."""
    current = [str(problem["reason"]) for problem in group["problems"] if not problem["recovered"]]
    unplaced = group["pods"] - group["placed"] - held
    unready = group["ready"] + group["succeeded"] < group["desired"]
    states = (
        ("missing", group["missing"]),
        ("suspended", group["suspended"]),
        (str(group["ended"]).lower(), group["ended"]),
        (next(iter(current), ""), current),
        ("scaled to zero", not group["desired"]),
        (f"{held} wait for quota", held),
        (f"{unplaced} wait for placement", unplaced),
        ("starting" if group["pods"] else "no pods yet", unready),
    )
    return next((words for words, applies in states if applies), "ready")


def problem_text(problem: dict[str, Any]) -> str:
    """Return one problem of a status in a line: which pods, which container, what."""
    where = f"{few(problem['pods'])}: " if problem["pods"] else ""
    container = f"container {problem['container']}: " if problem["container"] else ""
    past = "restarted after " if problem["recovered"] and problem["container"] else ""
    return f"{where}{container}{past}{problem['reason']}{_ending(problem)}{_colon(problem['message'])}"


def _ending(problem: dict[str, Any]) -> str:
    """Return how the container ended last and how often it was started again, in brackets; empty where it never did."""
    code, restarts = problem["exitCode"], problem["restarts"]
    often = counted(restarts, "restart") if restarts else ""
    words = [problem["ended"], "" if code is None else f"exit code {code}", often]
    told = ", ".join(word for word in words if word)
    return f" ({told})" if told else ""


def _colon(message: str) -> str:
    return f": {message}" if message else ""
