"""``helm roster wait``: return when an operation is ready, placed, complete or gone, or cannot become so any more.

As JSON: ``{"apiVersion": "helm-roster.dev/v1alpha1", "kind": "Wait", "name", "namespace", "for", "outcome", "seconds",
"causes", "unseen"}``. ``outcome`` is ``reached`` (exit code 0), ``failed`` (4), ``timeout`` (5) or ``cancelled`` (6: it
was deleted while something else of it was waited for); ``causes`` says, a line each, why it was not reached; ``unseen``
are the kinds that you may not list, where it was waited for to be gone: of those something may be left.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from helm_roster import constants, errors
from helm_roster.cluster import leftovers
from helm_roster.cluster.client import PODS
from helm_roster.cluster.leftovers import Leftover, Sweep
from helm_roster.commands.observing import Look, Observer
from helm_roster.commands.outages import OutageError
from helm_roster.constants import Goal
from helm_roster.policy import waiting
from helm_roster.policy.waiting import Outcome, Waiting
from helm_roster.report import console, texts, wait_talk

_POLL_SECONDS: Final = 1.0
_EXITS: Final = {
    "failed": errors.OperationFailedError,
    "timeout": errors.DeadlineError,
    "cancelled": errors.CancelledError,
}


def run(name: str, *, goal: Goal, timeout: float, restarts: int = constants.RESTARTS, output: str = "table") -> None:
    """Wait for the operation whose release (or which itself) is called ``name``.

    Args:
        name: The release's name, or the operation's.
        goal: What is waited for; when that is so, and what ends the wait before: ``policy.waiting``.
        timeout: Seconds; with 0 it looks once.
        restarts: How often a container may be started again before a crash loop counts as a failure.
        output: ``table`` (a line), ``json`` or ``yaml``.

    Raises:
        BadInputError: Nothing by that name is in the namespace.
        RefusedError: A service is waited for to be complete.
        OperationFailedError: It cannot become so any more; or the cluster refuses.
        DeadlineError: The time is over.
        CancelledError: It was deleted meanwhile, and something else was waited for.
    """
    task = _Task(observer=Observer(name), waiting=Waiting(goal=goal, restarts=restarts))
    started = began = time.monotonic()
    with wait_talk.progress(wait_talk.title(name, goal, timeout), goal) as tell:
        while True:
            outcome = task.look(began)
            if outcome == "waiting" or (began > started and outcome in {"reached", "failed"}):
                tell(task.outcome, task.status)
            if outcome != "waiting":
                break
            left = started + timeout - time.monotonic()
            if left <= 0:
                outcome = "timeout"
                break
            time.sleep(min(left, max(_POLL_SECONDS, time.monotonic() - began)))
            began = time.monotonic()
    _report(task, outcome, time.monotonic() - started, output)


@dataclass(kw_only=True)
class _Task:
    """One wait: what was seen last, and what is still there of an operation that is waited for to be gone."""

    observer: Observer
    waiting: Waiting
    seen: Look | None = None
    outcome: Outcome = field(default_factory=lambda: Outcome(state="waiting"))
    left: Sequence[Leftover] = ()
    unseen: Sequence[str] = ()
    outage: str = ""
    _claimants: set[str] = field(default_factory=set)

    def status(self) -> dict[str, object] | None:
        """Return what was seen last as ``status`` has it."""
        return self.seen.status if self.seen else None

    def look(self, now: float) -> str:
        """Look once; return the outcome's state."""
        try:
            self.seen = self.observer.look()
            self._claimants |= self._with_claims()
            self.outcome = self.waiting.judge(self.seen.seen if self.seen else None, now)
            self.left = self._left() if self.outcome.state == "reached" and self.waiting.goal == "deleted" else ()
            self._refuse()
        except OutageError as error:
            self.outage = str(error)
            return "waiting"
        self.outage = ""
        return "waiting" if self.left else self.outcome.state

    def _left(self) -> Sequence[Leftover]:
        """Return what is left of the operation, over every kind that the cluster serves."""
        cluster, namespace = self.observer.client, self.observer.namespace

        def everything() -> Sweep:
            kinds = leftovers.kinds(cluster)
            looks = [leftovers.look(cluster, namespace, by, kinds) for by in self.observer.selectors]
            found = [one for look in looks for one in look.found if not one.is_kept]
            found += leftovers.ending_claims(cluster, namespace, self.observer.release or self.observer.name)
            found += leftovers.of_pods(cluster, namespace, kinds, self._claimants) if self._claimants else []
            return Sweep(
                found=list({one.uid: one for one in found}.values()),
                unseen=sorted({name for look in looks for name in look.unseen}),
            )

        swept = self.observer.bear(everything)
        self.unseen = swept.unseen
        return swept.found

    def _with_claims(self) -> set[str]:
        """Return the uids of the pods for which Kubernetes made claims, which bear no label of theirs."""
        objects = self.seen.observed.objects if self.seen else ()
        found = [Leftover(resource=PODS, manifest=one) for one in objects if one.get("kind") == PODS.kind]
        return {one.uid for one in found if leftovers.has_claims(one)}

    def _refuse(self) -> None:
        if self.outcome.state == "absent":
            raise errors.BadInputError(self.observer.bear(self.observer.unknown))
        if self.outcome.state == "reached" and self.observer.release is None:
            console.say(self.observer.bear(self.observer.unknown))
        found, name = self.outcome.health, self.observer.name
        if self.waiting.goal == "complete" and found and found.kind != "job" and any(g.workload for g in found.groups):
            msg = f'operation "{name}" is a {found.kind}, which never completes: wait for ready'
            raise errors.RefusedError(msg)

    def causes(self, outcome: str) -> list[str]:
        """Return why it was not reached."""
        if outcome == "failed":
            return [wait_talk.cause(fault) for fault in self.outcome.faults]
        if outcome != "timeout":
            return []
        if self.outage:
            return [self.outage]
        if self.left:
            return self._holders(self.left)
        found, goal, old = self.outcome.health, self.waiting.goal, self.outcome.old
        groups = waiting.lacking(found, goal) if found else []
        told = (text for group in groups for text in wait_talk.lacking(group, goal, old.get(group.name, 0)))
        return [*self._helm(), *told]

    def _holders(self, left: Sequence[Leftover]) -> list[str]:
        """Return what holds what is left; that the cluster does not answer, where it does not."""
        cluster, namespace = self.observer.client, self.observer.namespace
        try:
            return self.observer.bear(lambda: leftovers.reasons(cluster, namespace, left))
        except OutageError as error:
            return [str(error)]

    def _helm(self) -> list[str]:
        record = self.seen.observed.record if self.seen else None
        if record is None or not record.state.startswith("pending-"):
            return []
        return [f"Helm says {record.state}: if no Helm works on it any more, cancel it or roll it back"]


def _report(task: _Task, outcome: str, seconds: float, output: str) -> None:
    """Print the result, and raise what leads to the exit code."""
    name, word = task.observer.name, wait_talk.WORDS[task.waiting.goal]
    causes = task.causes(outcome)
    if output != "table":
        document = {
            "apiVersion": constants.API_VERSION,
            "kind": "Wait",
            "name": name,
            "namespace": task.observer.namespace,
            "for": task.waiting.goal,
            "outcome": outcome,
            "seconds": round(seconds, 1),
            "causes": causes,
            "unseen": list(task.unseen),
        }
        console.document(document, output)
    elif outcome == "reached":
        console.write("\n".join(wait_talk.result(name, task.waiting.goal, seconds, task.unseen)))
    if outcome != "reached":
        raise _EXITS[outcome]("\n".join(_ended(name, word, outcome, texts.few_lines(causes))))


def _ended(name: str, word: str, outcome: str, causes: Sequence[str]) -> list[str]:
    if outcome == "cancelled":
        return [f"{name} was deleted while it was waited for to be {word}"]
    if outcome == "timeout":
        return [f"the time is over and {name} is not {word}{':' if causes else ''}", *causes]
    return [f"{name} will not be {word}: {causes[0]}", *causes[1:]]
