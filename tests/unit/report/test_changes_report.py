"""How changes read: for people short, for programs whole, and never a secret."""

from __future__ import annotations

from typing import Any

import pytest

from helm_roster.policy.changes import Action, Change, Changes, GroupChange
from helm_roster.policy.differences import Difference
from helm_roster.policy.regrouping import Restart
from helm_roster.report import changes_report

IMAGE = Difference(path="spec.template.spec.containers.main.image", before="a:1", after="a:2")
REPLICAS = Difference(path="spec.replicas", before=8, after=12)


def change(action: Action, *differences: Difference, kind: str = "Deployment", reason: str = "") -> Change:
    return Change(kind=kind, name="op-w", action=action, reason=reason, differences=differences)


def rows(found: Changes) -> list[tuple[str, str]]:
    table = changes_report.table(changes_report.document(found, "op", 3))
    first, second = (list(column.cells) for column in table.columns)
    return [(str(left), str(right)) for left, right in zip(first, second, strict=True)]


def said(action: Action, *objects: Change) -> str:
    """Return what the table says of one group."""
    ((_, text),) = rows(Changes(groups=(GroupChange(group="w", action=action, objects=objects),), objects=()))
    return text


TEXTS = [
    pytest.param("unchanged", [change("unchanged")], "unchanged", id="unchanged"),
    pytest.param("scaled", [change("scaled", REPLICAS)], "scaled: replicas 8 → 12", id="scaled"),
    pytest.param("rolls", [change("rolls", IMAGE)], "rolls: containers.main.image a:1 → a:2", id="rolls"),
    pytest.param(
        "changed", [change("unchanged"), change("changed", Difference(path="spec.x", after=1), kind="Service")],
        "changed in place: Service op-w x added", id="beside the workload",
    ),
    pytest.param(
        "changed", [change("unchanged"), change("new", kind="Service")], "changed in place: Service op-w new", id="new"
    ),
    pytest.param("refused", [change("refused", IMAGE, reason="because")], "refused: because", id="a reason"),
    pytest.param(
        "rolls", [change("rolls", IMAGE, reason="later")], "rolls: later, containers.main.image a:1 → a:2",
        id="a reason and what changed",
    ),
    pytest.param(
        "changed", [change("unchanged"), change("refused", IMAGE, kind="Role", reason="because")],
        "changed in place: Role op-w because", id="a reason beside the workload",
    ),
    pytest.param(
        "scaled", [change("scaled", Difference(path="spec.replicas", after=3))], "scaled: replicas added: 3", id="added"
    ),
    pytest.param(
        "scaled", [change("scaled", Difference(path="spec.replicas", before=3))], "scaled: replicas removed, 3 so far",
        id="removed",
    ),
    pytest.param("new", [change("new")], "new", id="a new group"),
    pytest.param(
        "rolls", [change("rolls", Difference(path="spec.template.spec.volumes", before=[1], after=[2]))],
        "rolls: volumes changed", id="a value that is long",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("action", "objects", "text"), TEXTS)
def test_a_group_reads_in_one_line(action: Action, objects: list[Change], text: str) -> None:
    assert said(action, *objects) == text


def test_of_many_differences_some_are_shown_and_the_rest_counted() -> None:
    many = [Difference(path=f"spec.f{index}", before=0, after=1) for index in range(8)]
    assert said("changed", change("changed", *many)).endswith("f4 0 → 1 and 3 more")


def test_objects_of_no_group_are_shown_where_they_change() -> None:
    objects = (change("kept", kind="PersistentVolumeClaim"), change("unchanged", kind="Role"))
    assert rows(Changes(groups=(), objects=objects)) == [("PersistentVolumeClaim op-w", "kept")]


@pytest.mark.parametrize(("kind", "shown"), [("Secret", "(hidden)"), ("ConfigMap", "old")])
def test_values_of_secrets_are_hidden(kind: str, shown: str) -> None:
    found = Changes(groups=(), objects=(change("changed", Difference(path="data.k", before="old"), kind=kind),))
    (entry,) = changes_report.document(found, "op", 3)["objects"]
    assert entry["differences"] == [{"path": "data.k", "before": shown, "after": None}]


def test_programs_get_every_difference() -> None:
    group = GroupChange(group="w", action="rolls", objects=(change("rolls", IMAGE, REPLICAS),))
    found: dict[str, Any] = changes_report.document(Changes(groups=(group,), objects=()), "op", 3)
    assert (found["release"], found["revision"]) == ("op", 3)
    assert [entry["path"] for entry in found["groups"][0]["objects"][0]["differences"]] == [IMAGE.path, REPLICAS.path]


@pytest.mark.parametrize(
    ("jobs", "action", "text"),
    [
        ((), "restarts", "restarts the gang: it is turned on; size of a 2 → 4"),
        (("a",), "refused", "refused, a Job is not restarted: it is turned on; size of a 2 → 4"),
    ],
)
def test_a_gang_that_restarts_comes_first_with_what_changes(jobs: tuple[str, ...], action: str, text: str) -> None:
    restart = Restart(gang="step", reasons=("it is turned on", "size of a 2 → 4"), groups=("a",), jobs=jobs)
    found = changes_report.document(Changes(groups=(), objects=()), "op", 3, [restart])
    assert found["gangs"] == [
        {"name": "step", "action": action, "reasons": ["it is turned on", "size of a 2 → 4"], "groups": ["a"]}
    ]
    assert next(changes_report.rows(found)) == ('gang "step"', text)
