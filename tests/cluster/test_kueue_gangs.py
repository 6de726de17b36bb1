"""Gangs that Kueue admits and each of the schedulers places: quota for all or none, then places for all or none."""

from __future__ import annotations

import pytest

from tests.cluster import fates, kueue_objects
from tests.cluster.admitting import Admitted
from tests.cluster.api import wait_for
from tests.cluster.placing import has_node
from tests.cluster.placing_adapters import RACK
from tests.support.roster import CHART

NEW = "registry.example/engine:2"
FLAT = {"worker": {}}
MEMBERS = {"learner": {}, "rollout": {}}
BASE = {"learner": 2, "rollout": 1}
# What holds with each scheduler that places gangs; what only Kueue decides is tried with one of them.
EACH = pytest.mark.parametrize("kueue_placer", ["native", "volcano", "kai"], indirect=True)
ONE = pytest.mark.parametrize("kueue_placer", ["native"], indirect=True)


@EACH
def test_a_gang_waits_for_quota_and_then_for_room_and_nothing_is_left_of_it(admitted: Admitted) -> None:
    """P2 and P5 under admission."""
    op = admitted
    op.namespace.add_nodes(3)
    op.quota(3)
    op.install({"worker": 4}, FLAT)
    op.gates(4)
    op.quota(4)
    op.uses(4)
    op.holds(0)
    op.namespace.add_node()
    op.binds(4)
    cancelled(op)


@EACH
def test_extras_outside_a_gang_join_and_leave_and_neither_harm_it_nor_keep_it_out(admitted: Admitted) -> None:
    """Learner 4 and rollout 2 as one, six extras beside them, as the docs tell how to have it; P3 under admission."""
    op = admitted
    classes = op.kueue.priorities(op.namespace, low=1, high=2)
    op.admission["priorityClass"] = classes["high"]
    op.quota(5, preemption={"withinClusterQueue": "LowerPriority"})
    op.namespace.add_nodes(12)
    groups = {"learner": 4, "rollout": 2, "extra": {"replicas": 6, "admission": {"priorityClass": classes["low"]}}}
    op.install(groups, MEMBERS)
    op.binds(
        5, "extra"
    )  # Before all that they use is given up: Kueue 0.17.0 may lose a preemption of what it just let in.
    op.quota(8)
    for group, count in {"learner": 4, "rollout": 2, "extra": 2}.items():
        op.binds(count, group)
    op.uses(8)
    with op.untouched("learner"), op.untouched("rollout"):
        op.roster("scale", "op", "extra=1")
        op.uses(7)
        op.quota(9)
        op.roster("scale", "op", "extra=4")
        op.binds(3, "extra")
        op.uses(9)
        op.gates(1, "extra")


@ONE
def test_a_member_that_dies_is_made_anew_under_the_same_quota_and_an_image_rolls(admitted: Admitted) -> None:
    op = admitted
    op.quota(3)
    op.namespace.add_nodes(3)
    op.install(BASE, MEMBERS)
    op.binds(3)
    (before,) = op.workloads()
    op.delete("op-learner-1")
    op.binds(3)
    done = op.upgrade({"learner": {"replicas": 2, "container": {"image": NEW}}, "rollout": 1}, MEMBERS)
    assert done.returncode == 0, done.stderr
    wait_for(
        lambda: [pod["spec"]["containers"][0]["image"] for pod in op.pods("learner") if has_node(pod)], 60,
        "two learners of the new image", until=lambda seen: seen == [NEW] * 2,
    )  # fmt: skip
    (after,) = op.workloads()
    assert after["metadata"]["uid"] == before["metadata"]["uid"]


@ONE
def test_what_quota_is_counted_by_changes_only_when_a_gang_restarts(admitted: Admitted) -> None:
    """Admission itself, sizes, and resources of members; `scale` says the way round."""
    op, team = admitted, admitted.admission
    op.quota(4)
    op.namespace.add_nodes(3)
    op.admission = {}
    op.install(BASE, MEMBERS)
    op.binds(3)
    op.admission = team
    refused = op.upgrade(BASE, MEMBERS)
    assert "admission none → kueue, queue team" in refused.stderr
    assert op.workloads() == []
    done = op.upgrade(BASE, MEMBERS, recreate=True)
    assert done.returncode == 0, done.stderr
    op.uses(3)
    (before,) = op.workloads()
    scaled = op.roster.attempt("scale", "op", "learner=3")
    assert "make a group outside the gang, such as learner-extra" in scaled.stderr
    smaller = {"learner": 1, "rollout": {"replicas": 1, "resources": {"requests": {"cpu": "500m"}}}}
    refused = op.upgrade(smaller, MEMBERS)
    assert "size of learner 2 → 1; resources of rollout: cpu none → 500m" in refused.stderr
    assert op.bound() == 3
    done = op.upgrade(smaller, MEMBERS, recreate=True)
    assert done.returncode == 0, done.stderr
    op.uses(2)
    (after,) = op.workloads()
    assert after["metadata"]["name"] != before["metadata"]["name"]


@ONE
def test_nothing_is_left_of_a_gang_that_is_cancelled_while_it_waits(admitted: Admitted) -> None:
    """For quota, and then for room."""
    op = admitted
    op.quota(1)
    op.install({"worker": 2}, FLAT)
    op.gates(2)
    cancelled(op)
    op.quota(2)
    op.install({"worker": 2}, FLAT)
    op.uses(2)
    op.holds(0)
    cancelled(op)


@ONE
def test_of_two_operations_that_fit_alone_and_not_together_one_runs_and_then_the_other(admitted: Admitted) -> None:
    op = admitted
    op.quota(4)
    op.namespace.add_nodes(4)
    for name in "op", "two":
        op.install({"worker": 3}, FLAT, name=name)
    op.uses(3)
    first, other = ("op", "two") if op.gated(name="two") else ("two", "op")
    op.binds(3, name=first)
    op.gates(3, name=other)
    op.roster("cancel", first, "--timeout", "60s")
    op.binds(3, name=other)


@ONE
def test_while_kueue_is_down_an_operation_is_cancelled_and_none_is_begun(admitted: Admitted) -> None:
    op = admitted
    op.quota(2)
    op.namespace.add_nodes(2)
    op.install({"worker": 2}, FLAT)
    op.binds(2)
    values = op.values({"worker": 2}, FLAT)
    with op.kueue.down():
        op.roster("cancel", "op", "--timeout", "60s")
        assert op.pods() == []
        refused = op.roster.attempt("install", "late", "-f", values)
    assert (refused.returncode, len(refused.stderr.splitlines())) == (1, 1), refused.stderr
    assert "failed calling webhook" in refused.stderr
    op.uses(0)


@ONE
def test_jobs_of_a_gang_are_admitted_as_one_and_give_their_quota_back_when_they_end(admitted: Admitted) -> None:
    """Two Jobs are a group of pods; one by itself is Kueue's own."""
    op = admitted
    op.quota(2)
    op.namespace.add_nodes(3)
    job = {"fate": fates.annotate("completes", seconds=2)}
    op.install({"learner": {"replicas": 2, **job}, "rollout": {"replicas": 1, **job}}, MEMBERS, kind="job")
    op.gates(3)
    op.quota(3)
    op.roster("wait", "op", "--for", "complete", "--timeout", "60s")
    op.uses(0)
    op.roster("cancel", "op", "--timeout", "60s")
    op.plain("install", "op", CHART, "-f", op.values({"learner": {"replicas": 3, **job}}, {"learner": {}}, kind="job"))
    op.roster("wait", "op", "--for", "complete", "--timeout", "60s")
    op.uses(0)
    cancelled(op)


@pytest.mark.parametrize("kueue_placer", ["default"], indirect=True)
@pytest.mark.parametrize("kind", ["service", "job"])
def test_without_a_placement_backend_kueue_itself_places_one_group_in_one_domain(admitted: Admitted, kind: str) -> None:
    op = admitted
    op.quota(8, levels=(RACK, "kubernetes.io/hostname"))
    for rack in "a", "a", "b":
        op.add_to_rack(rack)
    level = {"topology": {"rack": RACK}, "gang": {"locality": {"within": "rack"}}}
    op.plain("install", "op", CHART, "-f", op.values({"worker": 3}, FLAT, kind=kind, **level))
    wait_for(
        lambda: kueue_objects.condition(next(iter(op.workloads()), {}), "QuotaReserved")["message"], 30,
        "why Kueue lets no pod through", until=lambda said: "fit only 2 out of 3 pod(s)" in said,
    )  # fmt: skip
    assert op.bound() == 0
    op.add_to_rack("b")
    op.add_to_rack("b")
    op.binds(3)
    assert {op.rack_of(pod) for pod in op.pods()} == {"b"}
    cancelled(op)


@pytest.mark.parametrize("kueue_placer", ["default"], indirect=True)
def test_groups_outside_gangs_are_admitted_each_in_its_own_way(admitted: Admitted) -> None:
    """A Deployment pod by pod, a Job as a whole, and one group not at all."""
    op = admitted
    op.quota(2)
    op.namespace.add_nodes(6)
    groups = {
        "train": {"replicas": 3},
        "web": {"replicas": 2, "lifecycle": "auxiliary"},
        "free": {"replicas": 1, "lifecycle": "auxiliary", "admission": "none"},
    }
    op.plain("install", "op", CHART, "-f", op.values(groups, kind="job"))
    op.binds(2, "web")
    op.binds(1, "free")
    op.uses(2)
    assert op.pods("train") == []
    op.quota(5)
    op.binds(3, "train")
    with op.untouched("train"):
        op.roster("scale", "op", "web=1")
        op.uses(4)
        op.admission = {}
        refused = op.upgrade(groups, kind="job")
        assert "how quota is asked for of a Job in place: set operation.run" in refused.stderr


def cancelled(op: Admitted) -> None:
    """Cancel the operation, and see that nothing of it is left."""
    op.roster("cancel", "op", "--timeout", "60s")
    op.uses(0)
    assert (op.pods(), op.workloads()) == ([], [])
