"""What a cancellation tells people."""

from __future__ import annotations

import time
from dataclasses import replace

import pytest

from helm_roster import constants
from helm_roster.cluster.client import PODS
from helm_roster.cluster.leftovers import Leftover
from helm_roster.report import cancel_talk

DOCUMENT = {"name": "op", "namespace": "ns", "deleted": 7, "kept": [], "volumes": [], "unseen": [], "gone": True}


def pods(count: int, group: str = "a") -> list[Leftover]:
    labels = {constants.GROUP_LABEL: group}
    found = [{"metadata": {"name": f"p-{number}", "labels": labels}} for number in range(count)]
    return [Leftover(resource=PODS, manifest=manifest) for manifest in found]


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


def test_a_kept_workload_is_told_with_what_ends_its_pods() -> None:
    _, line = cancel_talk.result(DOCUMENT | {"kept": ["Deployment w"]})
    assert line == "kept by rule: Deployment w; its pods run on until: kubectl delete deployment w -n ns"


def test_a_kept_workload_is_told_when_the_time_is_over() -> None:
    deployments = replace(PODS, kind="Deployment")
    kept = Leftover(resource=deployments, manifest={"metadata": {"name": "w", "namespace": "ns"}})
    told = cancel_talk.left("op", pods(1), lambda _: [], [kept, *pods(1)])
    assert told.splitlines()[1:] == [
        "kept by rule: Deployment w; its pods run on until: kubectl delete deployment w -n ns"
    ]


def test_kinds_that_may_not_be_listed_are_no_kinds_without_objects() -> None:
    unseen = [f"kind-{number}" for number in range(10)]
    first, second = cancel_talk.result(DOCUMENT | {"gone": None, "unseen": unseen})
    assert first == "cancelled op: 7 objects, nothing is left that you may list"
    assert second.endswith("kind-6, kind-7 and 2 more")


def test_volumes_are_told_with_their_size_and_how_to_delete_them() -> None:
    volumes = [{"name": "a", "size": "1Gi", "deleted": False}, {"name": "b", "size": "2Gi", "deleted": True}]
    _, *lines = cancel_talk.result(DOCUMENT | {"kept": ["PersistentVolumeClaim a"], "volumes": volumes})
    assert lines == [
        "deleted with its data: PersistentVolumeClaim b, 2Gi",
        "kept by rule: PersistentVolumeClaim a, 1Gi; helm roster cancel op --delete-data deletes it with its data",
    ]


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """A clock that stands still; its first entry is the time in seconds."""
    now = [100.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    return now


def test_what_is_left_is_told_by_group_but_not_at_every_look(
    capsys: pytest.CaptureFixture[str], clock: list[float]
) -> None:
    lines = cancel_talk.Lines("waiting for op to be gone")
    for count in range(8, 0, -1):
        lines.tell([*pods(count), *(pods(1, "") if count > 4 else [])], lambda _: [])
        clock[0] += 0.5
    said = capsys.readouterr().err.splitlines()
    assert said == [
        "waiting for op to be gone",
        "  a: 8 pods left",
        "  the rest: 1 pod left",
        "  a: 4 pods left",
        "  the rest: gone",
    ]


def test_what_holds_them_is_asked_now_and_then(capsys: pytest.CaptureFixture[str], clock: list[float]) -> None:
    lines, asked = cancel_talk.Lines("title"), []
    for _ in range(30):
        lines.tell(pods(10), lambda found: asked.append(len(found)) or ["held"])  # type: ignore[func-returns-value]
        clock[0] += 1
    assert asked == [8, 8]
    assert capsys.readouterr().err.splitlines()[2:] == ["  held", "  and 2 more"] * 2


def test_nothing_is_told_once_nothing_is_left(capsys: pytest.CaptureFixture[str]) -> None:
    cancel_talk.Lines("title").tell([], lambda _: [])
    assert capsys.readouterr().err == ""
