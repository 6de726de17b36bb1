"""What is wrong with objects, as an API server tells it, and what is Helm's to tell."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from helm_roster import constants
from helm_roster.cluster import client, faults
from helm_roster.manifests.walk import Manifest

from tests.unit import api_servers

Answer = tuple[int, Manifest]
DEPLOYMENTS = "/apis/apps/v1/namespaces/team/deployments"
SERVED = {
    "/apis/apps/v1": (200, {"resources": [{"name": "deployments", "kind": "Deployment", "namespaced": True}]}),
    "/apis/rbac/v1": (200, {"resources": [{"name": "clusterroles", "kind": "ClusterRole", "namespaced": False}]}),
    "/apis/ext/v1": (
        200,
        {"resources": [{"name": "definitions", "kind": "CustomResourceDefinition", "namespaced": False}]},
    ),
}


def invalid(*causes: tuple[str, str], said: str = "no") -> Answer:
    """Return the answer to an object of which these fields are wrong."""
    told = [{"reason": "FieldValueInvalid", "field": field, "message": message} for field, message in causes]
    return 422, {"message": said, "details": {"causes": told}}


class Server:
    """An API server that answers dry runs so, and what it was asked."""

    def __init__(self, made: Answer, *, there: Answer = (404, {}), changed: Answer = (200, {})) -> None:
        self.answers = {"POST": made, "GET": there, "PATCH": changed}
        self.asked: list[str] = []

    def __call__(self, path: str) -> Answer:
        """Answer one request."""
        if path in SERVED:
            return SERVED[path]
        self.asked.append(path)
        path, _, query = path.partition("?")
        verb = "PATCH" if "force=true" in query else "POST" if query else "GET"
        assert ("dryRun=All" in query) == (verb != "GET")
        return self.answers[verb] if path.startswith(("/apis/apps", "/apis/rbac")) else (404, {})


def deployment(name: str = "op-b") -> Manifest:
    """Return a workload of group b."""
    metadata = {"name": name, "labels": {constants.GROUP_LABEL: "b"}}
    return {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": metadata}


def find(monkeypatch: pytest.MonkeyPatch, server: Server, manifests: Sequence[Manifest] = ()) -> list[str]:
    """Return what is wrong with the manifests, in words."""
    with api_servers.serving(server, monkeypatch):
        found = faults.find(client.connect(), "team", manifests or [deployment()])
    return [str(fault) for fault in found]


def test_a_fault_names_object_and_field_once_in_the_servers_words(monkeypatch: pytest.MonkeyPatch) -> None:
    made = invalid(("spec.a", "must be\n  qualified"), ("spec.a", "must be standard"), ("spec.b", "Required value"))
    expected = ["Deployment op-b: spec.a: must be qualified", "Deployment op-b: spec.b: Required value"]
    assert find(monkeypatch, Server(made)) == expected


def test_an_object_that_cannot_be_read_is_a_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    said = 'Deployment in version "v1" cannot be handled as a Deployment: strict decoding error: unknown field "spec.x"'
    made = 400, {"message": said}
    expected = ['Deployment op-b: strict decoding error: unknown field "spec.x"']
    assert find(monkeypatch, Server(made, there=(200, {}))) == expected


def test_a_fault_is_cut_where_the_server_repeats_the_whole_value(monkeypatch: pytest.MonkeyPatch) -> None:
    (found,) = find(monkeypatch, Server(invalid(("spec", "x" * 5000))))
    assert (len(found) < 300, found[-2:]) == (True, "x…")


@pytest.mark.parametrize(
    "made",
    [
        (201, {}),
        (401, {"message": "who?"}),
        (403, {"message": "exceeded quota"}),
        (404, {"message": 'namespaces "team" not found'}),
        (409, {"message": "already exists"}),
        (429, {"message": "later"}),
        (500, {"message": "failed calling webhook"}),
        (400, {"message": 'admission webhook "w" does not support dry run'}),
        (400, {"message": "the namespace of the provided object does not match the namespace sent on the request"}),
        (400, {"message": 'admission webhook "w" denied the request: it cannot be handled as a Deployment: no'}),
        invalid(("spec.a", "no"), said='admission webhook "w" denied the request: spec.a: no'),
        invalid(("", "denied request"), said="is forbidden: ValidatingAdmissionPolicy 'p' denied request"),
    ],
    ids=["taken", "credentials", "quota", "namespace", "there", "busy", "broken", "no-dry-run", "elsewhere", "webhook",
         "webhook-with-causes", "policy"],
)  # fmt: skip
def test_what_is_no_fault_of_the_object_is_borne(monkeypatch: pytest.MonkeyPatch, made: Answer) -> None:
    assert find(monkeypatch, Server(made)) == []


@pytest.mark.parametrize(
    ("there", "changed", "found"),
    [
        (200, (200, {}), 0),
        (200, invalid(("spec.selector", "field is immutable")), 0),
        (200, invalid(("spec.a", "no")), 1),
        (200, (403, {"message": "you may not"}), 0),
        (403, (200, {}), 0),
        (404, (200, {}), 1),
    ],
    ids=["takes the change", "refuses otherwise", "refuses alike", "may not be changed", "may not be seen", "absent"],
)
def test_of_an_object_that_is_there_only_what_its_change_keeps_wrong_counts(
    monkeypatch: pytest.MonkeyPatch, there: int, changed: Answer, found: int
) -> None:
    server = Server(invalid(("spec.a", "no")), there=(there, {}), changed=changed)
    assert len(find(monkeypatch, server)) == found


def test_faults_come_in_the_order_of_the_objects(monkeypatch: pytest.MonkeyPatch) -> None:
    names = [f"op-{number}" for number in range(30)]
    found = find(monkeypatch, Server(invalid(("spec", "no"))), [deployment(name) for name in names])
    assert found == [f"Deployment {name}: spec: no" for name in names]


def test_a_server_that_is_away_is_not_asked_for_every_object(monkeypatch: pytest.MonkeyPatch) -> None:
    server = Server((503, {"message": "away"}))
    assert find(monkeypatch, server, [deployment(str(number)) for number in range(200)]) == []
    assert len(server.asked) < 100


def test_kinds_that_are_not_served_and_definitions_are_not_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    kinds = (("rbac/v1", "ClusterRole"), ("ext/v1", "CustomResourceDefinition"), ("no.such/v1", "Herd"))
    manifests = [{"apiVersion": version, "kind": kind, "metadata": {"name": "x"}} for version, kind in kinds]
    server = Server((201, {}))
    assert find(monkeypatch, server, [*manifests, deployment() | {"metadata": {"name": "x", "namespace": "own"}}]) == []
    tried = [path.partition("?")[0] for path in server.asked if "dryRun" in path]
    assert sorted(tried) == ["/apis/apps/v1/namespaces/own/deployments", "/apis/rbac/v1/clusterroles"]
