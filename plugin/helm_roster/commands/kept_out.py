"""An upgrade of an operation that is suspended: it stays so, unless its gangs are restarted.

Helm brings back the replicas of groups that were scaled to none, and a gang that changed has another object at its
queue: both are suspended again once Helm is done.
"""

from __future__ import annotations

from collections.abc import Sequence

from helm_roster import errors
from helm_roster.cluster import client, live
from helm_roster.commands import recreating, suspending
from helm_roster.commands.suspending import Suspension
from helm_roster.constants import RECREATE
from helm_roster.helm import run as helm
from helm_roster.report import console


class KeptOut:
    """What an upgrade has to know of a suspension; ``starts`` where it restarts gangs, and so ends it."""

    def __init__(self, release: str, helm_args: Sequence[str], *, starts: bool) -> None:
        self._release, self._args, self._starts = release, helm_args, starts
        self._is_suspended = False

    def before(self) -> None:
        """Look whether it is suspended, and whether it could be again.

        Raises:
            RefusedError: Helm is asked to wait for pods that are kept out; or you may not keep them out again, or let
                them in, which comes after Helm.
        """
        cluster, namespace = client.connect(), helm.namespace()
        workloads = live.workloads(cluster, namespace, live.selectors(self._release)[0])
        self._is_suspended = suspending.is_marked(workloads)
        if not self._is_suspended:
            return
        if self._starts:
            console.say(f"{self._release} is suspended: {RECREATE} starts it again")
        elif waits := recreating.waiting_flags(self._args):
            msg = (
                f"{self._release} is suspended, and with {waits[0]} Helm would wait for pods that are kept out: leave "
                f"{waits[0]} out, or resume it first (helm roster resume {self._release})"
            )
            raise errors.RefusedError(msg)
        if (observed := live.observe(cluster, namespace, self._release)) is not None:
            Suspension(cluster, observed.live).refuse_forbidden(restarts=self._starts)

    def after(self) -> None:
        """Suspend again what Helm let in, or forget the suspension where the gangs are restarted."""
        if not self._is_suspended:
            return
        cluster = client.connect()
        observed = live.observe(cluster, helm.namespace(), self._release)
        if observed is None:
            return
        task = Suspension(cluster, observed.live)
        for line in task.resume() if self._starts else task.suspend():
            again = f"helm roster {'resume' if self._starts else 'suspend'} {self._release}"
            console.say(f"warning: {line}: {console.as_called(again)}")
        if not self._starts:
            task.forget()
            again = console.as_called(f"helm roster resume {self._release}")
            console.say(f"{self._release} stays suspended: {again} has it admitted again")
