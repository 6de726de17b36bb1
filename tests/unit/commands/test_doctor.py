"""What doctor tells of a cluster that answers some questions only."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from urllib.parse import unquote

import pytest

from helm_roster import assets
from helm_roster.cluster import client
from helm_roster.commands import doctor, doctor_scheduling
from helm_roster.manifests.walk import Manifest

from tests.support import schemas
from tests.unit import api_servers, builders

SERVED = {
    "/api/v1": {"Service": "services"},
    "/apis/apps/v1": {"Deployment": "deployments", "StatefulSet": "statefulsets"},
    "/apis/batch/v1": {"Job": "jobs"},
}


TEAM = {"backend": "kueue", "queue": "team"}


def answer(path: str) -> tuple[int, Manifest]:
    """Serve the version and the kinds of every operation; fail at everything else."""
    if path == "/version":
        return 200, {"gitVersion": "v1.37.2"}
    kinds = [{"kind": kind, "name": name, "namespaced": True} for kind, name in SERVED.get(path, {}).items()]
    return (200, {"resources": kinds}) if kinds else (500, {"message": "no etcd"})


def test_a_question_that_fails_hides_no_other(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("HELM_NAMESPACE", "team")
    with api_servers.serving(answer, monkeypatch):
        assert doctor.run([], chart=assets.chart(), output="json") == 1
    out = capsys.readouterr().out
    schemas.check(out)
    found = {check["check"]: check for check in json.loads(out)["checks"]}
    assert found["namespace"]["found"] == "the cluster refused to read the namespace (HTTP 500): no etcd"
    assert (found["kinds"]["state"], found["rights"]["state"]) == ("ok", "failed")


def test_values_are_told_with_who_admits_and_who_places(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    values = {"groups": {"web": {"container": {"image": "a/b:1"}}}, "scheduling": {"admission": TEAM}}
    (tmp_path / "values.yaml").write_text(json.dumps(values))
    with api_servers.serving(answer, monkeypatch):
        doctor.run(["-f", str(tmp_path / "values.yaml")], chart=assets.chart(), output="json")
    (found,) = [check for check in json.loads(capsys.readouterr().out)["checks"] if check["check"] == "values"]
    assert found["found"] == "1 group, admission kueue, placement default"


def test_without_values_it_tells_which_backends_the_cluster_could_serve(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def with_groups(path: str) -> tuple[int, Manifest]:
        if path.startswith(("/apis/scheduling.", "/apis/kueue.", "/apis/topology.")):
            kinds = {"/apis/kueue.x-k8s.io/v1beta2": ("LocalQueue", "ClusterQueue", "Workload")}.get(path, ())
            return 200, {"resources": [{"kind": kind, "name": kind.lower(), "namespaced": True} for kind in kinds]}
        return answer(path)

    monkeypatch.setenv("HELM_NAMESPACE", "team")
    with api_servers.serving(with_groups, monkeypatch):
        doctor.run([], chart=assets.chart(), output="json")
    found = {check["check"]: check for check in json.loads(capsys.readouterr().out)["checks"]}
    told = "the cluster could serve placement default and admission kueue; native has no PodGroup"
    assert found["backends"]["found"].startswith(told), found["backends"]


@pytest.mark.parametrize(("age", "state"), [(2, "ok"), (3600, "failed")])
def test_a_scheduler_is_asked_for_by_its_lease(monkeypatch: pytest.MonkeyPatch, age: int, state: str) -> None:
    renewed = (datetime.now(UTC) - timedelta(seconds=age)).isoformat()
    lease = {"metadata": {"namespace": "kube-system", "name": "kube-scheduler"}, "spec": {"renewTime": renewed}}

    def with_lease(path: str) -> tuple[int, Manifest]:
        if path == "/apis/coordination.k8s.io/v1":
            return 200, {"resources": [{"kind": "Lease", "name": "leases", "namespaced": True}]}
        return 200, {"items": [lease] if "metadata.name=kube-scheduler" in unquote(path) else []}

    made: Any = SimpleNamespace(plan=builders.plan({"web": builders.group()}))
    with api_servers.serving(with_lease, monkeypatch):
        (found,) = doctor_scheduling.processes(client.connect(), made, "team")
    assert (found.check, found.state) == ("schedulers", state)
