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
    return holding(release, state, gzip.compress(json.dumps({"manifest": manifest}).encode()))


def holding(release: str, state: str, record: bytes) -> Manifest:
    """Return that object with whatever stands for the record in it."""
    packed = base64.b64encode(record)
    labels = {"owner": "helm", "name": release, "status": state, "version": "1"}
    name = f"sh.helm.release.v1.{release}.v1"
    metadata = {"name": name, "namespace": "team", "uid": release, "labels": labels}
    return {"metadata": metadata, "data": {"release": base64.b64encode(packed).decode()}}


class Cluster(api_servers.Cluster):
    """An API server that gives a single Secret too, and knows how many were read."""

    reads = 0

    def __call__(self, path: str) -> tuple[int, Manifest]:
        """Answer a read."""
        self.reads += "/secrets/" in path
        named = [one for one in self.objects.get("secrets", ()) if path.endswith(f"/secrets/{one['metadata']['name']}")]
        return (200, named[0]) if named else super().__call__(path)


@pytest.fixture
def cluster(monkeypatch: pytest.MonkeyPatch) -> Iterator[Cluster]:
    """An empty API server."""
    found = Cluster()
    monkeypatch.setenv("HELM_NAMESPACE", "team")
    with api_servers.serving(found, monkeypatch):
        yield found


def listed(capsys: pytest.CaptureFixture[str], *, everywhere: bool = False) -> Manifest:
    command.run(everywhere=everywhere, output="json")
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


def test_in_all_namespaces_no_release_is_read(cluster: Cluster, capsys: pytest.CaptureFixture[str]) -> None:
    cluster.objects["secrets"] = [secret(name, "deployed", OURS) for name in ("rl", "chat")]
    assert (listed(capsys, everywhere=True)["operations"], cluster.reads) == ([], 0)


def test_a_record_that_is_not_compressed_is_read(cluster: Cluster, capsys: pytest.CaptureFixture[str]) -> None:
    cluster.objects["secrets"] = [holding("old", "deployed", json.dumps({"manifest": OURS}).encode())]
    assert [found["name"] for found in listed(capsys)["operations"]] == ["old"]


@pytest.mark.parametrize(
    "record",
    [b"no JSON", b"\xff", b"\x1f\x8b\x08", gzip.compress(b"{}")[:-9], gzip.compress(b"{")],
    ids=["no JSON", "no text", "no gzip", "cut off", "half of it"],
)
def test_a_damaged_record_is_named_and_hides_no_other(
    cluster: Cluster, capsys: pytest.CaptureFixture[str], record: bytes
) -> None:
    cluster.objects["secrets"] = [holding("bad", "deployed", record), secret("rl", "deployed", OURS)]
    command.run(everywhere=False, output="json")
    out, err = capsys.readouterr()
    assert [found["name"] for found in json.loads(out)["operations"]] == ["rl"]
    assert err.startswith("Secret sh.helm.release.v1.bad.v1 in namespace team, Helm's record of bad, cannot be read (")
    assert err.count("\n") == 1


def test_a_record_of_which_the_labels_are_damaged_hides_no_other(
    cluster: Cluster, capsys: pytest.CaptureFixture[str]
) -> None:
    bad = secret("bad", "deployed", OURS)
    bad["metadata"]["labels"]["version"] = "first"
    cluster.objects["secrets"] = [bad, secret("rl", "deployed", OURS)]
    assert [found["name"] for found in listed(capsys)["operations"]] == ["rl"]


def test_grouping_objects_that_may_not_be_listed_are_told_and_hide_no_operation(
    cluster: Cluster, capsys: pytest.CaptureFixture[str]
) -> None:
    cluster.objects["statefulsets"], cluster.forbidden = [GANG], {"podgroups"}
    found = listed(capsys)
    assert [entry["verdict"] for entry in found["operations"]] == ["Ready"]
    assert found["unseen"] == ["podgroups.scheduling.k8s.io"]
    command.run(everywhere=True, output="table")
    assert capsys.readouterr().err.startswith("you may not list podgroups.scheduling.k8s.io: verdicts leave out")
