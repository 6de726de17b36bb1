"""API servers of a test: they answer what a function says, and our client is led to them."""

from __future__ import annotations

import contextlib
import json
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from helm_roster.manifests.walk import Manifest

# Given a path with its query: the HTTP status and the document.
Answer = Callable[[str], tuple[int, Manifest]]


@contextlib.contextmanager
def serving(answer: Answer, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Serve reads until the end of the block."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            status, document = answer(self.path)
            self.send_response(status)
            self.end_headers()
            self.wfile.write(json.dumps(document).encode())

        def log_message(self, *args: object) -> None:
            """Keep quiet."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        monkeypatch.setenv("KUBECONFIG", "/dev/null")
        monkeypatch.setenv("HELM_KUBEAPISERVER", f"http://127.0.0.1:{server.server_port}")
        try:
            yield
        finally:
            server.shutdown()
