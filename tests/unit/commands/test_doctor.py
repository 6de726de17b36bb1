"""What doctor tells of a cluster that answers some questions only."""

from __future__ import annotations

import json

import pytest

from helm_roster import assets
from helm_roster.commands import doctor
from helm_roster.manifests.walk import Manifest

from tests.support import schemas
from tests.unit import api_servers

SERVED = {
    "/api/v1": {"Service": "services"},
    "/apis/apps/v1": {"Deployment": "deployments", "StatefulSet": "statefulsets"},
    "/apis/batch/v1": {"Job": "jobs"},
}


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
