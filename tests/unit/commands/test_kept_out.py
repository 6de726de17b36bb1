"""An upgrade of an operation that is suspended."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pytest

from helm_roster import errors
from helm_roster.cluster.live import Observed
from helm_roster.commands import kept_out, suspending
from helm_roster.commands.kept_out import KeptOut
from helm_roster.manifests.walk import Manifest
from helm_roster.model.live import LiveGroup

from tests.unit import live_objects
from tests.unit.asks import Asked
from tests.unit.backends.kueue_live import KNOWN, NAME, workload
from tests.unit.commands.test_suspending import Cluster, admitted

EXTRA = admitted("extra", 0, gang="", mark="6")
Begin = Callable[..., KeptOut]


@pytest.fixture
def cluster() -> Cluster:
    return Cluster()


@pytest.fixture
def begin(cluster: Cluster, monkeypatch: pytest.MonkeyPatch) -> Begin:
    """Begin an upgrade: what is there before, what Helm makes of it, and the objects around that."""

    def made(
        before: Sequence[LiveGroup],
        after: Sequence[LiveGroup] = (),
        *around: Manifest,
        starts: bool = False,
        **how: Any,
    ) -> KeptOut:
        monkeypatch.setattr(kept_out.client, "connect", lambda: cluster)
        monkeypatch.setattr(kept_out.live, "workloads", lambda *_: [group.workload for group in before])
        observed = Observed(live=live_objects.live(*after), release="rl", record=None)
        monkeypatch.setattr(kept_out.live, "observe", lambda *_: observed)
        monkeypatch.setattr(suspending.asking, "Asker", lambda _: Asked(KNOWN, *around))
        monkeypatch.setattr(suspending.capabilities, "denied", lambda *_: how.get("denied", []))
        return KeptOut("rl", how.get("args", ()), starts=starts)

    return made


def test_what_helm_brought_back_is_suspended_again(begin: Begin, cluster: Cluster) -> None:
    task = begin([EXTRA], [admitted("extra", 8, gang="", mark="6")])
    task.before()
    task.after()
    assert cluster.told == [("op-extra", "8"), ("op-extra", 0)]


def test_a_restart_of_gangs_ends_the_suspension(begin: Begin, cluster: Cluster) -> None:
    after = [admitted("learner", 2, mark="true"), admitted("extra", 6, gang="", mark="6")]
    task = begin([EXTRA], after, workload(active=False), starts=True)
    task.before()
    task.after()
    assert cluster.told == [(NAME, True), ("op-learner", None), ("op-extra", None)]


def test_nothing_is_done_to_what_is_not_suspended(begin: Begin, cluster: Cluster) -> None:
    task = begin([admitted("extra", 6, gang="")], [admitted("extra", 8, gang="")])
    task.before()
    task.after()
    assert cluster.told == []


def test_what_may_not_be_kept_out_again_is_not_upgraded(begin: Begin) -> None:
    task = begin([EXTRA], [EXTRA], denied=["patch statefulsets.apps/scale"])
    with pytest.raises(errors.RefusedError, match="you may not patch statefulsets"):
        task.before()


def test_what_could_not_be_kept_out_is_told(begin: Begin, cluster: Cluster, capsys: pytest.CaptureFixture[str]) -> None:
    task = begin([EXTRA], [admitted("learner", 2, mark="true")], workload())
    task.before()
    cluster.conflicts = 99
    task.after()
    assert "warning: learner: its Workload is not told yet: helm-roster suspend rl" in capsys.readouterr().err


@pytest.mark.parametrize("starts", [False, True])
def test_helm_does_not_wait_for_pods_that_are_kept_out(begin: Begin, starts: bool) -> None:  # noqa: FBT001
    task = begin([EXTRA], args=["--wait"], starts=starts)
    if starts:
        task.before()
        return
    with pytest.raises(errors.RefusedError, match="with --wait Helm would wait for pods that are kept out"):
        task.before()
