"""API servers of a test: they answer what a function says, and our client is led to them."""

from __future__ import annotations

import contextlib
import json
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import unquote

import pytest

from helm_roster.manifests.walk import Manifest

KINDS = {"pods": "Pod", "secrets": "Secret", "persistentvolumeclaims": "PersistentVolumeClaim"}

# Given a path with its query: the HTTP status and the document.
Answer = Callable[[str], tuple[int, Manifest]]


@contextlib.contextmanager
def serving(answer: Answer, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Serve reads, and dry runs, until the end of the block."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.rfile.read(int(self.headers.get("Content-Length") or 0))
            status, document = answer(self.path)
            self.send_response(status)
            self.end_headers()
            self.wfile.write(json.dumps(document).encode())

        do_POST = do_PATCH = do_GET  # noqa: N815  (the names are the library's)

        def log_message(self, *args: object) -> None:
            """Keep quiet."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        monkeypatch.setenv("KUBECONFIG", "/dev/null")
        monkeypatch.setenv("HELM_KUBEAPISERVER", f"http://127.0.0.1:{server.server_port}")
        try:
            yield
        finally:
            server.shutdown()


class Cluster:
    """What an API server holds, by kind; the kinds that may not be listed; whether it is away."""

    def __init__(self) -> None:
        self.objects: dict[str, list[Manifest]] = {}
        self.forbidden: set[str] = set()
        self.is_away = False

    def __call__(self, path: str) -> tuple[int, Manifest]:
        """Answer a read."""
        plural = path.partition("?")[0].rpartition("/")[2]
        if self.is_away:
            return 503, {"message": "away"}
        if plural in {"api", "apis"}:
            return 200, discovery(list(KINDS) if plural == "api" else [])
        found = [one for one in self.objects.get(plural, ()) if is_selected(one, unquote(path))]
        return (403, {"message": "no"}) if plural in self.forbidden else (200, {"items": found})


def is_selected(one: Manifest, path: str) -> bool:
    """Return whether the labels that a path asks for, if any, are on the object."""
    asked = path.partition("labelSelector=")[2].partition("&")[0].split(",")
    labels = one["metadata"].get("labels", {})
    had = {*labels, *(f"{key}={value}" for key, value in labels.items())}
    return not asked[0] or had >= {*asked}


def discovery(plurals: list[str]) -> Manifest:
    """Return the API server's list of its kinds."""
    verbs = ["list", "delete"]
    resources = [
        {"resource": name, "responseKind": {"kind": KINDS[name]}, "scope": "Namespaced", "verbs": verbs}
        for name in plurals
    ]
    versions = [{"version": "v1", "resources": resources}]
    return {"kind": "APIGroupDiscoveryList", "items": [{"metadata": {}, "versions": versions}]}
