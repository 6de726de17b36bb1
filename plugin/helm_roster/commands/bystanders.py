"""Pods of others on places that a gang lost: looked for now and then, since that reads most pods of the cluster."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Final

from helm_roster.backend_base import Decision
from helm_roster.cluster.client import NODES, PODS, Client
from helm_roster.manifests.walk import Manifest
from helm_roster.model.live import Live
from helm_roster.policy import takers

_EVERY: Final = timedelta(seconds=30)
# Who holds a place: bound, and not over.
_BOUND: Final = "spec.nodeName!=,status.phase!=Succeeded,status.phase!=Failed"


class Bystanders:
    """Looks, at most every half minute, who took places that gangs had; never again where that may not be read."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self._placed: set[str] = set()
        self._asked: datetime | None = None
        self._told: Mapping[str, str] = {}
        self._is_forbidden = False

    def told(self, live: Live, decisions: Sequence[Decision], now: datetime) -> Sequence[Decision]:
        """Return the decisions, those on groups that lost places with who took such in their message."""
        lost = {} if self._is_forbidden else self._lost(live, decisions)
        if lost and (self._asked is None or now - self._asked >= _EVERY):
            self._asked, self._told = now, self._ask(live, lost)
        words = {group: text for group, text in self._told.items() if text and group in lost}
        return [
            one.replace(message="; ".join(filter(None, (one.message, words[one.group]))))
            if one.group in words and one.stage == "placement"
            else one
            for one in decisions
        ]

    def _lost(self, live: Live, decisions: Sequence[Decision]) -> Mapping[str, Sequence[Manifest]]:
        """Return, by group, the pods that wait of gangs which had all of their places once."""
        by_gang: dict[str, list[Decision]] = {}
        decisions = [decision for decision in decisions if decision.stage == "placement"]
        for decision in decisions:
            by_gang.setdefault(decision.gang, []).append(decision)
        self._placed |= {gang for gang, of in by_gang.items() if all(one.state == "placed" for one in of)}
        waits = {one.group for one in decisions if one.gang and one.state == "waiting"}
        before = self._placed | {one.gang for one in decisions if one.was_placed}
        held = takers.waiting(live) if waits else {}
        return {
            name: pods
            for name, pods in held.items()
            if name in waits
            and takers.may_be_told(pods)
            and (live.groups[name].gang in before or takers.has_survivors(live, live.groups[name].gang, pods))
        }

    def _ask(self, live: Live, lost: Mapping[str, Sequence[Manifest]]) -> Mapping[str, str]:
        nodes = self._client.select_if_allowed(NODES, "")
        found = None if nodes is None else self._client.select_if_allowed(PODS, "", fields=_BOUND)
        if nodes is None or found is None:
            self._is_forbidden = True
            return {}
        return {name: takers.told(live, held, found, nodes) for name, held in lost.items()}
