"""When others' pods are looked for that took a gang's places: seldom, and only where places were lost."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any, cast

import pytest

from helm_roster.backend_base import Decision, State
from helm_roster.cluster.client import Client, Resource
from helm_roster.commands.bystanders import Bystanders
from helm_roster.manifests.walk import Manifest

from tests.unit.policy import test_takers as make

BEGUN = datetime(2026, 1, 1, 12, tzinfo=UTC)
FOREIGN = make.pod("foreign", "n2", at="12:00:01")
WAITS = [make.pod("w-0", at="12:00:00"), make.pod("w-1", at="12:00:00")]
LOST = [make.pod("w-0", "n1", at="11:00:00"), make.pod("w-1", at="12:00:00")]
WORDS = "lately others took places on its nodes: team/foreign on n2"


class Cluster:
    """Answers lists of pods and nodes, and counts them."""

    def __init__(self, *forbidden: str) -> None:
        self.forbidden, self.asked = forbidden, list[str]()

    def select_if_allowed(self, resource: Resource, namespace: str, *, fields: str = "") -> list[Manifest] | None:
        """Return what there is in the whole cluster."""
        assert not namespace
        assert fields or resource.kind == "Node"
        self.asked.append(resource.plural)
        if resource.plural in self.forbidden:
            return None
        return make.NODES if resource.kind == "Node" else [FOREIGN]


def look(
    seen: Bystanders, pods: list[dict[str, Any]], *, at: float = 0, state: State = "waiting", before: bool = False
) -> str:
    decision = Decision(gang="step", group="worker", state=state, message="full", was_placed=before)
    (found,) = seen.told(make.live(*pods), [decision], BEGUN + timedelta(seconds=at))
    return found.message


def bystanders(cluster: Cluster) -> Bystanders:
    return Bystanders(cast("Client", cluster))


def test_a_gang_that_never_had_places_lost_none() -> None:
    cluster = Cluster()
    assert [look(bystanders(cluster), WAITS), cluster.asked] == ["full", []]


def test_a_gang_that_is_broken_asks_nothing() -> None:
    cluster = Cluster()
    assert [look(bystanders(cluster), LOST, state="broken"), cluster.asked] == ["full", []]


def test_a_gang_without_devices_asks_nothing() -> None:
    cluster = Cluster()
    held = [LOST[0], make.pod("w-1", at="12:00:00", gpu=False)]
    assert [look(bystanders(cluster), held), cluster.asked] == ["full", []]


def test_who_took_a_lost_place_is_named_behind_the_schedulers_words() -> None:
    assert look(bystanders(Cluster()), LOST) == f"full; {WORDS}"


@pytest.mark.parametrize("known", ["its objects tell", "it was seen"])
def test_a_gang_that_lost_all_places_had_some_before(known: str) -> None:
    seen = bystanders(Cluster())
    if known == "it was seen":
        look(seen, [make.pod("w-0", "n1"), make.pod("w-1", "n2")], state="placed")
    assert look(seen, WAITS, before=known == "its objects tell") == f"full; {WORDS}"


def test_a_gang_that_waits_for_long_asks_twice_a_minute_and_says_the_same_in_between() -> None:
    cluster = Cluster()
    seen = bystanders(cluster)
    assert {look(seen, LOST, at=half / 2) for half in range(120)} == {f"full; {WORDS}"}
    assert cluster.asked == ["nodes", "pods"] * 2


@pytest.mark.parametrize(("kind", "asked"), [("nodes", ["nodes"]), ("pods", ["nodes", "pods"])])
def test_what_may_not_be_read_is_asked_for_once(kind: str, asked: list[str]) -> None:
    cluster = Cluster(kind)
    seen = bystanders(cluster)
    assert {look(seen, LOST, at=at) for at in range(0, 300, 10)} == {"full"}
    assert cluster.asked == asked
