"""What is done to the cluster when an operation is suspended and resumed, step by step."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pytest

from helm_roster import constants, errors
from helm_roster.cluster.client import ApiError, Resource
from helm_roster.commands import suspending
from helm_roster.commands.suspending import Suspension
from helm_roster.manifests.walk import Manifest
from helm_roster.model.live import LiveGroup

from tests.unit import live_objects
from tests.unit.asks import Asked
from tests.unit.backends.kueue_live import KNOWN, NAME, group, marks, pod, workload

MARK = constants.SUSPENDED_ANNOTATION
Begin = Callable[..., Suspension]


class Cluster:
    """Notes what it is told, and says no to what is ``forbidden`` or changed meanwhile."""

    # How many changes a webhook does not answer.
    away = 0

    def __init__(self) -> None:
        self.told: list[tuple[str, object]] = []
        self.fields = [{"manager": "helm"}, {"manager": "helm-roster", "subresource": "scale"}, {"manager": "hpa"}]
        self.status = 200
        self.conflicts = 0

    def change(self, resource: Resource, namespace: str, name: str, patch: Manifest) -> Manifest | None:
        """Note a change: the mark of a workload, or whether a Workload is active."""
        assert namespace == "team"
        if self.away:
            self.away -= 1
            msg = "no webhook"
            raise ApiError(msg, 500)
        if self.conflicts:
            self.conflicts -= 1
            msg = "changed meanwhile"
            raise ApiError(msg, 409)
        if resource.kind == "Workload":
            if self.status != 200:
                msg = "no"
                raise ApiError(msg, self.status)
            self.told.append((name, patch["spec"]["active"]))
            return patch
        if "spec" in patch:
            self.told.append((name, patch["spec"]))
            return patch
        metadata = patch["metadata"]
        if "managedFields" in metadata:
            self.fields = metadata["managedFields"]
        if "annotations" in metadata:
            self.told.append((name, metadata["annotations"][MARK]))
        return patch

    def get(self, resource: Resource, namespace: str, name: str) -> Manifest:
        """Return a workload whose replicas are ours."""
        assert resource.plural in {"statefulsets", "jobs"}
        assert namespace == "team"
        return {"metadata": {"name": name, "resourceVersion": "7", "managedFields": self.fields}}

    def set_replicas(self, resource: Resource, namespace: str, name: str, count: int) -> None:
        """Note the replicas."""
        assert (resource.kind, namespace) == ("StatefulSet", "team")
        self.told.append((name, count))

    def delete(self, resource: Resource, namespace: str, name: str) -> None:
        """Note a deletion."""
        assert (resource.kind, namespace) == ("Workload", "team")
        self.told.append((name, "deleted"))


def admitted(name: str, replicas: int, *pods: Manifest, mark: str = "", **more: Any) -> LiveGroup:
    made = group(name, replicas, *pods, **more)
    found = made.workload or {}
    found["apiVersion"] = "batch/v1" if found["kind"] == "Job" else "apps/v1"
    found["metadata"]["annotations"] |= {constants.ADMISSION_ANNOTATION: "kueue"} | ({MARK: mark} if mark else {})
    return made


@pytest.fixture
def cluster() -> Cluster:
    return Cluster()


@pytest.fixture
def begin(cluster: Cluster, monkeypatch: pytest.MonkeyPatch) -> Begin:
    """Begin a suspension of groups, with objects around them."""

    def made(groups: Sequence[LiveGroup], *objects: Manifest) -> Suspension:
        monkeypatch.setattr(suspending.asking, "Asker", lambda _: Asked(KNOWN, *objects))
        return Suspension(cluster, live_objects.live(*groups))  # type: ignore[arg-type]

    return made


def test_a_gang_is_marked_and_its_workload_deactivated(begin: Begin, cluster: Cluster) -> None:
    begin([admitted("learner", 2)], workload()).suspend()
    assert cluster.told == [("op-learner", "true"), (NAME, False)]


def job(*pods: Manifest, mark: str = "", suspend: bool = False) -> LiveGroup:
    """Return a Job of a gang."""
    made = admitted("learner", 1, *pods, kind="Job", mark=mark, suspend=suspend)
    (made.workload or {})["metadata"]["labels"] = {}
    (made.workload or {})["spec"]["template"] = {"metadata": marks()}
    return made


@pytest.mark.parametrize(
    ("group", "told", "left"),
    [
        pytest.param(
            job(pod("l-0", gated=False)), [("op-learner", "true"), ("op-learner", {"suspend": True})],
            ["learner: 1 pod runs on", "learner: its Job is not suspended yet",
             "learner: its Workload is not told yet"],
            id="runs",
        ),
        pytest.param(job(pod("l-0"), mark="true", suspend=True), [], ["learner: its Workload is not told yet"],
                     id="has pods"),
        pytest.param(job(mark="true", suspend=True), [(NAME, False)], ["learner: its Workload is not told yet"],
                     id="has none"),
    ],
)  # fmt: skip
def test_jobs_of_a_gang_are_suspended_and_its_workload_is_told_once_their_pods_are_gone(
    begin: Begin, cluster: Cluster, group: LiveGroup, told: list[Any], left: list[str]
) -> None:
    task = begin([group], workload())
    task.suspend()
    assert cluster.told == told
    assert task.runs_on() == left


def test_jobs_of_a_gang_whose_workload_went_with_their_pods_are_out(begin: Begin) -> None:
    assert begin([job(mark="true", suspend=True)]).runs_on() == []


def test_jobs_of_a_gang_start_again(begin: Begin, cluster: Cluster) -> None:
    begin([job(mark="true", suspend=True)], workload(active=False)).resume()
    assert cluster.told == [(NAME, True), ("op-learner", {"suspend": False}), ("op-learner", None)]


def test_a_group_of_one_workload_a_pod_remembers_its_replicas_before_it_has_none(
    begin: Begin, cluster: Cluster
) -> None:
    begin([admitted("extra", 6, gang="")]).suspend()
    assert cluster.told == [("op-extra", "6"), ("op-extra", 0)]


def test_what_is_suspended_is_not_suspended_again(begin: Begin, cluster: Cluster) -> None:
    groups = [admitted("learner", 2, mark="true"), admitted("extra", 0, gang="", mark="6")]
    begin(groups, workload(active=False)).suspend()
    assert cluster.told == []


def test_a_group_that_was_scaled_by_hand_meanwhile_remembers_what_it_has(begin: Begin, cluster: Cluster) -> None:
    begin([admitted("extra", 2, gang="", mark="6")]).suspend()
    assert cluster.told == [("op-extra", "2"), ("op-extra", 0)]


def test_all_is_let_in_again_as_it_was(begin: Begin, cluster: Cluster) -> None:
    groups = [admitted("learner", 2, mark="true"), admitted("extra", 0, gang="", mark="6")]
    begin(groups, workload(active=False)).resume()
    assert cluster.told == [(NAME, True), ("op-learner", None), ("op-extra", 6), ("op-extra", None)]


def test_replicas_that_were_ours_are_nobodys_when_they_are_back(begin: Begin, cluster: Cluster) -> None:
    begin([admitted("extra", 0, gang="", mark="6")]).resume()
    assert [entry["manager"] for entry in cluster.fields] == ["helm", "hpa"]


def test_a_group_that_has_replicas_again_keeps_them(begin: Begin, cluster: Cluster) -> None:
    begin([admitted("extra", 2, gang="", mark="6")]).resume()
    assert cluster.told == [("op-extra", None)]


@pytest.mark.parametrize(("conflicts", "left"), [(2, []), (99, ["learner: its Workload is not told yet"])])
def test_a_workload_that_somebody_changes_meanwhile_is_told_again(
    begin: Begin, cluster: Cluster, conflicts: int, left: list[str]
) -> None:
    cluster.conflicts = conflicts
    assert begin([admitted("learner", 2, mark="true")], workload()).suspend() == left
    assert cluster.told == ([] if left else [(NAME, False)])


def test_a_mark_that_could_not_be_taken_off_is_told(begin: Begin, cluster: Cluster) -> None:
    cluster.conflicts = 1
    assert begin([admitted("extra", 2, gang="", mark="6")]).resume() == []
    cluster.conflicts = 99
    assert begin([admitted("extra", 2, gang="", mark="6")]).resume() == ["extra: its mark is not taken off yet"]


def test_who_may_not_change_a_workload_is_told(begin: Begin, cluster: Cluster) -> None:
    cluster.status = 403
    with pytest.raises(ApiError):
        begin([admitted("learner", 2, mark="true")], workload()).suspend()


def test_what_kept_out_a_gang_of_before_is_deleted(begin: Begin, cluster: Cluster) -> None:
    before = workload(name="op-step-before", active=False, annotations={MARK: "true"})
    before["metadata"]["ownerReferences"] = [{"uid": "uid-of-learner"}]
    begin([admitted("learner", 2)], workload(), before).resume()
    assert cluster.told == [("op-step-before", "deleted")]


@pytest.mark.parametrize(
    ("groups", "objects", "words"),
    [
        pytest.param(
            [admitted("learner", 2, pod("l-0", gated=False), pod("l-1", gated=False))], [workload(active=False)],
            ["learner: 2 pods run on"], id="runs",
        ),
        pytest.param(
            [admitted("learner", 2, live_objects.pod("l-0", terminating=True), pod("l-1"))], [workload(active=False)],
            ["learner: 1 pod ends"], id="ends",
        ),
        pytest.param([admitted("learner", 1, pod("l-0"))], [workload()], ["learner: its Workload is not told yet"],
                     id="not told"),
        pytest.param([admitted("learner", 1, pod("l-0"))], [],
                     ["learner: there is no Workload yet that could be told to keep it out"], id="not there"),
        pytest.param([admitted("learner", 1, pod("l-0"))], [workload(active=False)], [], id="kept out"),
        pytest.param([admitted("learner", 1, live_objects.pod("l-0", phase="Failed"))], [workload(active=False)], [],
                     id="failed before"),
    ],
)  # fmt: skip
def test_what_still_runs_is_told(
    begin: Begin, groups: list[LiveGroup], objects: list[Manifest], words: list[str]
) -> None:
    assert begin(groups, *objects).runs_on() == words


@pytest.mark.parametrize(
    ("replicas", "mark", "active", "over"),
    [(0, "2", False, True), (2, "2", False, False), (0, "", False, False), (0, "2", True, False)],
    ids=["all", "scaled by hand", "one without a mark", "a Workload let in"],
)
def test_a_suspension_is_over_once_nothing_is_left_to_do(
    begin: Begin,
    replicas: int,
    mark: str,
    active: bool,  # noqa: FBT001
    over: bool,  # noqa: FBT001
) -> None:
    groups = [admitted("learner", 1, pod("l-0"), mark="true"), admitted("extra", replicas, gang="", mark=mark)]
    assert begin(groups, workload(active=active)).is_over is over


def test_what_nothing_admits_stays_as_it_is(begin: Begin, cluster: Cluster) -> None:
    task = begin([admitted("learner", 1), live_objects.group("router", 1)], workload())
    task.suspend()
    assert task.besides == ["router"]
    assert "op-router" not in dict(cluster.told)


def noted(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Deny the first right that is asked for; return the list of all."""
    asked: list[str] = []

    def denied(_: object, namespace: str, wanted: Mapping[Any, Sequence[str]]) -> list[str]:
        assert namespace == "team"
        asked.extend(f"{verb} {kind.long_name}" for kind, verbs in wanted.items() for verb in verbs)
        return asked[:1]

    monkeypatch.setattr(suspending.capabilities, "denied", denied)
    return asked


def test_rights_are_asked_for_before_anything_is_done(
    begin: Begin, cluster: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = noted(monkeypatch)
    task = begin([admitted("learner", 1), admitted("extra", 1, gang="")], workload())
    with pytest.raises(errors.RefusedError, match="so nothing is changed"):
        task.refuse_forbidden()
    assert sorted(asked) == [
        "get statefulsets.apps", "patch statefulsets.apps", "patch statefulsets.apps/scale",
        "patch workloads.kueue.x-k8s.io",
    ]  # fmt: skip
    assert cluster.told == []


@pytest.mark.parametrize("restarts", [False, True])
def test_who_would_delete_a_workload_is_asked_for_that_right_too(
    begin: Begin,
    monkeypatch: pytest.MonkeyPatch,
    restarts: bool,  # noqa: FBT001
) -> None:
    before = workload(name="op-step-before", active=False, annotations={MARK: "true"})
    before["metadata"]["ownerReferences"] = [{"uid": "uid-of-learner"}]
    asked = noted(monkeypatch)
    task = begin([admitted("learner", 2)], workload(), *([] if restarts else [before]))
    with pytest.raises(errors.RefusedError):
        task.refuse_forbidden(restarts=restarts)
    assert "delete workloads.kueue.x-k8s.io" in asked
