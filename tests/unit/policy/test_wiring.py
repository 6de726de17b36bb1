"""Who depends on whose count, and who is rolled out together."""

from __future__ import annotations

from typing import Any

from helm_roster.policy import changes, wiring
from helm_roster.policy.changes import Changes, GroupChange

from tests.unit.builders import group, plan

READS = {"decode": ["hosts", "labels"], "store": ["service"]}
TOGETHER = ["decode", "prefill"]
GROUPS = {
    "router": group(1, router=True, reads=READS, coordinated=TOGETHER),
    "prefill": group(2, reads={"decode": ["count"], "store": ["pods", "count"]}, coordinated=TOGETHER),
    "decode": group(2, coordinated=TOGETHER),
    "store": group(1),
}
OPERATION = plan(GROUPS).operation


def test_only_forms_that_change_with_a_count_make_a_dependent() -> None:
    assert wiring.dependents(OPERATION, {"decode"}) == {
        "prefill": {"decode": ["count"]},
        "router": {"decode": ["hosts"]},
    }
    assert wiring.dependents(OPERATION, {"prefill"}) == {}


def test_a_refusal_names_them_and_what_they_read() -> None:
    told = wiring.refusal(wiring.dependents(OPERATION, {"store", "decode"}), "--with-dependents")
    assert told == (
        "prefill and router depend on these counts (prefill reads decode (count) and store (count, pods); router reads "
        "decode (hosts)), so the pods of prefill and router would be replaced too: add --with-dependents to have it so"
    )


def rolling(*names: str) -> Changes:
    groups: list[Any] = [GroupChange(group=name, action="rolls", objects=()) for name in names]
    return changes.Changes(groups=tuple(groups), objects=())


def test_groups_that_are_rolled_out_together_are_told_when_one_rolls() -> None:
    (told,) = wiring.rolled(OPERATION, rolling("decode"))
    assert told.startswith("decode and prefill are rolled out together (rollout.coordinated): a change of one gives")
    assert list(wiring.rolled(OPERATION, rolling("store"))) == []
