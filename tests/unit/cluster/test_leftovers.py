"""What is known of an object that is still there."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest

from helm_roster.cluster import client, leftovers
from helm_roster.cluster.client import CLAIMS, PODS
from helm_roster.cluster.leftovers import Leftover
from helm_roster.manifests.walk import Manifest


def leftover(manifest: Manifest) -> Leftover:
    return Leftover(resource=PODS, manifest=manifest)


def test_an_object_that_helm_keeps_is_kept() -> None:
    assert leftover({"metadata": {"annotations": {"helm.sh/resource-policy": "keep"}}}).is_kept
    assert not leftover({"metadata": {}}).is_kept


def test_what_a_controller_made_is_not_kept_by_an_annotation_that_it_copied() -> None:
    metadata = {"annotations": {"helm.sh/resource-policy": "keep"}, "ownerReferences": [{"uid": "owner"}]}
    assert not leftover({"metadata": metadata}).is_kept


@pytest.mark.parametrize(
    ("claim", "size"),
    [
        ({"spec": {"resources": {"requests": {"storage": "1Gi"}}}, "status": {"capacity": {"storage": "2Gi"}}}, "2Gi"),
        ({"spec": {"resources": {"requests": {"storage": "1Gi"}}}}, "1Gi"),
        ({}, "of unknown size"),
    ],
)
def test_a_claim_is_as_large_as_its_volume(claim: Manifest, size: str) -> None:
    assert leftovers.size(Leftover(resource=CLAIMS, manifest=claim)) == size


class Api(BaseHTTPRequestHandler):
    """An API server with one pod, which mounts a claim; a webhook of pod ``held`` is away."""

    deleted: list[str]

    def do_GET(self) -> None:
        """Answer."""
        volume = {"name": "v", "persistentVolumeClaim": {"claimName": "data"}}
        pod = {"metadata": {"name": "op-0"}, "spec": {"nodeName": "n", "volumes": [volume]}}
        found: Manifest = {"items": [pod]} if "/pods?" in self.path else {}
        self.send_response(200)
        self.end_headers()
        self.wfile.write(json.dumps(found).encode())

    def do_DELETE(self) -> None:
        """Delete, unless the webhook is asked."""
        name = self.path.rpartition("/")[2]
        is_held = name == "held"
        self.deleted.extend([] if is_held else [name])
        self.send_response(500 if is_held else 200)
        self.end_headers()
        self.wfile.write(b'{"message": "failed calling webhook"}')

    def log_message(self, *args: object) -> None:
        """Keep quiet."""


@pytest.fixture
def api(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """That API server, to which our client is led."""
    Api.deleted = []
    served = HTTPServer(("127.0.0.1", 0), Api)
    threading.Thread(target=served.serve_forever, daemon=True).start()
    monkeypatch.setenv("KUBECONFIG", "/dev/null")
    monkeypatch.setenv("HELM_KUBEAPISERVER", f"http://127.0.0.1:{served.server_port}")
    yield
    served.shutdown()
    served.server_close()


@pytest.mark.usefixtures("api")
def test_the_pods_that_keep_a_claim_are_named() -> None:
    held = {"deletionTimestamp": "2026-11-29T12:00:00Z", "finalizers": ["kubernetes.io/pvc-protection"]}
    claims = [
        Leftover(resource=CLAIMS, manifest={"metadata": {"name": name, "uid": name, **held}})
        for name in ("data", "other")
    ]
    lines = leftovers.reasons(client.connect(), "team", claims)
    assert [line.partition("which ")[2] for line in lines] == [
        "goes with what uses it (pod op-0)",
        "goes with what uses it",
    ]


@pytest.mark.usefixtures("api")
def test_an_object_that_cannot_be_deleted_keeps_no_other_one() -> None:
    found = [leftover({"metadata": {"name": name, "uid": name}}) for name in ("a", "held", "b")]
    with pytest.raises(client.ApiError, match="failed calling webhook"):
        leftovers.delete(client.connect(), "team", found)
    assert Api.deleted == ["a", "b"]
