"""``helm roster suspend`` and ``resume``: give an operation's quota back without deleting it, and ask for it again.

As JSON: ``{"apiVersion": "helm-roster.dev/v1alpha1", "kind": "Suspension", "name", "namespace", "suspended", "done",
"groups", "causes"}``. ``suspended`` is what was asked for; ``done`` whether it is so: no pod runs, or all is admitted
(false with ``--no-wait``, where it may still become so, and where what is not suspended waits for quota). ``groups``
are ``[{name, by, replicas}]``: ``by`` is ``queue`` where a group is kept out as a whole, ``replicas`` where it is
scaled to 0 and back, ``none`` where nothing admits it and it stays as it is; ``replicas`` is how many it has when it is
resumed. ``causes`` says, a line each, what was waited for when the time was over.
"""

from __future__ import annotations

import time
from typing import Any, Final

from helm_roster import constants, errors
from helm_roster.backend_base import Unit
from helm_roster.cluster.live import Observed
from helm_roster.commands import ending, suspending
from helm_roster.commands.observing import Look, Observer
from helm_roster.commands.outages import POLL_SECONDS, OutageError, Outages
from helm_roster.commands.suspending import Suspension
from helm_roster.model.live import LiveGroup
from helm_roster.model.wording import agreed, counted, few
from helm_roster.policy import grouping, ownership
from helm_roster.report import console, texts

_PENDING: Final = "pending-"
_WORDS: Final = {True: "suspended", False: "resumed"}


def run(name: str, *, off: bool, timeout: float, wait: bool, output: str) -> None:
    """Suspend (``off``) or resume the operation whose release (or which itself) is called ``name``.

    Without ``wait`` it returns as soon as all is asked for, which may take a look or two: what is not there yet, or is
    changed by others at the same time, cannot be told.

    Raises:
        BadInputError: Nothing by that name is in the namespace.
        RefusedError: Nothing of it is admitted by a queue, or GitOps or Helm is at work on it, or you may not.
        DeadlineError: The time is over and it is not so; what it waits for is told.
        CancelledError: It was deleted meanwhile.
    """
    observer = Observer(name)
    seen = observer.look()
    if seen is None:
        raise errors.BadInputError(observer.unknown())
    _refuse(name, seen.observed, off=off)
    task = _Task(observer, seen, off=off)
    task.first.refuse_forbidden()
    if not task.is_needed:
        _report(task, output, done=off or not task.waits(task.first), waited=False)
        return
    done = task.go(timeout, wait=wait)
    _report(task, output, done=done, waited=wait)


def _refuse(name: str, observed: Observed, *, off: bool) -> None:
    ending.refuse_observed(name, observed)
    verb, record = "suspend" if off else "resume", observed.record
    workloads = [group.workload for group in observed.live.groups.values() if group.workload]
    owner = ownership.find(workloads)
    if owner is not None:
        msg = f'operation "{name}" belongs to {owner.name}, which would set counts back: {verb} it there'
        raise errors.RefusedError(msg)
    if observed.release != name and record is not None:
        msg = f'no release "{name}"; the operation of that name belongs to release {observed.release}: {verb} that'
        raise errors.RefusedError(msg)
    if record is not None and record.state.startswith(_PENDING):
        msg = f"{name} is in {record.state}: another Helm works on it, or was killed in the midst: wait, or cancel it"
        raise errors.RefusedError(msg)


class _Task:
    """One suspension or resumption, look after look; ``is_asked`` once all that is to know of it was told."""

    def __init__(self, observer: Observer, seen: Look, *, off: bool) -> None:
        self.observer, self.off, self._seen = observer, off, seen
        self.first = Suspension(observer.client, seen.observed.live)
        self.release = observer.release or observer.name
        self.left: list[str] = []
        self.is_asked = False
        # Of its own: while a webhook is away nothing can be changed, and everything be read.
        self._changes = Outages(answered=True)
        if not self.first.units:
            raise errors.RefusedError(self._nothing())
        self.is_needed = not self.first.is_over if off else self.first.is_under_way

    def _nothing(self) -> str:
        """Return that there is nothing that a queue admits."""
        told = f"nothing of {self.release} is admitted by a queue (scheduling.admission), or it is over"
        return f"{told}: scale its groups to 0 (helm roster scale), or cancel it" if self.off else told

    def go(self, timeout: float, *, wait: bool) -> bool:
        """Do it, and look until it is so; return whether it is.

        Raises:
            CancelledError: It was deleted meanwhile.
        """
        deadline, is_first = time.monotonic() + timeout, True
        while True:
            began, said = time.monotonic(), self.left
            try:
                if not is_first:
                    self._look()
                self.left = self._step()
            except OutageError as error:
                self.left = [str(error)]
            # What was read first is from before anything was done, so it never tells that all is so.
            if not self.left and not is_first:
                return True
            if (self.is_asked and not wait) or time.monotonic() > deadline:
                return False
            if self.left != said:
                for line in texts.few_lines(self.left):
                    console.say(f"  {line}")
            is_first = False
            time.sleep(max(0, began + POLL_SECONDS - time.monotonic()))

    def _look(self) -> None:
        seen = self.observer.look()
        if seen is None:
            msg = f"{self.release} was deleted meanwhile"
            raise errors.CancelledError(msg)
        self._seen = seen

    def _step(self) -> list[str]:
        """Do what is left to do, and return what that is, in words."""
        task = self.observer.bear(lambda: Suspension(self.observer.client, self._seen.observed.live))
        self.is_asked = False
        self.is_asked = not self._changes.bear(task.suspend if self.off else task.resume)
        if self.off:
            return task.runs_on()
        return self.waits(task)

    def waits(self, task: Suspension) -> list[str]:
        """Return what of it is not let in, with why, as the last look found it."""
        waits = suspending.is_let_in(self._seen, [group.name for group in task.groups])
        return [f"{name}: {text}" for name, text in waits.items()]

    def document(self, *, done: bool, late: bool) -> dict[str, Any]:
        """Return the result, ready for ``json.dumps``."""
        groups = [_entry(unit, group) for unit in self.first.units for group in self.first.groups
                  if group.name in unit.groups]  # fmt: skip
        groups += [_entry(None, self.first.group(name)) for name in self.first.besides]
        return {
            "apiVersion": constants.API_VERSION,
            "kind": "Suspension",
            "name": self.release,
            "namespace": self.observer.namespace,
            "suspended": self.off,
            "done": done,
            "groups": sorted(groups, key=lambda entry: str(entry["name"])),
            "causes": self.left if late else [],
        }


def _entry(unit: Unit | None, group: LiveGroup) -> dict[str, Any]:
    before = suspending.mark_of(group.workload)
    replicas = grouping.wanted(group) or (int(before) if before.isdigit() else 0)
    by = "none" if unit is None else "queue" if unit.kind else "replicas"
    return {"name": group.name, "by": by, "replicas": replicas}


def _report(task: _Task, output: str, *, done: bool, waited: bool) -> None:
    late = not done and task.is_needed and (waited or not task.is_asked)
    document = task.document(done=done, late=late)
    if output != "table":
        console.document(document, output)
    elif not late:
        console.write("\n".join(_lines(task, document)))
    if late:
        raise errors.DeadlineError("\n".join(_late(task)))


def _late(task: _Task) -> list[str]:
    word = "suspended" if task.off else "admitted"
    first = f"the time is over and {task.release} is not {word} yet (helm roster status tells more):"
    return [first, *texts.few_lines(task.left)]


def _lines(task: _Task, document: dict[str, Any]) -> list[str]:
    """Return the result for people."""
    if not task.is_needed:
        return [f"{document['name']} is {'suspended already: no pod of it runs' if task.off else 'not suspended'}"]
    by = {
        word: [entry for entry in document["groups"] if entry["by"] == word] for word in ("queue", "replicas", "none")
    }
    ended = "no pod of it runs" if task.off else "all of it is admitted"
    told = [f"{_WORDS[task.off]} {document['name']}: {ended if document['done'] else 'it may take some time'}"]
    if names := [entry["name"] for entry in by["queue"]]:
        told.append(f"by its queue: {few(names, 8)}")
    for entry in by["replicas"]:
        count = counted(entry["replicas"], "replica")
        told.append(f"{entry['name']}: scaled to 0, and back to {count} by resume" if task.off
                    else f"{entry['name']}: {count} again")  # fmt: skip
    if task.off and (names := [entry["name"] for entry in by["none"]]):
        told.append(
            f"{few(names, 8)} {agreed(len(names), 'run')} on: nothing admits {'it' if len(names) == 1 else 'them'}"
        )
    return told
