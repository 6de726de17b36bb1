"""Operations that Kueue admits, suspended and resumed: their quota goes back, and they come back as they were."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.cluster.admitting import Admitted
from tests.cluster.api import Json, stays, wait_for

MEMBERS = {"learner": {}, "rollout": {}}
GROUPS: Json = {
    "learner": 2,
    "rollout": 1,
    "extra": 2,
    "aside": {"replicas": 1, "gpus": 0, "admission": "none"},
}
NEW = "registry.example/engine:2"
UPGRADED = {**GROUPS, "extra": {"replicas": 2, "container": {"image": NEW}}}
ONE = pytest.mark.parametrize("kueue_placer", ["native"], indirect=True)
EACH = pytest.mark.parametrize("kueue_placer", ["native", "volcano", "kai"], indirect=True)
PLAIN = pytest.mark.parametrize("kueue_placer", ["default"], indirect=True)
MARK = "helm-roster.dev/suspended"


def told(op: Admitted, verb: str, *flags: str) -> Json:
    """Suspend or resume, and return what that says."""
    found: Json = json.loads(op.roster(verb, "op", "-o", "json", "--timeout", "60s", *flags).stdout)
    return found


def runs(op: Admitted) -> None:
    """Run a gang with extras, and a group that nothing admits."""
    op.quota(5)
    op.namespace.add_nodes(5)
    op.install(GROUPS, MEMBERS)
    op.binds(6)
    op.uses(5)


def marks(op: Admitted) -> list[str]:
    """Return what workloads say of their suspension."""
    found = [item for kind in ("StatefulSet", "Deployment") for item in op.namespace.items("apps/v1", kind)]
    return [item["metadata"]["annotations"][MARK] for item in found if MARK in item["metadata"]["annotations"]]


def of_the_gang(op: Admitted) -> list[str]:
    """Return the uid of the gang's Workload; another one would have let its pods run again for a moment."""
    return [found["metadata"]["uid"] for found in op.workloads() if found["metadata"]["name"].startswith("op-step")]


def is_kept_out(op: Admitted) -> None:
    """See that nothing of it is let in by itself, which a new Workload would be within a second."""
    stays(
        lambda: (op.bound("learner"), op.bound("rollout"), len(op.pods("extra"))), 2.0, "nobody to be let in",
        until=lambda seen: seen == (0, 0, 0),
    )  # fmt: skip


@ONE
def test_a_gang_with_extras_gives_its_quota_back_and_comes_back_as_it_was(admitted: Admitted) -> None:
    op = admitted
    runs(op)
    before = of_the_gang(op)
    with op.untouched("aside"):
        found = told(op, "suspend")
        assert (found["suspended"], found["done"]) == (True, True)
        assert {entry["name"]: (entry["by"], entry["replicas"]) for entry in found["groups"]} == {
            "learner": ("queue", 2), "rollout": ("queue", 1), "extra": ("replicas", 2), "aside": ("none", 1),
        }  # fmt: skip
        is_kept_out(op)
        assert of_the_gang(op) == before
        op.uses(0)
        assert op.roster("suspend", "op").stdout == "op is suspended already: no pod of it runs\n"
        status = op.status()
        assert status["verdict"] == "Suspended"
        assert {group["name"] for group in status["groups"] if group["suspended"]} == {"learner", "rollout", "extra"}
        stays_out_when_upgraded(op)
        assert told(op, "resume")["done"] is True
        op.binds(6)
    assert op.roster("resume", "op").stdout == "op is not suspended\n"
    assert {pod["spec"]["containers"][0]["image"] for pod in op.pods("extra")} == {NEW}
    op.uses(5)
    wait_for(lambda: op.status()["verdict"], 30, "it to be ready", until=lambda verdict: verdict == "Ready")
    assert {owner["kind"] for found in op.workloads() for owner in found["metadata"]["ownerReferences"]} == {"Pod"}
    done = op.upgrade({**UPGRADED, "extra": {**UPGRADED["extra"], "replicas": 1}}, MEMBERS)
    assert done.returncode == 0, done.stderr
    op.uses(4)
    assert marks(op) == []


def stays_out_when_upgraded(op: Admitted) -> None:
    """Upgrade a suspended operation, and see that it stays so; it is not scaled."""
    done = op.upgrade(UPGRADED, MEMBERS)
    assert done.returncode == 0, done.stderr
    assert "op stays suspended" in done.stderr
    wait_for(lambda: op.pods("extra"), 30, "no extras", until=lambda left: not left)
    is_kept_out(op)
    assert op.status()["verdict"] == "Suspended"
    refused = op.roster.attempt("scale", "op", "extra=1")
    assert "op is suspended: resume it first" in refused.stderr
    op.plain_upgrade(UPGRADED, MEMBERS)
    op.binds(2, "extra")  # Plain Helm brings them back, since their replicas are nobody's.


@ONE
def test_a_gang_that_waits_for_quota_is_suspended_and_resumed(admitted: Admitted) -> None:
    op = admitted
    op.quota(1)
    op.namespace.add_nodes(2)
    op.install({"worker": 2}, {"worker": {}})
    op.gates(2)
    told(op, "suspend")
    done = op.roster.attempt("resume", "op", "--timeout", "2s")
    assert done.returncode == 5
    assert "Error: the time is over and op is not admitted yet" in done.stderr
    assert "insufficient quota for nvidia.com/gpu" in done.stderr
    told(op, "suspend")
    op.quota(2)
    stays(op.gated, 1.0, "two gated pods", until=lambda seen: seen == 2)
    told(op, "resume")
    op.binds(2)


@ONE
def test_what_is_suspended_starts_by_a_restart_with_other_sizes_and_is_cancelled_without_a_trace(
    admitted: Admitted,
) -> None:
    op = admitted
    runs(op)
    told(op, "suspend")
    done = op.upgrade({**GROUPS, "learner": 1}, MEMBERS, recreate=True)
    assert done.returncode == 0, done.stderr
    op.binds(5)
    op.uses(4)
    assert op.status()["verdict"] == "Ready"
    assert len(op.workloads()) == 3  # of the gang, and of two extras
    told(op, "suspend")
    op.roster("cancel", "op", "--timeout", "60s")
    op.uses(0)
    wait_for(op.workloads, 30, "its Workload to go", until=lambda left: not left)
    assert op.pods() == []


@PLAIN
def test_a_job_is_suspended_and_starts_again(admitted: Admitted) -> None:
    op = admitted
    op.quota(2)
    op.namespace.add_nodes(2)
    op.install({"train": 2}, kind="job")
    op.binds(2)
    told(op, "suspend")
    op.uses(0)
    assert op.pods() == []
    assert op.status()["verdict"] == "Suspended"
    told(op, "resume")
    op.binds(2)


@PLAIN
def test_what_no_queue_admits_cannot_be_suspended(admitted: Admitted) -> None:
    op = admitted
    op.admission = {}
    op.install({"worker": 1})
    done = op.roster.attempt("suspend", "op")
    assert done.returncode == 1
    assert done.stderr.startswith("Error: nothing of op is admitted by a queue")


def run_jobs(op: Admitted, **groups: Any) -> int:
    """Run a gang with Jobs that bear no failure; return of how many pods it is."""
    count = sum(group if isinstance(group, int) else group["replicas"] for group in groups.values())
    op.quota(count)
    op.namespace.add_nodes(count)
    op.install(groups, MEMBERS, operation={"kind": "job", "job": {"backoffLimit": 0}})
    op.binds(count)
    return count


def jobs(op: Admitted) -> list[tuple[bool, int]]:
    """Return of each Job whether it is suspended, and how many of its pods it counts as failed."""
    found = op.namespace.items("batch/v1", "Job")
    return [(bool(job["spec"].get("suspend")), job["status"].get("failed", 0)) for job in found]


@EACH
def test_a_job_and_the_servers_of_its_gang_are_suspended_and_start_again_at_once(admitted: Admitted) -> None:
    op = admitted
    run_jobs(op, learner=2, rollout={"replicas": 1, "lifecycle": "auxiliary"})
    told(op, "suspend")
    op.uses(0)
    assert (op.pods("learner"), op.bound(), jobs(op), op.status()["verdict"]) == ([], 0, [(True, 0)], "Suspended")
    told(op, "resume")
    op.binds(3)
    assert jobs(op) == [(False, 0)]


@ONE
def test_jobs_of_a_gang_that_is_evicted_do_not_fail_and_come_back(admitted: Admitted) -> None:
    """After a pause of their controller's, of ten seconds here."""
    op = admitted
    run_jobs(op, learner=1, rollout=1)
    op.kueue.change(op.namespace, stopPolicy="HoldAndDrain")
    wait_for(
        lambda: [one["message"] for one in op.status()["gangs"] if one["stage"] == "quota"], 30, "why it waits",
        until=lambda told: all("its controller makes them after a pause" in message for message in told),
    )  # fmt: skip
    op.kueue.change(op.namespace, stopPolicy="None")
    op.binds(2)
    assert jobs(op) == [(False, 0)] * 2
