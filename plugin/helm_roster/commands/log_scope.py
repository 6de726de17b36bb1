"""Which logs ``helm roster logs`` reads, and how it asks for them."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final
from urllib.parse import urlencode

from helm_roster import errors
from helm_roster.cluster import leftovers, live
from helm_roster.cluster.client import PODS, Client
from helm_roster.commands.observing import Observer
from helm_roster.manifests.walk import Manifest
from helm_roster.model import nearest
from helm_roster.policy import logs
from helm_roster.policy.logs import Target
from helm_roster.report import console, texts

# Of several logs, as kubectl does.
_TAIL_OF_MANY: Final = 10
_FRACTION: Final = re.compile(r"\.\d+")


@dataclass(frozen=True, kw_only=True)
class Wanted:
    """What of the logs is wanted.

    ``tail`` is lines from the end (None: all of one log, 10 of each of several; -1: all), ``since`` seconds (None: no
    bound), ``most`` pods.
    """

    groups: tuple[str, ...] = ()
    container: str = ""
    everything: bool = False
    previous: bool = False
    tail: int | None = None
    since: float | None = None
    most: int = 50

    def query(self, target: Target, *, several: bool, follow: bool = False) -> str:
        """Return the query for a target's log; of ``several``, less of each."""
        tail = self.tail if self.tail is not None else (_TAIL_OF_MANY if several else -1)
        fields: dict[str, object] = {"container": target.container, "timestamps": "true"}
        fields |= {"tailLines": tail} if tail >= 0 else {}
        fields |= {"sinceSeconds": max(1, math.ceil(self.since))} if self.since is not None else {}
        fields |= {"previous": "true"} if self.previous else {}
        return urlencode(fields | ({"follow": "true"} if follow else {}))


def query_of_what_follows(target: Target, last: bytes) -> str:
    """Return the query for what a target's log goes on with after the line of that time; from its begin without one.

    The API takes whole seconds, so the last lines come again.
    """
    fields = {"container": target.container, "timestamps": "true", "follow": "true"}
    if last:
        fields["sinceTime"] = _FRACTION.sub("", last.decode())
    return urlencode(fields)


class Scope:
    """The pods whose logs are wanted, as they are now."""

    def __init__(self, observer: Observer, wanted: Wanted) -> None:
        self.observer, self.wanted = observer, wanted
        self.selector = self._find()
        self._told_of_more = False

    @property
    def client(self) -> Client:
        """Return the way to the API server."""
        return self.observer.client

    def path(self, target: Target, query: str) -> str:
        """Return the path of a target's log."""
        return f"{PODS.path(self.observer.namespace, target.pod)}/log?{query}"

    def look(self) -> list[Target]:
        """Return the containers whose logs are wanted, of at most as many pods as are wanted."""
        found = self.pods()
        made = logs.targets(found, container=self.wanted.container, everything=self.wanted.everything)
        if self.wanted.container and found and not made:
            self._refuse_container(found)
        uids = list(dict.fromkeys(target.uid for target in made))
        if len(uids) > self.wanted.most and not self._told_of_more:
            self._told_of_more = True
            console.say(f"{len(uids)} pods: those of the first {self.wanted.most} are shown; name a group, or --max")
        shown = set(uids[: self.wanted.most])
        return [target for target in made if target.uid in shown]

    def present(self, found: Sequence[Target]) -> list[Target]:
        """Return those of which there is a log; say of the others why not."""
        why = {target.key: _absent(target, previous=self.wanted.previous) for target in found}
        for line in texts.few_lines([f"{target.label}: {why[target.key]}" for target in found if why[target.key]]):
            console.say(line)
        if not found:
            console.say("there are no pods")
        return [target for target in found if not why[target.key]]

    def pods(self) -> list[Manifest]:
        """Return the pods of the groups that are wanted."""
        found = self.client.select(PODS, self.observer.namespace, labels=self.selector)
        return logs.of_groups(found, self.wanted.groups)

    def are_over(self) -> bool:
        """Return whether no pod runs and none will come."""
        workloads = live.workloads(self.client, self.observer.namespace, self.selector)
        return logs.are_over(self.pods(), logs.of_groups(workloads, self.wanted.groups))

    def is_lost(self, target: Target) -> bool:
        """Return whether the node of a target's pod is gone or not ready."""
        return leftovers.node_state(self.client, target.node) in {"gone", "not ready"}

    def _find(self) -> str:
        """Return the selector that finds the operation; refuse groups that it has not."""
        look = self.observer.look()
        if look is None:
            raise errors.BadInputError(self.observer.unknown())
        known = sorted(look.observed.live.groups)
        for group in self.wanted.groups:
            if group not in known:
                there = f"{', '.join(known) or 'none yet'}{nearest.hint(group, known)}"
                msg = f'operation "{self.observer.name}" has no group "{group}"; it has {there}'
                raise errors.BadInputError(msg)
        by_release, by_name = live.selectors(self.observer.name)
        return by_release if look.observed.release == self.observer.name else by_name

    def _refuse_container(self, found: Sequence[Manifest]) -> None:
        asked, known = self.wanted.container, logs.containers(found)
        msg = f'no pod has a container "{asked}"; there are {", ".join(known)}{nearest.hint(asked, known)}'
        raise errors.BadInputError(msg)


def _absent(target: Target, *, previous: bool) -> str:
    if previous:
        return "" if target.has_previous else f"container {target.container} was not restarted"
    return f"container {target.container} has not begun: {target.why}" if target.state == "waiting" else ""
