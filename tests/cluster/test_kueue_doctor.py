"""What doctor and install find out of Kueue before anything is applied, and that it is so."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cluster import admission, operations, rights, smoke
from tests.cluster.admitting import Admitted
from tests.cluster.api import Json, stays

FLAT = {"worker": {}}
GROUPS = {"worker": 2}
# What Kueue decides is tried with one scheduler.
ONE = pytest.mark.parametrize("kueue_placer", ["native"], indirect=True)


def diagnosed(op: Admitted, values: Path, *flags: str, check: str = "admission") -> list[Json]:
    """Run doctor and return its findings of one kind."""
    done = op.roster.attempt("doctor", "-f", values, *flags, "-o", "json")
    assert done.stdout, done.stderr
    return [found for found in json.loads(done.stdout)["checks"] if found["check"] == check]


FAULTS: dict[str, tuple[Callable[[Admitted], None], str]] = {
    "missing": (lambda _: None, 'has no LocalQueue "team", nor any other'),
    "stopped": (lambda op: op.quota(2, stopPolicy="Hold"), "is stopped (stopPolicy Hold)"),
    "too small": (
        lambda op: op.quota(1),
        'can never admit gang "step", whatever else runs: worker can take no flavor: flavor',
    ),
    "other namespaces": (
        lambda op: op.quota(2, namespaceSelector={"matchLabels": {"no": "such"}}),
        "its namespaceSelector does not select",
    ),
}  # fmt: skip


@ONE
@pytest.mark.parametrize("fault", FAULTS)
def test_a_queue_that_never_takes_the_gang_is_named_by_doctor_and_stops_the_install(
    admitted: Admitted, fault: str
) -> None:
    op, (make, told) = admitted, FAULTS[fault]
    op.namespace.add_nodes(2)
    make(op)
    before = op.namespace.everything()
    values = op.values(GROUPS, FLAT)
    (found,) = diagnosed(op, values)
    assert (found["state"], told in found["found"]) == ("failed", True), found
    done = op.roster.attempt("install", "op", "-f", values)
    assert (done.returncode, told in done.stderr, len(done.stderr.splitlines())) == (1, True, 1), done.stderr
    assert op.namespace.everything() == before


@ONE
def test_checks_that_are_skipped_stop_nothing_and_the_gang_runs_once_its_queue_opens(admitted: Admitted) -> None:
    op = admitted
    op.namespace.add_nodes(2)
    op.quota(2, stopPolicy="Hold")
    op.roster("install", "op", "-f", op.values(GROUPS, FLAT), "--skip-checks")
    op.gates(2)
    op.kueue.change(op.namespace, stopPolicy="None")
    op.binds(2)


@ONE
def test_a_flavor_of_nodes_that_are_not_there_is_warned_of_and_an_admitted_gang_waits_for_them(
    admitted: Admitted,
) -> None:
    op = admitted
    op.namespace.add_nodes(2)
    op.quota(2, node_labels={"no": "such"})
    (found,) = diagnosed(op, op.values(GROUPS, FLAT))
    assert (found["state"], "has no node that worker may run on" in found["found"]) == ("warning", True), found
    done = op.roster("install", "op", "-f", op.values(GROUPS, FLAT))
    assert "warning: " in done.stderr
    op.uses(2)
    op.holds(0)


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
def test_what_kueue_leaves_out_or_takes_over_is_told_before_pods_wait_for_ever(admitted: Admitted) -> None:
    """Namespaces that its configuration does not select, and manageJobsWithoutQueueName."""
    op = admitted
    op.namespace.add_nodes(2)
    op.quota(2)
    plain = operations.values({"web": operations.group(op.namespace, 1)})
    queued = op.values(GROUPS, FLAT)
    own = {"key": "kubernetes.io/metadata.name", "operator": "NotIn", "values": list(admission.UNMANAGED)}
    elsewhere = {"matchExpressions": [own, {"key": "unmanaged", "operator": "DoesNotExist"}]}
    with op.kueue.configured(managedJobsNamespaceSelector=elsewhere, manageJobsWithoutQueueName=True):
        assert [found["state"] for found in diagnosed(op, queued)] == ["ok"]
        (op.folder / "plain").mkdir()
        web = operations.write(op.folder / "plain", plain)
        (taken,) = diagnosed(op, web)
        assert (taken["state"], "though it names no queue" in taken["found"]) == ("failed", True), taken
        done = op.roster.attempt("install", "web", "-f", web)
        assert (done.returncode, "(manageJobsWithoutQueueName)" in done.stderr) == (1, True), done.stderr
        op.namespace.api.patch(
            f"/api/v1/namespaces/{op.namespace.name}", {"metadata": {"labels": {"unmanaged": "yes"}}}
        )
        (left,) = diagnosed(op, op.values(GROUPS, FLAT))
        assert "it would hold the pods, and never let them go" in left["found"], left
        op.install(GROUPS, FLAT)
        stays(op.gated, 3, "two gated pods", until=lambda seen: seen == 2)
        assert op.workloads() == []


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
