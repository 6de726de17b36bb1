"""Reading the API server's answers; that a real one gives them is seen in tests/cluster."""

from __future__ import annotations

import json

import pytest

from helm_roster.cluster import client
from helm_roster.cluster.client import Resource


def answer(status: int, message: str = "") -> bytes:
    return json.dumps({"kind": "Status", "message": message, "code": status}).encode()


@pytest.mark.parametrize(
    ("resource", "path"),
    [
        (client.PODS, "/api/v1/namespaces/team/pods/p"),
        (
            Resource(api_version="apps/v1", kind="Deployment", plural="deployments"),
            "/apis/apps/v1/namespaces/team/deployments/p",
        ),
    ],
)
def test_an_objects_path_follows_from_its_kind(resource: Resource, path: str) -> None:
    assert resource.path("team", "p") == path


@pytest.mark.parametrize("status", [404, 405, 410])
def test_what_is_absent_is_none(status: int) -> None:
    assert client._answer(status, answer(status), "list pods") is None


@pytest.mark.parametrize(
    ("status", "words"),
    [
        (401, "does not accept your credentials"),
        (403, "you may not list pods: no such right"),
        (500, r"refused to list pods \(HTTP 500\): no such right"),
    ],
)
def test_a_refusal_is_one_line_with_the_verb_and_kind(status: int, words: str) -> None:
    with pytest.raises(client.ApiError, match=words) as caught:
        client._answer(status, answer(status, "no such\nright"), "list pods")
    assert (caught.value.status, caught.value.exit_code, "\n" in str(caught.value)) == (status, 4, False)


def test_discovery_yields_each_namespaced_kind_of_every_version_in_order() -> None:
    entry = {"resource": "podgroups", "responseKind": {"kind": "PodGroup"}, "scope": "Namespaced", "verbs": ["list"]}
    cluster_wide = {**entry, "resource": "priorityclasses", "scope": "Cluster"}
    versions = [{"version": "v1", "resources": [cluster_wide]}, {"version": "v1beta1", "resources": [entry]}]
    found = list(client._discovered({"items": [{"metadata": {"name": "scheduling.k8s.io"}, "versions": versions}]}))
    expected = Resource(api_version="scheduling.k8s.io/v1beta1", kind="PodGroup", plural="podgroups", verbs=("list",))
    assert found == [("scheduling.k8s.io", expected)]
