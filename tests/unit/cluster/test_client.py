"""Reading the API server's answers; that a real one gives them is seen in tests/cluster."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from urllib.parse import parse_qs, urlsplit

import pytest

from helm_roster import errors
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


@pytest.mark.parametrize("status", [404, 405])
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


Serve = Callable[[list[tuple[int, list[str], str]]], list[dict[str, str]]]


@pytest.fixture
def serve(monkeypatch: pytest.MonkeyPatch) -> Iterator[Serve]:
    """Start an API server that gives these answers (status, names, continue) in turn; what it was asked is returned."""
    servers: list[HTTPServer] = []

    def start(answers: list[tuple[int, list[str], str]]) -> list[dict[str, str]]:
        asked: list[dict[str, str]] = []

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                self.rfile.read(int(self.headers.get("Content-Length") or 0))
                asked.append({key: found[0] for key, found in parse_qs(urlsplit(self.path).query).items()})
                status, names, token = answers[len(asked) - 1]
                items = [{"metadata": {"name": name}} for name in names]
                body = json.dumps({"metadata": {"continue": token}, "items": items, "message": "too old"}).encode()
                self.send_response(status)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            do_PATCH = do_GET  # noqa: N815  (the name is the library's)

            def log_message(self, *args: object) -> None:
                """Keep quiet."""

        server = HTTPServer(("127.0.0.1", 0), Handler)
        servers.append(server)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        monkeypatch.setenv("KUBECONFIG", "/dev/null")
        monkeypatch.setenv("HELM_KUBEAPISERVER", f"http://127.0.0.1:{server.server_port}")
        return asked

    yield start
    for server in servers:
        server.shutdown()
        server.server_close()


@pytest.mark.parametrize(
    ("chunks", "lines"),
    [
        ([b"a\nb\n"], [b"a", b"b"]),
        ([b"a", b"b", b"c\nd"], [b"abc", b"d"]),
        ([b"a\n", b"\n", b"b"], [b"a", b"", b"b"]),
        ([], []),
    ],
)
def test_lines_are_whole_however_they_come(chunks: list[bytes], lines: list[bytes]) -> None:
    assert list(client._split(chunks)) == lines


def names() -> list[str]:
    return [found["metadata"]["name"] for found in client.connect().select(client.PODS, "team")]


def test_a_list_that_expires_between_its_pages_is_begun_anew(serve: Serve) -> None:
    asked = serve([(200, ["a"], "t"), (410, [], ""), (200, ["a"], "u"), (200, ["b"], "")])
    assert names() == ["a", "b"]
    assert [query.get("continue") for query in asked] == [None, "t", None, "u"]


def test_a_list_that_expires_again_and_again_is_asked_for_in_one_piece(serve: Serve) -> None:
    expires = [(200, ["a"], "t"), (410, [], "")]
    asked = serve([*expires, *expires, (200, ["a", "b"], "")])
    assert names() == ["a", "b"]
    assert asked[-1]["limit"] == "0"


def test_a_list_that_is_gone_in_one_piece_is_no_empty_list(serve: Serve) -> None:
    serve([(410, [], "")] * 3)
    with pytest.raises(errors.OperationFailedError, match="HTTP 410"):
        names()


@pytest.mark.parametrize("status", [404, 405])
def test_a_workload_that_is_gone_cannot_be_scaled(serve: Serve, status: int) -> None:
    serve([(status, [], "")])
    with pytest.raises(client.ApiError, match="Deployment op-web cannot be scaled, since it is gone"):
        client.connect().set_replicas(client.WORKLOADS[0], "team", "op-web", 5)


@pytest.mark.parametrize("resource", [client.PODS, client.WORKLOADS[0]], ids=lambda found: found.kind)
def test_a_proxy_without_an_api_server_is_no_empty_list(serve: Serve, resource: Resource) -> None:
    serve([(404, [], "")])
    with pytest.raises(client.UnreachableError, match=r"is no API server \(HTTP 404 to list "):
        client.connect().select(resource, "team")


def test_a_kind_that_is_not_served_has_no_objects(serve: Serve) -> None:
    serve([(404, [], "")])
    assert client.connect().select(Resource(api_version="example.com/v1", kind="Herd", plural="herds"), "team") == []


@pytest.mark.parametrize(
    ("error", "passes"),
    [
        (client.UnreachableError("refused"), True),
        (client.ApiError("starts", 503), True),
        (client.ApiError("too many", 429), True),
        (client.ApiError("forbidden", 403), False),
        (errors.OperationFailedError("no cluster is configured"), False),
    ],
    ids=["no answer", "unavailable", "too many requests", "forbidden", "another"],
)
def test_what_a_server_says_that_starts_or_ends_may_pass_by_itself(error: Exception, passes: bool) -> None:  # noqa: FBT001
    assert client.is_passing(error) is passes


@pytest.mark.parametrize(
    ("status", "forbidden", "refused"), [(401, False, True), (403, True, True), (404, False, False)]
)
def test_a_missing_right_is_told_from_credentials_that_are_not_accepted(
    status: int,
    forbidden: bool,  # noqa: FBT001
    refused: bool,  # noqa: FBT001
) -> None:
    error = client.ApiError("no", status)
    assert (error.is_forbidden, error.is_refused) == (forbidden, refused)
