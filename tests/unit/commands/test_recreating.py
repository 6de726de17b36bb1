"""What may not stand beside --recreate, and what it tells while it goes on."""

from __future__ import annotations

import pytest

from helm_roster import errors
from helm_roster.commands import against, options, recreating
from helm_roster.policy.health import GroupHealth, Health
from helm_roster.policy.waiting import Outcome


@pytest.mark.parametrize(
    "flags",
    [["--wait"], ["--wait=watcher"], ["--wait-for-jobs"], ["--atomic"], ["--rollback-on-failure", "-f", "v.yaml"]],
    ids=" ".join,
)
def test_helms_own_waiting_is_refused(flags: list[str]) -> None:
    with pytest.raises(errors.UsageError, match=f"leave {flags[0].partition('=')[0]} out"):
        recreating.prepare("op", flags)


@pytest.mark.parametrize("flags", [[], ["--wait=false"], ["--wait=hookOnly"], ["--atomic=false"]], ids=" ".join)
def test_what_does_not_wait_for_pods_is_taken(flags: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(against, "running", lambda _: None)
    assert recreating.prepare("op", flags) is not None


def test_where_helm_only_tries_nothing_is_followed() -> None:
    assert recreating.prepare("op", ["--dry-run=server"]) is None


@pytest.mark.parametrize(
    ("flags", "variable", "seconds"), [([], "", 600), ([], "30s", 30), (["--timeout", "2m"], "30s", 120)]
)
def test_the_time_is_that_of_helms_flag_or_of_wait(
    flags: list[str], variable: str, seconds: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HELM_ROSTER_TIMEOUT", variable)
    assert options.timeout_of(flags) == seconds


def test_a_time_that_is_none_is_refused() -> None:
    with pytest.raises(errors.UsageError, match="--timeout: 'soon' is no duration"):
        options.timeout_of(["--timeout", "soon"])


class Restart:
    """Stands in for a restart: its old pods go, then its new ones get their places."""

    def __init__(self, *_: object) -> None:
        self._looks = iter([(["old"], 4, "waiting"), ([], 1, "waiting"), ([], 4, "reached")])

    def look(self) -> Outcome:
        """Return how it stands, a step further each time."""
        self.left, ready, state = next(self._looks)
        group = GroupHealth(name="learner", workload="op-learner", desired=4, placed=ready, ready=ready)
        health = Health(kind="service", verdict="running", ready=True, groups=(group,))
        return Outcome(state=state, health=health)  # type: ignore[arg-type]

    def status(self) -> None:
        """Have none."""


def test_old_pods_are_not_told_as_those_that_are_waited_for(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(recreating, "_Restart", Restart)
    monkeypatch.setattr(recreating, "Observer", lambda _: None)
    monkeypatch.setattr(recreating, "POLL_SECONDS", 0)
    following = recreating.Following("op", 60, None)
    following._gangs = ["step"]
    following.run()
    title, told, *_ = capsys.readouterr().err.splitlines()
    assert (title, told) == ("restarting gang step of op, at most 1m", "  learner: 1 of 4 ready, 1 placed")
