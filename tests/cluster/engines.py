"""A stand-in for an inference engine: it answers what routers ask of one, and keeps what it was asked to generate.

Where tokens come from is none of a router's business, so what routers look at of SGLang and of vLLM is answered alike.
Whether `/health` is well the test says, as an engine that loads weights would.
"""

from __future__ import annotations

import contextlib
import json
import threading
from collections.abc import Sequence
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

MODEL = "some-model"
GENERATES = {"/v1/chat/completions", "/v1/completions", "/generate"}
_INFO = {
    "model_path": MODEL,
    "served_model_name": MODEL,
    "tokenizer_path": MODEL,
    "is_generation": True,
    "model_type": "llama",
    "architectures": ["LlamaForCausalLM"],
    "tp_size": 1,
    "dp_size": 1,
}
_CARD = {"id": MODEL, "object": "model", "created": 1, "owned_by": "test", "root": MODEL}
_ANSWERS: dict[str, Any] = {
    "/model_info": _INFO,
    "/get_model_info": _INFO,
    "/server_info": _INFO,
    "/get_server_info": _INFO,
    "/v1/models": {"object": "list", "data": [_CARD]},
    "/v1/loads": {"loads": []},
    "/is_sleeping": {"is_sleeping": False},
}
_CHOICE = {"index": 0, "message": {"role": "assistant", "content": "hello"}, "finish_reason": "stop"}
_USAGE = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
_CHAT = {"id": "1", "object": "chat.completion", "created": 1, "model": MODEL, "choices": [_CHOICE], "usage": _USAGE}


class Engine:
    """An engine of a group that listens on ports of its address until it is stopped; the first is where it serves."""

    def __init__(self, address: str, ports: Sequence[int], *, group: str = "", healthy: bool = True) -> None:
        self.address, self.ports, self.group, self.healthy = address, list(ports), group, healthy
        self.generated: list[Any] = []
        self._servers = [_Server((address, port), _Handler) for port in ports]
        for server in self._servers:
            server.engine = self
            threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.1}, daemon=True).start()

    def answer(self, path: str) -> Any | None:
        """Return what a GET of the path answers, or None."""
        if path.startswith("/health"):
            return {} if self.healthy else None
        return _ANSWERS.get(path.partition("?")[0])

    def stop(self) -> None:
        """End it; who still waits for an answer gets none."""
        for server in self._servers:
            server.shutdown()
            server.server_close()


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    engine: Engine


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server

    def do_GET(self) -> None:
        found = self.server.engine.answer(self.path)
        self._send(HTTPStatus.OK if found is not None else HTTPStatus.SERVICE_UNAVAILABLE, found)

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers.get("Content-Length", 0))) or b"{}")
        if self.path in GENERATES:
            self.server.engine.generated.append(body)
        self._send(HTTPStatus.OK, _CHAT)

    def _send(self, status: HTTPStatus, body: Any) -> None:
        text = json.dumps(body).encode()
        with contextlib.suppress(OSError):  # who asked may have gone
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(text)))
            self.end_headers()
            self.wfile.write(text)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the name that the library calls it by
        """Say nothing."""
