"""What Helm applied and is not there any more."""

from __future__ import annotations

import base64
import gzip
import json

import pytest
import yaml

from helm_roster import constants
from helm_roster.cluster import client
from helm_roster.cluster.gone import Gone
from helm_roster.cluster.live import Observed
from helm_roster.cluster.records import Record
from helm_roster.manifests.walk import Manifest
from helm_roster.model.live import Live

from tests.unit import api_servers

LABELS = {constants.INSTANCE_LABEL: "rel", constants.OPERATION_LABEL: "op"}
PLURALS = {"Service": "services", "ConfigMap": "configmaps", "Deployment": "deployments"}


def made(kind: str, name: str, api_version: str = "v1", labels: dict[str, str] = LABELS) -> Manifest:
    return {"apiVersion": api_version, "kind": kind, "metadata": {"name": name, "labels": labels}}


APPLIED = [
    made("Service", "there"),
    made("Service", "lost"),
    made("ConfigMap", "files"),
    made("Deployment", "web", "apps/v1"),
    made("Service", "foreign", labels={}),
]


class Server(api_servers.Cluster):
    """Serves some kinds, in any version, and the record of a release."""

    def __init__(self, record: bytes) -> None:
        super().__init__()
        self.record = record
        self.objects = {"services": [made("Service", "there")]}

    def __call__(self, path: str) -> tuple[int, Manifest]:
        """Answer a read."""
        if path in {"/api/v1", "/apis/apps/v1"}:
            kinds = [{"name": plural, "kind": kind, "namespaced": True} for kind, plural in PLURALS.items()]
            return 200, {"resources": kinds}
        if "/secrets/" in path:
            return 200, {"data": {"release": base64.b64encode(self.record).decode()}}
        return super().__call__(path)


def packed(manifests: list[Manifest]) -> bytes:
    text = json.dumps({"manifest": yaml.safe_dump_all(manifests)})
    return base64.b64encode(gzip.compress(text.encode()))


def gone(server: Server, monkeypatch: pytest.MonkeyPatch, state: str = "deployed") -> list[str]:
    record = Record(name="rel", state=state, revision=1)
    observed = Observed(live=Live(name="op", namespace="team", groups={}), release="rel", record=record)
    with api_servers.serving(server, monkeypatch):
        return Gone(client.connect(), "team").of(observed)


def test_what_is_not_there_is_named_but_for_workloads_and_what_is_not_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    assert gone(Server(packed(APPLIED)), monkeypatch) == ["Service lost", "ConfigMap files"]


def test_a_kind_that_may_not_be_listed_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    server = Server(packed(APPLIED))
    server.forbidden = {"services"}
    assert gone(server, monkeypatch) == ["ConfigMap files"]


@pytest.mark.parametrize("state", ["pending-upgrade", "failed", "uninstalling"])
def test_nothing_is_named_while_the_release_is_not_whole(monkeypatch: pytest.MonkeyPatch, state: str) -> None:
    assert gone(Server(packed(APPLIED)), monkeypatch, state) == []


def test_a_damaged_record_names_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    assert gone(Server(b"no record"), monkeypatch) == []
