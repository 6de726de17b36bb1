"""Gangs that Kueue admits and each of the schedulers places: quota for all or none, then places for all or none."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.cluster import fates, kueue_objects
from tests.cluster.admission import QUEUE
from tests.cluster.admitting import Admitted
from tests.cluster.api import Json, wait_for
from tests.cluster.placing import HELD, has_node
from tests.cluster.placing_adapters import RACK
from tests.support.roster import CHART

# In that time an operation is gone or restarted, also on a busy machine: its pods are given a second to end.
QUICK = "20s"
NEW = "registry.example/engine:2"
FLAT = {"worker": {}}
MEMBERS = {"learner": {}, "rollout": {}}
BASE = {"learner": 2, "rollout": 1}
RACKED = {"topology": {"rack": RACK}, "gang": {"locality": {"within": "rack"}}}
LEVELS = (RACK, "kubernetes.io/hostname")
# What holds with each scheduler that places gangs; what only Kueue decides is tried with one of them.
EACH = pytest.mark.parametrize("kueue_placer", ["native", "volcano", "kai"], indirect=True)
ONE = pytest.mark.parametrize("kueue_placer", ["native"], indirect=True)


@EACH
def test_gangs_wait_for_quota_one_after_the_other_and_then_for_room_and_nothing_is_left_of_them(
    admitted: Admitted,
) -> None:
    """P2 and P5 under admission: two operations of which each fits, and both do not."""
    op, names = admitted, {"op", "two", "three"}
    op.namespace.add_nodes(3)
    op.quota(3)
    for name in names:
        op.install({"worker": 4}, FLAT, name=name)
    for name in names:
        op.gates(4, name=name, seconds=HELD / 3)
    op.quota(4)
    first = let_through(op, names)
    op.holds(0, first)
    cancelled(op, first)  # While it waits for room.
    second = let_through(op, names - {first})
    op.uses(4)
    op.namespace.add_node()
    op.binds(4, name=second)
    (third,) = names - {first, second}
    op.gates(4, name=third)
    cancelled(op, third)  # While it waits for quota.
    assert op.bound(name=second) == 4
    cancelled(op, second)  # While it runs.
    nothing_is_left(op)


@EACH
def test_extras_outside_a_gang_join_and_leave_and_neither_harm_it_nor_keep_it_out(admitted: Admitted) -> None:
    """Learner 4 and rollout 2 as one, six extras beside them, as the docs tell how to have it; P3 under admission."""
    op = admitted
    classes = op.kueue.priorities(op.namespace, low=1, high=2)
    op.admission["priorityClass"] = classes["high"]
    op.quota(8, preemption={"withinClusterQueue": "LowerPriority"})
    op.namespace.add_nodes(7)
    elastic = op.values({"learner": 4, "rollout": 8}, {"learner": {}, "rollout": {"min": 2}})
    refused = op.roster.attempt("install", "op", "-f", elastic)
    assert refused.returncode == 1
    assert "declare rollout with replicas 2 and rollout-extra, with the other 6, as a group outside" in refused.stderr
    extras = {"extra": {"replicas": 6, "admission": {"priorityClass": classes["low"]}}}
    op.install(extras)
    op.binds(6)  # All are in: Kueue 0.17.0 may lose the preemption of what it lets in at that moment.
    op.plain_upgrade({"learner": 4, "rollout": 2, **extras}, MEMBERS)
    op.uses(8)
    op.holds(2)  # The extras that are left; of the gang one pod has no room.
    op.namespace.add_node()
    for group, count in {"learner": 4, "rollout": 2, "extra": 2}.items():
        op.binds(count, group)
    with op.untouched("learner"), op.untouched("rollout"):
        op.roster("scale", "op", "extra=1")
        op.uses(7)
        op.quota(9)
        op.namespace.add_node()
        op.roster("scale", "op", "extra=4")
        op.binds(3, "extra")
        op.uses(9)
        op.gates(1, "extra")


@pytest.mark.parametrize(
    ("kueue_placer", "made"),
    [
        *((name, {"groups": BASE, "members": MEMBERS}) for name in ("native", "volcano", "kai")),
        ("default", {"groups": {"learner": 3}, "members": {"learner": {}}, **RACKED}),
    ],
    indirect=["kueue_placer"],
    ids=["native", "volcano", "kai", "default"],
)
def test_a_gang_that_runs_keeps_its_quota_until_it_restarts_or_is_cancelled(admitted: Admitted, made: Json) -> None:
    """Through a death, a rolling update, and Kueue's absence; in another size, or with other requests, it restarts."""
    op, groups = admitted, made["groups"]
    op.quota(4, levels=LEVELS if "topology" in made else ())
    for _ in range(3):
        op.add_to_rack("a")
    op.install(**made)
    op.binds(3)
    (before,) = op.workloads()
    op.delete("op-learner-1")
    op.binds(3)
    learner = {"replicas": groups["learner"], "container": {"image": NEW}}
    changes(op, made, learner)
    wait_for(
        lambda: [pod["spec"]["containers"][0]["image"] for pod in op.pods("learner") if has_node(pod)], 60,
        "learners of the new image", until=lambda seen: seen == [NEW] * groups["learner"],
    )  # fmt: skip
    assert uids(op) == [before["metadata"]["uid"]]
    scaled = op.roster.attempt("scale", "op", "learner=4")
    assert "make a group outside the gang, such as learner-extra" in scaled.stderr
    smaller = {**learner, "replicas": 1, "resources": {"requests": {"cpu": "500m"}}}
    refused = op.upgrade(**{**made, "groups": {**groups, "learner": smaller}})
    said = f"size of learner {groups['learner']} → 1; resources of learner: cpu none → 500m"
    assert (refused.returncode, said in refused.stderr) == (1, True), refused.stderr
    assert (op.bound(), uids(op)) == (3, [before["metadata"]["uid"]])
    changes(op, made, smaller, recreate=True)
    op.uses(sum(groups.values()) - groups["learner"] + 1)
    (after,) = op.workloads()
    assert after["metadata"]["name"] != before["metadata"]["name"]
    is_cancelled_without_kueue(op, op.values(**made))


@ONE
def test_admission_itself_is_asked_for_when_a_gang_restarts(admitted: Admitted) -> None:
    op, team = admitted, admitted.admission
    op.quota(3)
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


@ONE
def test_nothing_is_left_of_a_gang_that_kueue_evicts_or_knows_nothing_of(admitted: Admitted) -> None:
    op = admitted
    op.quota(2)
    op.namespace.add_nodes(2)
    op.install({"worker": 2}, FLAT)
    op.binds(2)
    op.admission["priorityClass"] = "missing"
    op.install({"worker": 2}, FLAT, name="two")
    op.kueue.change(op.namespace, stopPolicy="HoldAndDrain")
    wait_for(op.bound, 30, "pods to be evicted", until=lambda left: left < 2)
    cancelled(op)
    assert (op.gated(name="two"), op.workloads()) == (2, [])
    cancelled(op, "two")
    nothing_is_left(op)


@ONE
def test_jobs_of_a_gang_are_admitted_as_one_and_give_their_quota_back_when_they_end(admitted: Admitted) -> None:
    """Two Jobs are a group of pods; one by itself is Kueue's own."""
    op = admitted
    op.quota(2)
    op.namespace.add_nodes(3)
    job = {"fate": fates.annotate("completes", seconds=2)}
    for name in "op", "two":
        both = {"learner": {"replicas": 2, **job}, "rollout": {"replicas": 1, **job}}
        op.install(both, MEMBERS, kind="job", name=name)
    op.gates(3)
    cancelled(op, "two")  # While it waits.
    op.quota(3)
    op.roster("wait", "op", "--for", "complete", "--timeout", "60s")
    op.uses(0)
    cancelled(op)
    op.quota(2)
    op.plain("install", "op", CHART, "-f", op.values({"learner": {"replicas": 3, **job}}, {"learner": {}}, kind="job"))
    waits(op, 1, "insufficient quota for nvidia.com/gpu")
    assert op.pods() == []
    op.quota(3)
    op.roster("wait", "op", "--for", "complete", "--timeout", "60s")
    op.uses(0)
    cancelled(op)
    nothing_is_left(op)


@pytest.mark.parametrize("kueue_placer", ["default"], indirect=True)
@pytest.mark.parametrize("kind", ["service", "job"])
def test_without_a_placement_backend_kueue_itself_places_one_group_in_one_domain(admitted: Admitted, kind: str) -> None:
    op, names = admitted, {"op", "two", "three"}
    op.quota(2, levels=LEVELS)
    for rack in "a", "a", "b":
        op.add_to_rack(rack)
    values = op.values({"worker": 3}, FLAT, kind=kind, **RACKED)
    for name in names:
        op.plain("install", name, CHART, "-f", values)
    waits(op, 3, "insufficient quota for nvidia.com/gpu")
    op.quota(5)
    waits(op, 3, "fit only 2 out of 3 pod(s)")
    cancelled(op, "three")  # While it waits.
    assert op.namespace.bound() == 0
    op.add_to_rack("b")
    op.add_to_rack("b")
    wait_for(op.namespace.bound, 60, "one of both to be placed", until=lambda seen: seen == 3)
    waits(op, 1, "insufficient unused quota for nvidia.com/gpu")
    (first,) = (name for name in names if op.bound(name=name))
    (second,) = names - {first, "three"}
    for name in first, second:
        op.binds(3, name=name)
        assert {op.rack_of(pod) for pod in op.pods(name=name)} == {"b"}
        cancelled(op, name)  # While it runs.
    nothing_is_left(op)


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
    cancelled(op)
    nothing_is_left(op)


def let_through(op: Admitted, names: set[str]) -> str:
    """Wait until Kueue lets one of the operations through, and return which; no two of them fit."""
    (found,) = wait_for(
        lambda: [name for name in names if not op.gated(name=name)], 30, f"one of {', '.join(sorted(names))}"
    )
    return found


def changes(op: Admitted, made: Json, learner: Json, *, recreate: bool = False) -> None:
    """Upgrade the learners of what was installed."""
    values = op.values(**{**made, "groups": {**made["groups"], "learner": learner}})
    flags = ("--recreate", "--timeout", QUICK) if recreate else ()
    done = op.roster.attempt("upgrade", "op", "-f", values, *flags)
    assert done.returncode == 0, done.stderr


def uids(op: Admitted) -> list[str]:
    return [found["metadata"]["uid"] for found in op.workloads()]


def waits(op: Admitted, count: int, words: str) -> None:
    """Wait until Kueue says so of that many Workloads that it does not let through."""
    wait_for(
        lambda: [kueue_objects.condition(found, "QuotaReserved")["message"] for found in op.workloads()], 30,
        f"Kueue to say {words} of {count}", until=lambda told: sum(words in one for one in told) == count,
    )  # fmt: skip


def is_cancelled_without_kueue(op: Admitted, values: Path) -> None:
    """Cancel the operation while Kueue is down, when none is begun, and see that nothing is left once it is back."""
    with op.kueue.down():
        op.roster("cancel", "op", "--timeout", QUICK)
        assert op.namespace.pods() == []
        refused = op.roster.attempt("install", "late", "-f", values)
    assert (refused.returncode, len(refused.stderr.splitlines())) == (1, 1), refused.stderr
    assert "failed calling webhook" in refused.stderr
    nothing_is_left(op)


def cancelled(op: Admitted, name: str = "op") -> None:
    """Cancel an operation, and see that nothing of it is left; pods that go slowly would be too late."""
    op.roster("cancel", name, "--timeout", QUICK)
    ours = re.compile(rf"[/.]{name}[-.]")
    assert [found for found in op.namespace.everything() if ours.search(found)] == []


def nothing_is_left(op: Admitted) -> None:
    op.uses(0)
    op.namespace.is_left_with([f"LocalQueue/{QUEUE}"])
