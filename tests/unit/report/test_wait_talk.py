"""What a wait tells."""

from __future__ import annotations

from typing import IO

import pytest

from helm_roster.cluster.live import Observed
from helm_roster.model.live import LiveGroup
from helm_roster.policy import health
from helm_roster.policy.waiting import Fault, Outcome
from helm_roster.report import status_json, texts, wait_talk
from helm_roster.report.wait_talk import Lines

from tests.support import terminals
from tests.unit import live_objects as make

UNBOUND = make.pod("u", node="", says="0/3 nodes are available")
CRASHING = make.pod(
    "c", make.container(waiting={"reason": "CrashLoopBackOff"}, last={"exitCode": 1, "reason": "Error"}, restarts=2)
)


def assess(*groups: LiveGroup) -> health.Health:
    return health.assess(make.live(*groups))


@pytest.mark.parametrize(
    ("group", "line"),
    [
        (
            make.group("a", 2, make.ready_pod("r"), make.pod("s", make.container())),
            "a: 1 of 2 ready; readiness: container main runs and is not ready",
        ),
        (make.group("a", 1, UNBOUND), "a: 0 of 1 ready, 0 placed; placement: 0/3 nodes are available"),
        (
            make.group("a", 1, CRASHING),
            "a: 0 of 1 ready; c: container main: CrashLoopBackOff (Error, exit code 1, 2 restarts)",
        ),
        (
            make.group("a", 2, make.ready_pod("r"), make.pod("d", phase="Succeeded"), kind="Job", of="job"),
            "a: 1 of 2 done, 1 ready",
        ),
    ],
    ids=["starting", "unplaced", "crashing", "job"],
)
def test_a_group_is_one_line(group: LiveGroup, line: str) -> None:
    assert wait_talk.line(assess(group).groups[0], "ready") == line


def test_pods_of_an_old_template_and_past_crashes_are_told_while_a_group_lacks_pods() -> None:
    again = make.pod("c", make.container("m", last={"exitCode": 1, "reason": "Error"}, restarts=2))
    assert wait_talk.line(assess(make.group("a", 1, again)).groups[0], "ready", old=3) == (
        "a: 0 of 1 ready (and 3 of the old template); c: container m: restarted after Error (exit code 1, 2 restarts)"
    )


def test_only_groups_that_change_are_told_again(capsys: pytest.CaptureFixture[str]) -> None:
    talk, b = Lines("waiting for op", "ready"), make.group("b", 1)
    for a in (make.group("a", 1), make.group("a", 1), make.group("a", 1, make.ready_pod("r"))):
        talk.tell(Outcome(state="waiting", health=assess(a, b)))
    assert capsys.readouterr().err.splitlines() == [
        "waiting for op",
        "  a: 0 of 1 ready, 0 placed",
        "  b: 0 of 1 ready, 0 placed",
        "  a: 1 of 1 ready",
    ]


def test_what_is_lacking_comes_with_the_clusters_warnings() -> None:
    told = make.event("Unhealthy", "Readiness probe failed: 503", "s", count=4)
    found = assess(make.group("a", 1, make.pod("s", make.container()), events=[told])).groups[0]
    assert wait_talk.lacking(found, "ready")[1:] == ["a: Pod s: Unhealthy (4 times): Readiness probe failed: 503"]


def test_on_a_terminal_the_status_is_drawn_under_the_title(
    monkeypatch: pytest.MonkeyPatch, terminal: tuple[IO[str], int]
) -> None:
    stream, reader = terminal
    monkeypatch.setattr("sys.stderr", stream)
    live = make.live(make.group("decode", 1, CRASHING))
    with wait_talk.progress(wait_talk.title("rl", "ready", 600), "ready") as tell:
        found = health.assess(live)
        document = status_json.document(Observed(live=live, release="rl", record=None), found, [])
        tell(Outcome(state="waiting", health=found), lambda: document)
    stream.close()
    told = terminals.whole(reader)
    assert told.index("waiting for rl to be ready, at most 10m") < told.index("Deployment op-decode")


def test_a_cause_names_its_group() -> None:
    problem = assess(make.group("a", 1, CRASHING)).groups[0].problems[0]
    assert wait_talk.cause(Fault(group="a", problem=problem)).startswith('group "a": c: container main: CrashLoop')
    assert wait_talk.cause(Fault(text="Helm failed")) == "Helm failed"


@pytest.mark.parametrize(("seconds", "text"), [(0.2, "0s"), (90, "1m30s"), (600, "10m"), (5400, "1h30m")])
def test_seconds_are_told_as_helm_writes_them(seconds: float, text: str) -> None:
    assert wait_talk.duration(seconds) == text


def test_of_many_lines_the_first_are_told() -> None:
    assert texts.few_lines(["a", "b", "c"], 2) == ["a", "b", "and 1 more"]
