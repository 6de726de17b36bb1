"""``helm roster cancel``: remove an operation, running, waiting or half installed, and return when it is gone.

Helm's record goes first, through ``helm uninstall``; then everything that still carries the operation's labels, over
every kind that the cluster serves; then it waits, since a grouping object lives until its last pod is gone, and an
operation that is installed onto it would vanish with it.

As JSON: ``{"apiVersion": "helm-roster.dev/v1alpha1", "kind": "Cancellation", "name", "namespace", "gone", "deleted",
"kept"}``; ``gone`` is false with ``--no-wait`` while something is still ending, ``deleted`` counts objects, ``kept``
lists what Helm's keep rule holds, as ``"PersistentVolumeClaim x"``.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final

from helm_roster import constants, errors
from helm_roster.cluster import client, leftovers, live, records
from helm_roster.cluster.client import Client, Resource
from helm_roster.cluster.leftovers import Leftover, Sweep
from helm_roster.helm import run as helm
from helm_roster.policy import ownership
from helm_roster.report import console

_POLL_SECONDS: Final = 0.5
_SAY_EVERY_SECONDS: Final = 10.0
_SHOWN: Final = 8


def run(name: str, *, timeout: float, wait: bool = True, output: str = "table") -> None:
    """Cancel the operation whose release (or which itself) is called ``name``.

    Args:
        name: The release's name, or the operation's.
        timeout: Seconds to wait until everything is gone.
        wait: False returns once everything is being deleted.
        output: ``table`` (one line) or ``json``.

    Raises:
        BadInputError: Nothing by that name is in the namespace.
        RefusedError: A GitOps controller owns the operation and would make it again.
        DeadlineError: Something is still there when the time is over; it is named.
        OperationFailedError: Helm or the cluster refuses.
    """
    started = time.monotonic()
    task = _begin(name)
    _refuse_owned(task, name)
    _uninstall(task, timeout)
    _sweep(task)
    gone = wait and _wait(task, started + timeout)
    _report(task, output=output, gone=gone)


@dataclass(kw_only=True)
class _Task:
    """One cancellation: where, what it is called, what was seen."""

    client: Client
    namespace: str
    release: str
    selector: str
    resources: Sequence[Resource]
    seen: set[str] = field(default_factory=set)
    kept: dict[str, str] = field(default_factory=dict)

    def look(self, resources: Iterable[Resource] | None = None) -> Sweep:
        """Return what is there of the operation, without what is kept by rule."""
        swept = leftovers.look(self.client, self.namespace, self.selector, resources or self.resources)
        self.kept |= {found.uid: found.name for found in swept.found if found.is_kept}
        found = [one for one in swept.found if not one.is_kept]
        self.seen |= {one.uid for one in found}
        return Sweep(found=found, unseen=swept.unseen)

    def recorded(self) -> records.Record | None:
        """Return Helm's record of the release."""
        found = records.find(self.client, self.namespace, self.release)
        return None if found is None or found.state == "unknown" else found


def _begin(name: str) -> _Task:
    """Find out what ``name`` means here: a release, else an operation's own name."""
    cluster, namespace = client.connect(), helm.namespace()
    resources = leftovers.kinds(cluster)
    for selector in live.selectors(name):
        swept = leftovers.look(cluster, namespace, selector, resources)
        if swept.found:
            release = live.only_release([found.manifest for found in swept.found], name)
            return _task(cluster, namespace, release, selector, resources)
    task = _task(cluster, namespace, name, live.selectors(name)[0], resources)
    if task.recorded() is None:
        msg = f'no operation "{name}" in namespace "{namespace}": there is nothing to cancel'
        raise errors.BadInputError(msg)
    return task


def _task(cluster: Client, namespace: str, release: str, selector: str, resources: Sequence[Resource]) -> _Task:
    return _Task(client=cluster, namespace=namespace, release=release, selector=selector, resources=resources)


def _refuse_owned(task: _Task, name: str) -> None:
    swept = task.look()
    if swept.unseen:
        console.say(f"kinds that you may not list are left out: {', '.join(sorted(swept.unseen))}")
    owner = ownership.find(found.manifest for found in swept.found)
    if owner is not None:
        msg = f'operation "{name}" belongs to {owner.name}, which would make it again: {owner.remedy}'
        raise errors.RefusedError(msg)


def _uninstall(task: _Task, timeout: float) -> None:
    """Let Helm delete what its record holds; where it cannot, delete by label first and try again without hooks."""
    record = task.recorded()
    if record is None:
        console.say(f"Helm has no record of {task.release}: deleting by label")
        return
    console.say(f"uninstalling {task.release} ({record.state}, revision {record.revision})")
    try:
        helm.capture(["uninstall", task.release, "--timeout", f"{max(1, int(timeout))}s"])
    except helm.HelmError as error:
        console.say(f"helm uninstall failed ({error.said}); deleting by label, then once more without hooks")
        _sweep(task)
        _uninstall_without_hooks(task)


def _uninstall_without_hooks(task: _Task) -> None:
    if task.recorded() is None:
        return
    try:
        helm.capture(["uninstall", task.release, "--no-hooks"])
    except helm.HelmError as error:
        msg = (
            f"helm uninstall {task.release} failed twice: {error.said}; what carries the operation's labels is being "
            "deleted, and Helm's record is kept, since it may name more: try again, or delete that record (kubectl "
            f"delete secret -n {task.namespace} -l owner=helm,name={task.release})"
        )
        raise errors.OperationFailedError(msg) from error


def _sweep(task: _Task) -> None:
    leftovers.delete(task.client, task.namespace, task.look().found)


def _wait(task: _Task, deadline: float) -> bool:
    """Wait until nothing is left, deleting what turns up meanwhile. All kinds are looked at again at the end."""
    talk = _Talk()
    resources: Sequence[Resource] = task.resources
    while True:
        found = task.look(resources).found
        if not found and task.recorded() is None:
            if resources is task.resources:
                return True
            resources = task.resources
            continue
        resources = sorted({one.resource for one in found}) or task.resources
        leftovers.delete(task.client, task.namespace, found)
        talk.about(found)
        if time.monotonic() > deadline:
            raise errors.DeadlineError(_left(task, found))
        time.sleep(_POLL_SECONDS)


class _Talk:
    """Says what is still there when that changes, and now and then what holds it."""

    def __init__(self) -> None:
        self._last = ""
        self._next_reasons = time.monotonic() + _SAY_EVERY_SECONDS

    def about(self, found: Sequence[Leftover]) -> None:
        text = _summary(found)
        if text != self._last:
            console.say(f"waiting for {text}")
            self._last = text
        if time.monotonic() > self._next_reasons:
            self._next_reasons = time.monotonic() + _SAY_EVERY_SECONDS
            for line in _reasons(found):
                console.say(f"  {line}")


def _summary(found: Sequence[Leftover]) -> str:
    counts: dict[str, int] = {}
    for one in found:
        counts[one.resource.kind] = counts.get(one.resource.kind, 0) + 1
    return ", ".join(f"{count} {kind}" for kind, count in sorted(counts.items())) or "Helm's record"


def _reasons(found: Sequence[Leftover]) -> list[str]:
    lines = [leftovers.reason(one) for one in found]
    more = len(lines) - _SHOWN
    return lines[:_SHOWN] + ([f"and {more} more"] if more > 0 else [])


def _left(task: _Task, found: Sequence[Leftover]) -> str:
    held = _reasons(found) or [f"Helm's record of {task.release}"]
    return "\n".join([f"the time is over and {_summary(found)} of {task.release} is still there:", *held])


def _report(task: _Task, *, output: str, gone: bool) -> None:
    kept = [found.name for found in leftovers.kept_claims(task.client, task.namespace, task.release)]
    names = sorted({*kept, *task.kept.values()})
    if output == "json":
        document = {"apiVersion": constants.API_VERSION, "kind": "Cancellation", "name": task.release}
        counts = {"namespace": task.namespace, "gone": gone, "deleted": len(task.seen), "kept": names}
        console.write(json.dumps(document | counts, indent=2))
        return
    ending = "nothing is left" if gone else "what is left is being deleted"
    console.write(f"cancelled {task.release}: {len(task.seen)} objects, {ending}")
    for name in names:
        console.write(f"kept by rule: {name}; delete it yourself if its data is not needed")
