"""What Kueue is told so that an operation is kept out, and let in again."""

from __future__ import annotations

import pytest

from helm_roster import constants, errors
from helm_roster.backend_base import Unit
from helm_roster.backends.kueue import suspending
from helm_roster.manifests.walk import Manifest
from helm_roster.model.live import LiveGroup

from tests.unit import live_objects
from tests.unit.asks import Asked
from tests.unit.backends.kueue_live import KNOWN, NAME, group, marks, pod, workload

LEARNER = group("learner", 2, pod("l-0"), pod("l-1"))
ROLLOUT = group("rollout", 1, pod("r-0"))
SET = {"apiVersion": "apps/v1", "kind": "StatefulSet", "name": "op-learner", "uid": "uid-of-learner"}


def units(*objects: Manifest, groups: tuple[LiveGroup, ...] = (LEARNER,)) -> list[Unit]:
    return suspending.units(live_objects.live(*groups), Asked(KNOWN, *objects))


def test_a_gang_is_one_unit_by_its_workload() -> None:
    (unit,) = units(workload(), groups=(LEARNER, ROLLOUT))
    assert (unit.groups, unit.name, unit.is_on) == (("learner", "rollout"), NAME, True)


def test_a_workload_that_is_kept_out_is_owned_by_what_makes_its_pods_beside_its_own_owners() -> None:
    (unit,) = units(workload(owner="uid-l-0"))
    metadata = unit.off["metadata"]
    assert unit.off["spec"] == {"active": False}
    assert [owner["uid"] for owner in metadata["ownerReferences"]] == ["uid-l-0", "uid-of-learner"]
    assert metadata["ownerReferences"][1] == SET
    assert metadata["resourceVersion"] == "7"


def test_a_workload_that_is_let_in_goes_with_its_pods_again() -> None:
    made = workload(active=False)
    made["metadata"]["ownerReferences"] = [{"kind": "Pod", "uid": "gone"}, SET]
    (unit,) = units(made)
    assert not unit.is_on
    assert unit.on["spec"] == {"active": True}
    assert [owner["uid"] for owner in unit.on["metadata"]["ownerReferences"]] == ["gone", "uid-l-0", "uid-l-1"]
    assert unit.on["metadata"]["annotations"] == {constants.SUSPENDED_ANNOTATION: None}


def test_a_job_keeps_the_owner_that_it_has() -> None:
    job = group("learner", 2, kind="Job")
    made = workload(name="job-learner", labels={"kueue.x-k8s.io/job-uid": "uid-of-learner"}, owner="uid-of-learner")
    (unit,) = units(made, groups=(job,))
    assert unit.name == "job-learner"
    for patch in (unit.off, unit.on):
        assert [owner["uid"] for owner in patch["metadata"]["ownerReferences"]] == ["uid-of-learner"]


@pytest.mark.parametrize("objects", [(), (workload(),)])
def test_jobs_of_a_gang_are_suspended_themselves(objects: tuple[Manifest, ...]) -> None:
    jobs = [group(name, 1, pod(f"{name}-0", gated=False), kind="Job") for name in ("learner", "rollout")]
    for job in jobs:
        (job.workload or {})["metadata"]["labels"] = {}
        (job.workload or {})["spec"]["template"] = {"metadata": marks()}
    (unit,) = units(*objects, groups=tuple(jobs))
    assert unit.jobs == unit.groups == ("learner", "rollout")


@pytest.mark.parametrize("made", [LEARNER, group("learner", 2, kind="Job")], ids=["StatefulSet", "a Job by itself"])
def test_nothing_else_is_suspended_itself(made: LiveGroup) -> None:
    (unit,) = units(workload(owner="uid-of-learner"), groups=(made,))
    assert unit.jobs == ()


def test_a_workload_without_pods_keeps_the_owners_that_it_has() -> None:
    """One without any would stay for ever, with its quota."""
    made = workload(active=False)
    made["metadata"]["ownerReferences"] = [SET]
    (unit,) = units(made, groups=(group("learner", 2),))
    assert unit.on["metadata"]["ownerReferences"] == [SET]


def test_a_gang_whose_workload_is_not_there_yet_is_a_unit_without_a_name() -> None:
    (unit,) = units()
    assert (unit.kind and unit.kind.kind, unit.name) == ("Workload", "")


def test_groups_of_one_workload_a_pod_have_nothing_that_could_be_told() -> None:
    (unit,) = units(groups=(group("extra", 3, gang=""),))
    assert (unit.groups, unit.kind) == (("extra",), None)


def test_what_nothing_admits_is_no_unit() -> None:
    assert units(groups=(live_objects.group("router", 1),)) == []


@pytest.mark.parametrize(
    ("serves", "told"),
    [(True, r"may not list workloads\.kueue\.x-k8s\.io .*: ask for a Role"), (False, "serves no Workload .*: ask who")],
    ids=["forbidden", "not served"],
)
def test_workloads_that_cannot_be_listed_are_refused_with_advice(
    monkeypatch: pytest.MonkeyPatch, told: str, *, serves: bool
) -> None:
    cluster = Asked([])
    monkeypatch.setattr(cluster, "serves", lambda _: serves)
    with pytest.raises(errors.RefusedError, match=told):
        suspending.units(live_objects.live(LEARNER), cluster)


@pytest.mark.parametrize(
    ("name", "owner", "marked", "found"),
    [
        pytest.param("op-step-before", SET, True, ["op-step-before"], id="of before"),
        pytest.param(NAME, SET, True, [], id="of now"),
        pytest.param("op-step-before", SET, False, [], id="not by us"),
        pytest.param("other-step", {**SET, "uid": "other"}, True, [], id="of another operation"),
    ],
)
def test_what_was_kept_out_before_a_gang_changed_is_outdated(
    name: str,
    owner: Manifest,
    marked: bool,  # noqa: FBT001
    found: list[str],
) -> None:
    annotations = {constants.SUSPENDED_ANNOTATION: "true"} if marked else {}
    made = workload(name=name, active=False, annotations=annotations)
    made["metadata"]["ownerReferences"] = [owner]
    known = suspending.outdated(live_objects.live(LEARNER), Asked(KNOWN, made))
    assert [unit.name for unit in known] == found


def test_what_keeps_a_job_out_is_not_outdated() -> None:
    """It is called by Kueue, not by its pods: an upgrade that deleted it would let the Job run."""
    made = workload(name="job-of-learner", active=False, annotations={constants.SUSPENDED_ANNOTATION: "true"})
    made["metadata"]["ownerReferences"] = [{**SET, "kind": "Job"}]
    found = suspending.outdated(live_objects.live(group("learner", 2, kind="Job")), Asked(KNOWN, made))
    assert found == []
