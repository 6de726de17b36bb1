"""What a cancellation takes for its own."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest

from helm_roster import constants
from helm_roster.backend_base import ApiKind
from helm_roster.backends import kueue
from helm_roster.cluster import client, leftovers
from helm_roster.commands import cancel
from helm_roster.commands.cancelling import Task
from helm_roster.commands.outages import Patience
from helm_roster.manifests.walk import Manifest

from tests.unit import api_servers

LABELS = {constants.INSTANCE_LABEL: "rel", constants.OPERATION_LABEL: "own", constants.GROUP_LABEL: "web"}
SELECTED = {constants.INSTANCE_LABEL: "rel", constants.GROUP_LABEL: "web"}
SELECTOR = f"{constants.INSTANCE_LABEL}=rel,{constants.OPERATION_LABEL}"
POD: Manifest = {"metadata": {"name": "p", "uid": "p", "labels": LABELS}}


def claim(name: str, *owners: str) -> Manifest:
    """Return a claim as the controller of a StatefulSet makes it."""
    references = [{"uid": owner} for owner in owners]
    return {"metadata": {"name": name, "uid": name, "labels": SELECTED, "ownerReferences": references}}


def test_claims_that_go_with_their_stateful_set_are_waited_for_and_others_are_not(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    cluster = api_servers.Cluster()
    cluster.objects = {"pods": [POD], "persistentvolumeclaims": [claim("brief", "set"), claim("kept")]}
    with api_servers.serving(cluster, monkeypatch):
        connected = client.connect()
        kinds = leftovers.kinds(connected)
        first = leftovers.look(connected, "team", SELECTOR, kinds)
        task = Task(
            client=connected, namespace="team", release="rel", selector=SELECTOR, resources=kinds, first=first
        )  # fmt: skip
        assert {one.name for one in task.look().awaited} == {"Pod p", "PersistentVolumeClaim brief"}


@pytest.fixture
def keeping(monkeypatch: pytest.MonkeyPatch) -> Iterator[api_servers.Cluster]:
    """A cluster with a pod, and another of a Deployment that is to be kept."""
    monkeypatch.setitem(api_servers.KINDS, "deployments", "Deployment")
    monkeypatch.setitem(api_servers.KINDS, "replicasets", "ReplicaSet")
    marked = {"labels": LABELS, "annotations": {constants.KEEP_ANNOTATION: "keep"}}
    cluster = api_servers.Cluster()
    cluster.objects = {
        "deployments": [{"metadata": {"name": "d", "uid": "d", **marked}}],
        "replicasets": [{"metadata": {"name": "r", "uid": "r", **marked, "ownerReferences": [{"uid": "d"}]}}],
        "pods": [POD, {"metadata": {"name": "q", "uid": "q", "labels": LABELS, "ownerReferences": [{"uid": "r"}]}}],
    }
    with api_servers.serving(cluster, monkeypatch):
        yield cluster


def begun() -> Task:
    """Return a cancellation after its first look."""
    connected = client.connect()
    kinds = leftovers.kinds(connected)
    first = leftovers.look(connected, "team", SELECTOR, kinds)
    return Task(client=connected, namespace="team", release="rel", selector=SELECTOR, resources=kinds, first=first)


def names(task: Task, plural: str = "") -> set[str]:
    """Return what a look at one kind, or at all, finds to wait for."""
    kinds = [kind for kind in task.resources if plural in {"", kind.plural}]
    return {one.name for one in task.look(kinds).awaited}


@pytest.mark.usefixtures("keeping")
def test_the_pods_of_a_kept_workload_stay_with_it_and_only_the_workload_is_told() -> None:
    task = begun()
    assert names(task) == names(task, "pods") == {"Pod p"}
    assert [one.name for one in task.kept.values()] == ["Deployment d"]


def test_a_workload_that_was_to_be_kept_and_is_deleted_all_the_same_takes_its_pods_along(
    keeping: api_servers.Cluster,
) -> None:
    task = begun()
    assert names(task) == {"Pod p"}
    keeping.objects["deployments"] = []
    assert names(task) == {"Pod p", "Pod q", "ReplicaSet r"}
    assert not task.kept


@pytest.fixture
def holding(monkeypatch: pytest.MonkeyPatch) -> Iterator[Task]:
    """A cancellation of a pod that is gone, of which an object that holds quota is left, beside one of another pod."""
    monkeypatch.setitem(api_servers.KINDS, "workloads", "Workload")
    monkeypatch.setattr(kueue, "HOLDS", (ApiKind(api_version="v1", kind="Workload", plural="workloads"),))
    marked = {**POD["metadata"], "annotations": {constants.ADMISSION_ANNOTATION: "kueue"}}
    cluster = api_servers.Cluster()
    left = [{"metadata": {"name": name, "uid": name, "ownerReferences": [{"uid": name}]}} for name in ("p", "other")]
    cluster.objects = {"pods": [{"metadata": marked}], "workloads": left}
    with api_servers.serving(cluster, monkeypatch):
        task = begun()
        cluster.objects["pods"] = []
        yield task


def test_what_still_holds_quota_of_pods_that_are_gone_is_found(holding: Task) -> None:
    assert [one.name for one in holding.quota()] == ["Workload p"]


def test_it_is_told_where_nobody_deletes_it(
    holding: Task, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(cancel, "_QUOTA_SECONDS", 0)
    cancel._tell_quota(holding, Patience(time.monotonic() + 5, "unknown"))
    assert "warning: 1 Workload still holds quota, until who gave it runs" in capsys.readouterr().err
