"""What an upgrade does is judged before it is done."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from helm_roster import errors
from helm_roster.commands import upgrade
from helm_roster.commands.against import Running
from helm_roster.commands.regrouped import Regrouped
from helm_roster.commands.rendering import Rendering
from helm_roster.policy.changes import Action, Change, Changes, GroupChange

from tests.unit.builders import group, plan


@pytest.mark.parametrize(
    ("kind", "action", "places"),
    [
        ("StatefulSet", "rolls", True),
        ("StatefulSet", "unchanged", False),
        ("PodGroup", "new", True),
        ("PodGroup", "removed", False),
        ("Service", "changed", False),
    ],
)
@pytest.mark.parametrize("group", ["worker", ""])
def test_pods_are_to_be_placed_where_workloads_or_grouping_objects_change(
    kind: str, action: Action, places: bool, group: str,  # noqa: FBT001
) -> None:  # fmt: skip
    one = (Change(kind=kind, name="x", action=action),)
    groups = (GroupChange(group=group, action=action, objects=one),) if group else ()
    assert upgrade._places(Changes(groups=groups, objects=() if group else one)) is places


@pytest.mark.parametrize(("following", "may_skip"), [(None, True), (SimpleNamespace(held=None), False)])
def test_checks_are_not_to_be_skipped_where_pods_that_run_are_deleted(
    monkeypatch: pytest.MonkeyPatch, following: Any, *, may_skip: bool
) -> None:
    monkeypatch.setattr(upgrade.against, "running", lambda _: None)
    made: Any = None
    found = upgrade._check("op", made, hand_over_replicas=False, following=following, kept_out=made)
    assert found.may_skip is may_skip


class Suspended:
    """What an upgrade knows of a suspension, where nobody may suspend it again."""

    def before(self) -> None:
        """Refuse."""
        msg = "you may not patch workloads"
        raise errors.RefusedError(msg)


def test_an_operation_that_could_not_be_suspended_again_is_refused_before_anything_is_done(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    made = Rendering(text="", plan=plan({"a": group(1)}), resolved={})
    monkeypatch.setattr(upgrade.against, "running", lambda _: Running(1, [{"kind": "Deployment"}]))
    monkeypatch.setattr(upgrade.regrouped, "find", lambda *_: Regrouped(()))
    monkeypatch.setattr(upgrade.changes, "compare", lambda *_: Changes(groups=(), objects=()))
    kept_out: Any = Suspended()
    with pytest.raises(errors.RefusedError, match="you may not patch workloads"):
        upgrade._check("op", made, hand_over_replicas=True, following=None, kept_out=kept_out)
