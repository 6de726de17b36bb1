"""Suspending and resuming, look after look: when it is done, what is refused, and what is told."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from helm_roster import constants, errors
from helm_roster.backend_base import Decision
from helm_roster.cluster.live import Observed
from helm_roster.cluster.records import Record
from helm_roster.commands import suspend, suspending
from helm_roster.commands.observing import Look
from helm_roster.commands.outages import OutageError, Outages
from helm_roster.manifests.walk import Manifest
from helm_roster.model.live import LiveGroup

from tests.support import schemas
from tests.unit import live_objects
from tests.unit.asks import Asked
from tests.unit.backends.kueue_live import KNOWN, group, pod, workload
from tests.unit.commands.test_suspending import Cluster, admitted

RUNS = admitted("learner", 1, pod("l-0", gated=False))
GATED = admitted("learner", 1, pod("l-0"), mark="true")
ON, OFF = workload(), workload(active=False)
Run = Callable[..., Cluster]


def look(*groups: LiveGroup, state: str = "", record: Record | None = None, release: str = "rl") -> Look:
    said = Decision(gang="step", group="learner", stage="quota", state=state, message="full") if state else None  # type: ignore[arg-type]
    observed = Observed(live=live_objects.live(*groups), release=release, record=record)
    return Look(observed=observed, decisions=[said] if said else [], failure="")


class Observer:
    """Shows one look after the other, the last again and again; an error instead of one is raised."""

    def __init__(self, client: Cluster, looks: Sequence[Look | Exception | None]) -> None:
        self.client, self.name, self.release, self.namespace = client, "rl", "rl", "team"
        self._looks, self._outages = list(looks), Outages(answered=True)

    def look(self) -> Look | None:
        """Return the next look."""
        found = self._looks.pop(0) if len(self._looks) > 1 else self._looks[0]
        if isinstance(found, Exception):
            raise found
        return found

    def bear(self, ask: Callable[[], Any]) -> Any:
        """Return what it returns."""
        return self._outages.bear(ask)

    def unknown(self) -> str:
        """Return that there is none."""
        return "no operation"


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch) -> Run:
    """Suspend (or resume) what is shown in these looks, with these Workloads at each look of the command's own."""

    def go(
        *looks: Look | Exception | None, around: Sequence[Sequence[Manifest]] = ((),), off: bool = True, **how: Any
    ) -> Cluster:
        cluster, known = Cluster(), [list(objects) for objects in around]

        def asker(_: object) -> Asked:
            return Asked(KNOWN, *(known.pop(0) if len(known) > 1 else known[0]))

        monkeypatch.setattr(suspend, "Observer", lambda _: Observer(cluster, looks))
        monkeypatch.setattr(suspend, "POLL_SECONDS", 0)
        monkeypatch.setattr(suspending.asking, "Asker", asker)
        monkeypatch.setattr(suspending.capabilities, "denied", lambda *_: [])
        suspend.run("rl", off=off, **{"timeout": 5, "wait": True, "output": "json", **how})
        return cluster

    return go


def result(capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    out = capsys.readouterr().out
    schemas.check(out)
    found: dict[str, Any] = json.loads(out)
    return found


def test_it_is_suspended_once_no_pod_runs_and_its_workload_is_told(
    run: Run, capsys: pytest.CaptureFixture[str]
) -> None:
    run(look(RUNS), look(GATED), around=[[ON], [ON], [OFF]])
    found = result(capsys)
    assert (found["suspended"], found["done"], found["causes"]) == (True, True, [])
    assert found["groups"] == [{"name": "learner", "by": "queue", "replicas": 1}]


def test_what_is_suspended_already_is_told_so_and_left_alone(run: Run, capsys: pytest.CaptureFixture[str]) -> None:
    cluster = run(look(GATED), around=[[OFF]], output="table")
    assert cluster.told == []
    assert capsys.readouterr().out == "rl is suspended already: no pod of it runs\n"


@pytest.mark.parametrize("how", [GATED, admitted("learner", 1, pod("l-0", gated=False), mark="true")])
def test_a_suspension_that_was_interrupted_goes_on(run: Run, how: LiveGroup) -> None:
    cluster = run(look(how), look(GATED), around=[[ON], [ON], [OFF]])
    assert (OFF["metadata"]["name"], False) in cluster.told


@pytest.mark.parametrize(("state", "done"), [("admitted", True), ("waiting", False)])
def test_what_is_not_suspended_is_told_so_and_not_waited_for(
    run: Run,
    capsys: pytest.CaptureFixture[str],
    state: str,
    done: bool,  # noqa: FBT001
) -> None:
    for output in "table", "json":
        cluster = run(look(RUNS, state=state), around=[[ON]], off=False, output=output)
        assert cluster.told == []
        if output == "table":
            assert capsys.readouterr().out == "rl is not suspended\n"
    assert result(capsys)["done"] is done


def test_what_somebody_else_deactivated_is_let_in(run: Run) -> None:
    cluster = run(look(RUNS, state="deactivated"), look(RUNS, state="admitted"), around=[[OFF], [OFF], [ON]], off=False)
    assert cluster.told == [(OFF["metadata"]["name"], True)]


def test_a_workload_that_was_made_anew_meanwhile_is_told_again(run: Run) -> None:
    cluster = run(look(RUNS), look(GATED), look(GATED), around=[[ON], [ON], [ON], [OFF]])
    assert [told for told in cluster.told if told[1] is False] == [("op-step-1a2b", False)] * 2


def test_what_was_read_before_anything_was_done_tells_nothing(run: Run) -> None:
    """Pods that are still to come are not there to be seen."""
    with pytest.raises(errors.CancelledError):
        run(look(admitted("extra", 6, gang="")), None)


def test_it_is_resumed_once_its_queue_has_let_it_in(run: Run, capsys: pytest.CaptureFixture[str]) -> None:
    run(
        look(GATED, state="deactivated"), look(GATED, state="waiting"), look(RUNS, state="admitted"),
        around=[[OFF], [OFF], [ON]], off=False,
    )  # fmt: skip
    found = result(capsys)
    assert (found["suspended"], found["done"]) == (False, True)


def test_what_it_waits_for_is_told_when_the_time_is_over(run: Run, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(errors.DeadlineError, match=r"rl is not admitted yet .*\nlearner: full"):
        run(look(GATED, state="waiting"), around=[[ON]], off=False, timeout=0)
    assert result(capsys)["causes"] == ["learner: full"]


def test_pods_that_do_not_end_are_told_when_the_time_is_over(run: Run) -> None:
    with pytest.raises(errors.DeadlineError, match=r"rl is not suspended yet .*\nlearner: 1 pod runs on"):
        run(look(RUNS), around=[[OFF]], timeout=0)


def test_it_returns_at_once_where_nobody_waits(run: Run, capsys: pytest.CaptureFixture[str]) -> None:
    run(look(RUNS), around=[[ON]], wait=False)
    assert result(capsys)["done"] is False


def test_who_does_not_wait_for_pods_waits_until_what_holds_them_is_told(run: Run) -> None:
    cluster = run(look(RUNS), around=[[], [], [ON]], wait=False)
    assert cluster.told[-1] == ("op-step-1a2b", False)


def test_nobody_is_told_that_it_is_suspended_though_nothing_could_be_told(run: Run) -> None:
    with pytest.raises(errors.DeadlineError, match="there is no Workload yet that could be told"):
        run(look(RUNS), wait=False, timeout=0)


def test_an_outage_is_borne(run: Run, capsys: pytest.CaptureFixture[str]) -> None:
    run(look(RUNS), OutageError("away"), look(GATED), around=[[ON], [ON], [OFF]])
    assert result(capsys)["done"] is True


def test_changes_that_no_webhook_answers_are_tried_again_and_told_once(
    run: Run, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(Cluster, "away", 3)
    run(*[look(RUNS)] * 4, look(GATED), around=[*[[ON]] * 5, [OFF]])
    out, said = capsys.readouterr()
    assert json.loads(out)["done"] is True
    assert said.count("no webhook; looking again until it answers") == 1
    assert said.count("the cluster answers again") == 1


def test_an_operation_that_is_deleted_meanwhile_is_told_so(run: Run) -> None:
    with pytest.raises(errors.CancelledError, match="rl was deleted meanwhile"):
        run(look(RUNS), None, around=[[ON]])


def test_groups_that_nothing_admits_are_named(run: Run, capsys: pytest.CaptureFixture[str]) -> None:
    router = live_objects.group("router", 1, live_objects.ready_pod("r"))
    run(look(RUNS, router), look(GATED, router), around=[[ON], [ON], [OFF]], output="table")
    assert "router runs on: nothing admits it" in capsys.readouterr().out


def test_extras_are_told_with_the_replicas_to_which_they_go_back(run: Run, capsys: pytest.CaptureFixture[str]) -> None:
    before, after = admitted("extra", 6, gang=""), admitted("extra", 0, gang="", mark="6")
    run(look(before), look(after), output="table")
    assert "extra: scaled to 0, and back to 6 replicas by resume" in capsys.readouterr().out


def owned() -> LiveGroup:
    made = group("learner", 1)
    (made.workload or {})["metadata"]["labels"] = {"argocd.argoproj.io/instance": "app"}
    return made


@pytest.mark.parametrize(
    ("shown", "error", "words"),
    [
        pytest.param(None, errors.BadInputError, "no operation", id="unknown"),
        pytest.param(look(live_objects.group("web", 1)), errors.RefusedError,
                     "nothing of rl is admitted by a queue", id="nothing admitted"),
        pytest.param(look(owned()), errors.RefusedError, "belongs to Argo CD application app", id="GitOps"),
        pytest.param(look(RUNS, record=Record(name="rl", state="pending-upgrade", revision=2)), errors.RefusedError,
                     "rl is in pending-upgrade", id="Helm is at work"),
        pytest.param(look(RUNS, release="other", record=Record(name="other", state="deployed", revision=2)),
                     errors.RefusedError, "belongs to release other: suspend that", id="another release's"),
    ],
)  # fmt: skip
def test_what_cannot_be_suspended_is_refused(run: Run, shown: Look | None, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        run(shown, around=[[ON]])


def test_the_mark_is_the_one_that_status_reads() -> None:
    assert suspending.mark_of(GATED.workload) == "true"
    assert (GATED.workload or {})["metadata"]["annotations"][constants.SUSPENDED_ANNOTATION] == "true"
