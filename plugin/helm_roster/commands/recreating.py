"""The restart of gangs after an upgrade: all old pods of all members are deleted at once, and followed to the end.

Deleting needs no feature gate and no change of a manifest, and holds on every API server; a StatefulSet that may lose
all of its pods at once (``maxUnavailable: 100%``) would do the same where the server knows that field. Of replicas that
span pods the StatefulSet of the leaders is deleted, with all that it owns: pods that are deleted alone are made anew
from the old template until those of the last replica are ready (measured on LeaderWorkerSet 0.9.0). Who is interrupted
says ``upgrade --recreate`` again: what is old, the pods themselves tell.
"""

from __future__ import annotations

import contextlib
import dataclasses
import time
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from helm_roster import errors
from helm_roster.backend_base import SETTLED
from helm_roster.cluster import capabilities, client, leftovers
from helm_roster.cluster.capabilities import ResourceAttributes
from helm_roster.cluster.client import PODS, SPANNING, STATEFUL_SETS
from helm_roster.cluster.leftovers import Leftover
from helm_roster.commands import against, options
from helm_roster.commands.against import Running
from helm_roster.commands.observing import Look, Observer
from helm_roster.commands.outages import POLL_SECONDS, OutageError
from helm_roster.commands.regrouped import Regrouped, aims
from helm_roster.constants import RECREATE
from helm_roster.helm import flags
from helm_roster.manifests.walk import Manifest
from helm_roster.model.live import LiveGroup
from helm_roster.model.plan import Plan, TemplatePath
from helm_roster.policy import pods, restarting, waiting
from helm_roster.policy.restarting import Aim
from helm_roster.policy.waiting import Outcome, State, Waiting
from helm_roster.render import pipeline
from helm_roster.report import console, texts, wait_talk

# Helm's own waiting, which would not end before the pods that only we delete are gone; it also takes the upgrade back.
_WAITS: Final = ("--wait", "--wait-for-jobs", "--atomic", "--rollback-on-failure")
_HOOKS_ONLY: Final = "hookOnly"
_DELETE: Final = {ResourceAttributes(group="", plural=PODS.plural, namespaced=True): ("delete",)}
_DELETE_SETS: Final = {ResourceAttributes(group="apps", plural=STATEFUL_SETS.plural, namespaced=True): ("delete",)}


def prepare(release: str, helm_args: Sequence[str]) -> Following | None:
    """Return what follows the upgrade; None where Helm only tries it.

    Raises:
        UsageError: Helm is asked to wait.
        OperationFailedError: Helm's record of the release cannot be read, so nothing tells what has to be restarted.
    """
    if waits := waiting_flags(helm_args):
        msg = (
            f"{RECREATE} deletes pods once Helm is done, and with {waits[0]} Helm would wait for new ones before: "
            f"leave {waits[0]} out, {RECREATE} waits itself (--timeout bounds it)"
        )
        raise errors.UsageError(msg)
    timeout = options.timeout_of(helm_args)
    if flags.is_dry_run(helm_args):
        return None
    return Following(release, timeout, against.running(release))


def waiting_flags(helm_args: Sequence[str]) -> list[str]:
    """Return the flags by which Helm itself waits until all pods are ready."""
    waits = [flag.name for flag in flags.read(helm_args) if flag.name in _WAITS]
    return [name for name in waits if flags.has(helm_args, name) and flags.value(helm_args, name) != _HOOKS_ONLY]


class Following:
    """The restart of the gangs of a release: planned by the checks before the upgrade, run after it.

    ``held`` is what runs of the release; None where there is none yet.
    """

    def __init__(self, release: str, timeout: float, held: Running | None) -> None:
        self.release, self._timeout, self.held = release, timeout, held
        self._gangs: Sequence[str] = ()
        self._aims: Mapping[str, Aim] = {}
        self._memberships: Sequence[TemplatePath] = ()

    def plan(self, found: Regrouped, plan: Plan) -> None:
        """Take up what has to be restarted.

        Raises:
            RefusedError: The pods may not be seen or deleted.
        """
        if not found.restarts:
            return
        spanning = any(plan.workloads[aim.group].get("kind") == SPANNING.kind for aim in aims(found, plan))
        wanted = _DELETE | (_DELETE_SETS if spanning else {})
        denied = capabilities.denied(client.connect(), plan.operation.namespace, wanted)
        if denied or found.observed is None:
            msg = f"{RECREATE} lists and deletes pods, and you may not {denied[0] if denied else 'list all of them'}"
            raise errors.RefusedError(msg)
        self._gangs = list(dict.fromkeys(restart.gang for restart in found.restarts))
        self._aims = {aim.group: aim for aim in aims(found, plan)}
        self._memberships = pipeline.backend_of(plan.operation).MEMBERSHIPS

    @contextlib.contextmanager
    def interruptible(self) -> Iterator[None]:
        """Say how to go on where somebody interrupts the block."""
        try:
            yield
        except KeyboardInterrupt:
            if self._gangs:
                console.say(console.as_called(f"where old pods are left, {self._again()} goes on"))
            raise

    def run(self) -> None:
        """Delete the old pods until none is left, and return when enough new ones are placed.

        Raises:
            OperationFailedError: They cannot be placed any more, or the cluster refuses.
            DeadlineError: The time is over; what holds them is told.
            CancelledError: The operation was deleted meanwhile.
        """
        if not self._gangs:
            console.say(f"{RECREATE}: no gang has to be restarted, so this was an ordinary upgrade")
            return
        task = _Restart(self._aims, self._memberships, Observer(self.release))
        started = time.monotonic()
        what = f"gang {', '.join(self._gangs)} of {self.release}"
        with wait_talk.progress(f"restarting {what}, at most {wait_talk.duration(self._timeout)}", "placed") as tell:
            while (outcome := task.look()).state == "waiting":
                # While old pods are left, counts are of those: they would read as if nothing had to be done.
                tell(dataclasses.replace(outcome, health=None) if task.left else outcome, task.status)
                if time.monotonic() > started + self._timeout:
                    raise errors.DeadlineError("\n".join(self._late(task, what)))
                time.sleep(POLL_SECONDS)
        if outcome.state == "failed":
            causes = texts.few_lines([wait_talk.cause(fault) for fault in outcome.faults])
            raise errors.OperationFailedError("\n".join([f"{what} will not be placed: {causes[0]}", *causes[1:]]))
        if outcome.state != "reached":
            msg = f"{self.release} was deleted while its gang was restarted"
            raise errors.CancelledError(msg)
        console.say(f"{what} is placed anew (after {wait_talk.duration(time.monotonic() - started)})")

    def _late(self, task: _Restart, what: str) -> list[str]:
        causes, left = task.causes(), task.left
        way_out = f"helm roster wait {self.release} --for placed waits on"
        way_out = f"{self._again()} goes on with it" if left else way_out
        return [f"the time is over and {what} is not placed anew ({way_out}):", *texts.few_lines(causes)]

    def _again(self) -> str:
        return f"helm roster upgrade {self.release} with the same values and {RECREATE}"


class _Restart:
    """One restart: what was seen last, and how it is."""

    def __init__(self, aims_: Mapping[str, Aim], memberships: Sequence[TemplatePath], observer: Observer) -> None:
        self._aims, self._memberships, self._observer = aims_, memberships, observer
        self._waiting = Waiting(goal="placed")
        self._seen: Look | None = None
        self._outcome = Outcome(state="waiting")
        self._outage = ""

    def status(self) -> dict[str, Any] | None:
        """Return what was seen last as ``status`` has it."""
        return self._seen.status if self._seen else None

    def look(self) -> Outcome:
        """Look once, delete the old pods that nobody deletes yet, and return how the members are."""
        try:
            self._seen = self._observer.look()
            self._outcome = self._judge(self._seen)
            if self._outcome.state == "waiting":
                self._observer.bear(self._delete)
            self._outage = ""
        except OutageError as error:
            self._outage = str(error)
            return dataclasses.replace(self._outcome, state="waiting")
        return self._outcome

    @property
    def left(self) -> list[Manifest]:
        """Return the old pods that are there."""
        return [pod for group, aim in self._members() for pod in restarting.old_pods(group, aim, self._memberships)]

    def causes(self) -> list[str]:
        """Return what holds it, a line each."""
        if self._outage:
            return [self._outage]
        cluster, namespace = self._observer.client, self._observer.namespace
        left = [Leftover(resource=PODS, manifest=pod) for pod in self.left]
        health, old = self._outcome.health, self._outcome.old
        groups = waiting.lacking(health, "placed") if health else []
        said = [one for one in self._seen.decisions if one.state not in SETTLED] if self._seen else []
        return [
            *(leftovers.reasons(cluster, namespace, left) if left else ()),
            *(text for group in groups for text in wait_talk.lacking(group, "placed", old.get(group.name, 0))),
            *(f'gang "{one.gang}", {one.group}: {one.message}' for one in said if one.group in self._aims),
        ]

    def _members(self) -> list[tuple[LiveGroup, Aim]]:
        groups = self._seen.observed.live.groups if self._seen else {}
        return [(groups[name], aim) for name, aim in self._aims.items() if name in groups]

    def _judge(self, seen: Look | None) -> Outcome:
        found = self._waiting.judge(seen.seen if seen else None, time.monotonic())
        if found.health is None or found.state in {"cancelled", "absent"}:
            return Outcome(state="cancelled")
        members = self._members()
        done = len(members) == len(self._aims) and all(
            restarting.is_done(group, aim, self._memberships) for group, aim in members
        )
        faults = tuple(fault for fault in found.faults if not fault.group or fault.group in self._aims)
        health = dataclasses.replace(
            found.health, groups=tuple(group for group in found.health.groups if group.name in self._aims)
        )
        state: State = "reached" if done else "failed" if faults else "waiting"
        return dataclasses.replace(found, state=state, health=health, faults=faults)

    def _delete(self) -> None:
        found = {}
        for group, aim in self._members():
            for pod in restarting.old_pods(group, aim, self._memberships):
                if not pods.is_terminating(pod) and (one := restarting.to_delete(group.workload, pod)):
                    found[one.uid] = one
        kinds = {resource.kind: resource for resource in (PODS, STATEFUL_SETS)}
        for uid, one in found.items():
            self._observer.client.delete(kinds[one.kind], self._observer.namespace, one.name, uid=uid)
