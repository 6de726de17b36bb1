"""What doctor and install find out of Kueue before anything is applied, and that it is so: status says it after."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.cluster import admission, operations, rights, smoke
from tests.cluster.admitting import Admitted
from tests.cluster.api import Json, wait_for
from tests.support.roster import CHART

FLAT = {"worker": {}}
GROUPS = {"worker": 2}
# What Kueue decides is tried with one scheduler.
ONE = pytest.mark.parametrize("kueue_placer", ["native"], indirect=True)
EACH = pytest.mark.parametrize("kueue_placer", ["default", "native", "volcano", "kai"], indirect=True)
# For so long status bears that Kueue says nothing.
SILENT = 31.0


def diagnosed(op: Admitted, values: Path, *flags: str, check: str = "admission") -> list[Json]:
    """Run doctor and return its findings of one kind."""
    done = op.roster.attempt("doctor", "-f", values, *flags, "-o", "json")
    assert done.stdout, done.stderr
    return [found for found in json.loads(done.stdout)["checks"] if found["check"] == check]


def youngest(op: Admitted, name: str) -> float:
    """Return the age of the youngest pod in seconds."""
    made = (datetime.fromisoformat(pod["metadata"]["creationTimestamp"]) for pod in op.pods(name=name))
    return (datetime.now(UTC) - max(made)).total_seconds()


def named(op: Admitted, values: Path, *faults: tuple[str, str]) -> None:
    """See that doctor tells of faults, each with its state."""
    found = diagnosed(op, values)
    assert [
        fault for fault in faults if not any((check["state"], fault[1] in check["found"]) == (fault[0], True)
                                             for check in found)
    ] == [], found  # fmt: skip


def said(op: Admitted, words: str, name: str = "op") -> None:
    """Wait until status says such words of quota."""
    wait_for(
        lambda: [
            one["message"] for one in operations.status(op.roster, name)["gangs"] if one["stage"] == "quota"
        ],
        30, words, until=lambda told: any(words in message for message in told),
    )  # fmt: skip


@EACH
def test_what_keeps_a_queue_from_taking_an_operation_is_named_by_doctor_before_and_by_status_after(
    admitted: Admitted,
) -> None:
    """One fault after the other; whoever leaves the checks out installs all the same, and it runs at the end."""
    op, there = admitted, {"no": "such"}
    members = FLAT if op.scheduler.name != "default" else None  # no gang is placed by nobody
    before = op.namespace.everything()
    values = op.values(GROUPS, members)
    done = op.roster.attempt("install", "op", "-f", values)
    assert (done.returncode, len(done.stderr.splitlines())) == (1, 1), done.stderr
    assert 'has no LocalQueue "team", nor any other' in done.stderr
    assert op.namespace.everything() == before
    named(op, values, ("failed", 'has no LocalQueue "team", nor any other'))
    op.roster("install", "op", "-f", values, "--skip-checks")
    said(op, 'make LocalQueue "team" in namespace')
    op.quota(0, stopPolicy="Hold", node_labels=there, namespaceSelector={"matchLabels": there})
    named(
        op, values, ("failed", "is stopped (stopPolicy Hold)"), ("failed", "its namespaceSelector does not select"),
        ("failed", "can never admit g"), ("warning", "has no node that worker may run on"),
    )  # fmt: skip
    said(op, "has stopPolicy Hold: pods are admitted when that is None")
    op.kueue.change(op.namespace, stopPolicy="None")
    said(op, "doesn't match ClusterQueue selector")
    op.kueue.change(op.namespace, namespaceSelector={"matchLabels": None})
    said(op, "it never fits into ClusterQueue")
    op.quota(2)
    said(op, "of nodes with no=such")
    assert op.bound() == 0
    op.namespace.add_nodes(2, labels=there)
    op.binds(2)


@ONE
def test_a_queue_that_can_take_the_gang_is_found_good_and_half_a_gang_is_held(admitted: Admitted) -> None:
    op = admitted
    op.namespace.add_nodes(2)
    op.quota(2)
    values = op.values(GROUPS, FLAT)
    (found,) = diagnosed(op, values)
    assert (found["state"], found["found"]) == ("ok", "kueue: nothing is missing that it looks for")
    tried = diagnosed(op, values, "--smoke-test", check="smoke test")
    assert [check["state"] for check in tried] == ["ok", "ok"], tried
    assert [check["found"].partition(":")[0] for check in tried] == ["native", "native with kueue"]
    assert smoke.namespaces(op.namespace) == []


@ONE
def test_who_may_see_only_their_namespace_is_told_of_its_queue_and_what_was_not_checked(admitted: Admitted) -> None:
    op = admitted
    op.quota(1)
    name = rights.user(op.namespace, but=set())
    (found,) = diagnosed(op, op.values(GROUPS, FLAT), "--kube-as-user", name)
    assert found["state"] == "skipped"
    assert f"what ClusterQueue {op.kueue.of_the_cluster(op.namespace)} of LocalQueue team can hold" in found["found"]


@ONE
def test_rights_on_workloads_are_asked_for_too(admitted: Admitted) -> None:
    op = admitted
    name = rights.user(op.namespace, but=set(), without={"kueue.x-k8s.io"})
    (found,) = diagnosed(op, op.values(GROUPS, FLAT), "--kube-as-user", name, check="rights")
    assert "you may not list workloads.kueue.x-k8s.io, patch workloads.kueue.x-k8s.io" in found["found"], found


@ONE
def test_no_pod_is_gated_unnoticed_by_what_kueue_leaves_out_or_takes_over(admitted: Admitted) -> None:
    """Namespaces that it does not manage, manageJobsWithoutQueueName, and a LocalQueue called default."""
    op = admitted
    op.namespace.add_nodes(2)
    op.quota(2)
    own = {"key": "kubernetes.io/metadata.name", "operator": "NotIn", "values": list(admission.UNMANAGED)}
    elsewhere = {"matchExpressions": [own, {"key": "unmanaged", "operator": "DoesNotExist"}]}
    with op.kueue.configured(managedJobsNamespaceSelector=elsewhere, manageJobsWithoutQueueName=True):
        queued = op.values(GROUPS, FLAT)
        assert [found["state"] for found in diagnosed(op, queued)] == ["ok"]
        label(op, "yes")
        (left,) = diagnosed(op, queued)
        assert "it would hold the pods, and never let them go" in left["found"], left
        op.install(GROUPS, FLAT, name="left")
        label(op, None)
        takes_over(op)
        label(op, "yes")
        wait_for(lambda: youngest(op, "left"), 60, "time to say something", until=lambda age: age > SILENT)
        said(op, f'does not manage namespace "{op.namespace.name}"', "left")
        assert op.gated(name="left") == 2


def label(op: Admitted, value: str | None) -> None:
    """Label the namespace so that Kueue leaves it out, or no more."""
    op.namespace.api.patch(f"/api/v1/namespaces/{op.namespace.name}", {"metadata": {"labels": {"unmanaged": value}}})


def takes_over(op: Admitted) -> None:
    """See what is told where Kueue manages what names no queue: without one that it would choose, and with one."""
    (op.folder / "web").mkdir()
    web = operations.write(op.folder / "web", operations.values({"web": operations.group(op.namespace, 1)}))
    (taken,) = diagnosed(op, web)
    assert (taken["state"], "though it names no queue" in taken["found"]) == ("failed", True), taken
    done = op.roster.attempt("install", "web", "-f", web)
    assert (done.returncode, "(manageJobsWithoutQueueName)" in done.stderr) == (1, True), done.stderr
    jobs = op.values({"learner": 1, "rollout": 1}, {"learner": {}, "rollout": {}}, kind="job")
    assert all("without a queue, and so never" in found["found"] for found in diagnosed(op, jobs))
    op.plain("install", "one", CHART, "-f", jobs)
    said(op, "manages the Jobs of learner, rollout by itself (manageJobsWithoutQueueName)", "one")
    op.kueue.queue(op.namespace, "default", gpus=2)
    (taken,) = diagnosed(op, web)
    assert (taken["state"], "by itself through LocalQueue default" in taken["found"]) == ("warning", True), taken
    assert all("would admit it through LocalQueue default" in found["found"] for found in diagnosed(op, jobs))
    op.plain("install", "two", CHART, "-f", jobs)
    said(op, "manages the Jobs of learner, rollout by itself (LocalQueue default is in the namespace)", "two")


@ONE
def test_while_kueue_is_down_an_install_stops_with_one_line_before_anything_is_applied(admitted: Admitted) -> None:
    op = admitted
    op.quota(2)
    before = op.namespace.everything()
    with op.kueue.down():
        done = op.roster.attempt("install", "op", "-f", op.values(GROUPS, FLAT))
    assert (done.returncode, len(done.stderr.splitlines())) == (1, 1), done.stderr
    assert "no pod can be made now, for want of an answer (Kueue's, if it is down)" in done.stderr
    assert op.namespace.everything() == before
