"""What is told of decisions when several parts decide."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from helm_roster import all_backends
from helm_roster.backend_base import Decision, State
from helm_roster.cluster.live import Observed
from helm_roster.commands import observing
from helm_roster.commands.observing import Look

from tests.unit import live_objects
from tests.unit.asks import nothing

GATED = live_objects.pod("l-0", node="", gates=[{"name": "example.org/gate"}])
LEARNER = live_objects.group("learner", 1, GATED, gang="step", placement="native", admission="kueue")
OBSERVED = Observed(live=live_objects.live(LEARNER), release="rl", record=None)
QUOTA = Decision(gang="step", group="learner", stage="quota", state="waiting", message="3 of 3 in use")


def backend(*said: Decision) -> SimpleNamespace:
    return SimpleNamespace(MEMBERSHIPS=(), explain=lambda *_: said)


@pytest.mark.parametrize(
    ("quota", "placement", "told"),
    [
        pytest.param("waiting", "waiting", ["waiting"], id="no quota"),
        pytest.param("waiting", "broken", ["waiting", "broken"], id="no quota and something to mend"),
        pytest.param("admitted", "waiting", ["admitted", "waiting"], id="quota"),
    ],
)
def test_a_scheduler_says_nothing_of_what_has_no_quota_but_what_is_broken(
    monkeypatch: pytest.MonkeyPatch, quota: State, placement: State, told: list[State]
) -> None:
    place = Decision(gang="step", group="learner", state=placement, message="gated")
    monkeypatch.setattr(all_backends, "PLACEMENT", {"native": backend(place)})
    monkeypatch.setattr(all_backends, "ADMISSION", {"kueue": backend(QUOTA.replace(state=quota))})
    assert [one.state for one in observing.explain(OBSERVED, nothing())] == told


def test_pods_without_quota_wait_in_the_words_of_who_admits_them() -> None:
    seen = Look(observed=OBSERVED, decisions=[QUOTA], failure="")
    assert [hold.message for _, hold in seen.health.held("quota")] == ["3 of 3 in use"]
    assert seen.seen.quota == {"learner": "3 of 3 in use"}
