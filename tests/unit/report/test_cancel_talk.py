"""What a cancellation tells people."""

from __future__ import annotations

import time

import pytest

from helm_roster.cluster.client import PODS
from helm_roster.cluster.leftovers import Leftover
from helm_roster.report import cancel_talk

DOCUMENT = {"name": "op", "deleted": 7, "kept": [], "unseen": [], "gone": True}


def pods(count: int) -> list[Leftover]:
    return [Leftover(resource=PODS, manifest={"metadata": {"name": f"p-{number}"}}) for number in range(count)]


def test_a_result_is_one_line() -> None:
    assert list(cancel_talk.result(DOCUMENT)) == ["cancelled op: 7 objects, nothing is left"]


@pytest.mark.parametrize(
    ("kept", "words"),
    [
        (["PersistentVolumeClaim a"], "nothing but 1 kept claim is left"),
        (["PersistentVolumeClaim a", "PersistentVolumeClaim b"], "nothing but 2 kept claims is left"),
        (["ConfigMap a"], "nothing but 1 kept object is left"),
    ],
)
def test_what_is_kept_is_counted_and_named(kept: list[str], words: str) -> None:
    first, *named = cancel_talk.result(DOCUMENT | {"deleted": 1, "kept": kept})
    assert first == f"cancelled op: 1 object, {words}"
    assert [line.partition(";")[0] for line in named] == [f"kept by rule: {name}" for name in kept]


def test_kinds_that_may_not_be_listed_are_no_kinds_without_objects() -> None:
    unseen = [f"kind-{number}" for number in range(10)]
    first, second = cancel_talk.result(DOCUMENT | {"gone": None, "unseen": unseen})
    assert first == "cancelled op: 7 objects, nothing is left that you may list"
    assert second.endswith("kind-6, kind-7 and 2 more")


def test_counts_that_change_are_not_told_at_every_look(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    now = 100.0
    monkeypatch.setattr(time, "monotonic", lambda: now)
    progress = cancel_talk.Progress()
    for count in range(8, 0, -1):
        progress.about(pods(count))
        now += 0.5
    assert capsys.readouterr().err.splitlines() == ["waiting for 8 Pod", "waiting for 4 Pod"]


def test_nothing_is_told_once_nothing_is_left(capsys: pytest.CaptureFixture[str]) -> None:
    cancel_talk.Progress().about([])
    assert capsys.readouterr().err == ""
