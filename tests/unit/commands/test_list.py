"""Which operations are listed, and what is said where some of their objects are not there or may not be seen."""

from __future__ import annotations

import base64
import gzip
import json
from collections.abc import Iterator

import pytest

from helm_roster import constants
from helm_roster.commands import list as command
from helm_roster.manifests.walk import Manifest

from tests.support import schemas
from tests.unit import api_servers

OURS = f"metadata: {{labels: {{{constants.OPERATION_LABEL}: op}}}}"
LABELS = {constants.INSTANCE_LABEL: "gang", constants.OPERATION_LABEL: "gang", constants.GROUP_LABEL: "web"}
GANG: Manifest = {
    "metadata": {"name": "web", "labels": LABELS, "annotations": {constants.PLACEMENT_ANNOTATION: "native"}},
    "spec": {"replicas": 0, "template": {"spec": {"schedulingGroup": {"podGroupName": "g"}}}},
}


def secret(release: str, state: str, manifest: str) -> Manifest:
    """Return the object in which Helm keeps the first revision of a release."""
    packed = base64.b64encode(gzip.compress(json.dumps({"manifest": manifest}).encode()))
    labels = {"owner": "helm", "name": release, "status": state, "version": "1"}
    name = f"sh.helm.release.v1.{release}.v1"
    metadata = {"name": name, "namespace": "team", "uid": release, "labels": labels}
    return {"metadata": metadata, "data": {"release": base64.b64encode(packed).decode()}}


class Cluster(api_servers.Cluster):
    """An API server that gives a single Secret too."""

    def __call__(self, path: str) -> tuple[int, Manifest]:
        """Answer a read."""
        named = [one for one in self.objects.get("secrets", ()) if path.endswith(f"/secrets/{one['metadata']['name']}")]
        return (200, named[0]) if named else super().__call__(path)


@pytest.fixture
def cluster(monkeypatch: pytest.MonkeyPatch) -> Iterator[Cluster]:
    """An empty API server."""
    found = Cluster()
    with api_servers.serving(found, monkeypatch):
        yield found


def listed(capsys: pytest.CaptureFixture[str]) -> Manifest:
    command.run(everywhere=True, output="json")
    out = capsys.readouterr().out
    schemas.check(out)
    found: Manifest = json.loads(out)
    return found


def test_a_release_of_an_operation_without_objects_is_listed(
    cluster: Cluster, capsys: pytest.CaptureFixture[str]
) -> None:
    cluster.objects["secrets"] = [
        *(secret("rl", "deployed", OURS), secret("old", "uninstalled", OURS)),
        secret("postgres", "deployed", "metadata: {}"),
    ]
    (found,) = listed(capsys)["operations"]
    assert (found["name"], found["namespace"], found["verdict"]) == ("rl", "team", "NotFound")


def test_grouping_objects_that_may_not_be_listed_are_told_and_hide_no_operation(
    cluster: Cluster, capsys: pytest.CaptureFixture[str]
) -> None:
    cluster.objects["statefulsets"], cluster.forbidden = [GANG], {"podgroups"}
    found = listed(capsys)
    assert [entry["verdict"] for entry in found["operations"]] == ["Ready"]
    assert found["unseen"] == ["podgroups.scheduling.k8s.io"]
    command.run(everywhere=True, output="table")
    assert capsys.readouterr().err.startswith("you may not list podgroups.scheduling.k8s.io: verdicts leave out")
