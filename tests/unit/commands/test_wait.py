"""Waiting for an operation to be gone: what of it is looked for, and what an API server that is away does to it."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from helm_roster import constants
from helm_roster.commands import wait
from helm_roster.commands.observing import Observer
from helm_roster.manifests.walk import Manifest
from helm_roster.policy.waiting import Waiting

from tests.unit import api_servers
from tests.unit import live_objects as make
from tests.unit.api_servers import Cluster

LABELS = {constants.INSTANCE_LABEL: "rel", constants.OPERATION_LABEL: "own", constants.GROUP_LABEL: "web"}
POD: Manifest = {
    "metadata": {"name": "p", "uid": "p", "labels": LABELS},
    "spec": {"volumes": [{"name": "scratch", "ephemeral": {}}]},
}
OWNED: Manifest = {"ownerReferences": [{"uid": "p"}], "deletionTimestamp": make.GONE}
CLAIM: Manifest = {"metadata": {"name": "c", "uid": "c", **OWNED}}
HELD = {"owner": "helm", "name": "rel", "status": "uninstalling", "version": "1"}
RECORD: Manifest = {"metadata": {"uid": "r", "labels": HELD}}


@pytest.fixture
def cluster(monkeypatch: pytest.MonkeyPatch) -> Iterator[Cluster]:
    """An API server that holds the pod and Helm's record of it."""
    found = Cluster()
    found.objects = {"pods": [POD], "secrets": [RECORD]}
    monkeypatch.setenv("HELM_NAMESPACE", "team")
    with api_servers.serving(found, monkeypatch):
        yield found


def task(name: str) -> wait._Task:
    """Return a wait for it to be gone, which has seen it."""
    begun = wait._Task(observer=Observer(name), waiting=Waiting(goal="deleted"))
    assert begun.look(0.0) == "waiting"
    return begun


def test_helms_record_is_waited_for_by_an_operations_own_name_too(cluster: Cluster) -> None:
    begun = task("own")
    cluster.objects["pods"] = []
    assert begun.look(1.0) == "waiting"
    cluster.objects["secrets"] = []
    assert begun.look(2.0) == "reached"


def test_claims_that_kubernetes_made_for_pods_are_waited_for(cluster: Cluster) -> None:
    begun = task("rel")
    cluster.objects = {"persistentvolumeclaims": [CLAIM]}
    assert [begun.look(1.0), [one.name for one in begun.left]] == ["waiting", ["PersistentVolumeClaim c"]]


@pytest.mark.parametrize("how", [OWNED, {"ownerReferences": [{"uid": "set"}]}, {"deletionTimestamp": make.GONE}, {}])
def test_a_claim_of_a_stateful_set_is_waited_for_where_it_is_not_kept(cluster: Cluster, how: Manifest) -> None:
    labels = {key: value for key, value in LABELS.items() if key != constants.OPERATION_LABEL}
    cluster.objects = {"persistentvolumeclaims": [{"metadata": {"name": "c", "uid": "c", "labels": labels, **how}}]}
    begun = wait._Task(observer=Observer("rel"), waiting=Waiting(goal="deleted"))
    assert begun.look(0.0) == ("waiting" if how else "reached")


def test_an_outage_at_the_end_of_the_time_is_told_as_a_cause(cluster: Cluster) -> None:
    begun = task("rel")
    cluster.objects = {"persistentvolumeclaims": [CLAIM]}
    begun.look(1.0)
    cluster.is_away = True
    assert begun.causes("timeout") == ["the cluster refused to read what holds it (HTTP 503): away"]


def test_kinds_that_may_not_be_listed_are_told(cluster: Cluster, capsys: pytest.CaptureFixture[str]) -> None:
    cluster.objects, cluster.forbidden = {}, {"secrets"}
    wait.run("rel", goal="deleted", timeout=0.0)
    assert capsys.readouterr().out == (
        "rel is gone, as far as you may list (after 0s)\nnot looked for, since you may not list them: secrets\n"
    )
    wait.run("rel", goal="deleted", timeout=0.0, output="json")
    found = json.loads(capsys.readouterr().out)
    assert (found["outcome"], found["unseen"]) == ("reached", ["secrets"])
