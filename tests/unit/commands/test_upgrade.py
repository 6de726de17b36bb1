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
from helm_roster.helm.releases import Revisions
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


TOGETHER = ["decode", "prefill"]


def check(monkeypatch: pytest.MonkeyPatch, *, image: str, newest: int = 1) -> None:
    """Check an upgrade that sets decode's image, and rolls it out together with prefill from now on."""
    pods = {"containers": [{"name": "main", "image": image}]}
    made = plan(
        {
            "router": group(router=True, serves=TOGETHER, coordinated=TOGETHER),
            "prefill": group(coordinated=TOGETHER),
            "decode": group(coordinated=TOGETHER, pod=pods),
        }
    )
    new = made.workloads["decode"]
    new["spec"]["template"]["metadata"] = {"labels": {"x": "y", "helm-roster.dev/revision": "abc"}}
    labels = {"helm-roster.dev/group": "decode"}
    old = plan({"decode": group(pod={"containers": [{"name": "main", "image": "a:1"}]})}).workloads["decode"]
    old["spec"]["template"]["metadata"] = {"labels": {"x": "y"}}
    held = Running(1, [{**old, "metadata": {**old["metadata"], "labels": labels}}])
    rolls = Changes(groups=(GroupChange(group="decode", action="rolls", objects=()),), objects=())
    monkeypatch.setattr(upgrade.against, "running", lambda _: held)
    monkeypatch.setattr(upgrade.releases, "revisions", lambda _: Revisions(1, newest, "failed"))
    monkeypatch.setattr(upgrade.regrouped, "find", lambda *_: Regrouped(()))
    monkeypatch.setattr(upgrade.changes, "compare", lambda *_: rolls)
    kept_out: Any = SimpleNamespace(before=lambda: None)
    text = Rendering(text="", plan=made, resolved={})
    upgrade._check("op", text, hand_over_replicas=True, following=None, kept_out=kept_out)


def test_rolling_out_together_does_not_begin_with_another_version(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(errors.RefusedError, match=r"^decode: rollout\.coordinated begins while its pods change"):
        check(monkeypatch, image="a:2")
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize(
    ("newest", "words"),
    [
        (
            1,
            "from now on decode and prefill are rolled out together (rollout.coordinated): their pods and those of rou",
        ),
        (
            2,
            "revision 2 of op is failed, so it is not known which pods of decode and prefill run, nor whether their ro",
        ),
    ],
)
def test_what_is_said_of_rolling_out_together_holds_for_what_runs(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], newest: int, words: str
) -> None:
    check(monkeypatch, image="a:1", newest=newest)
    assert "".join(capsys.readouterr()).replace("\n", " ").startswith(words)
