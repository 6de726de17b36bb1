"""A log that breaks is taken up again, without a line lost or doubled."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

import pytest

from helm_roster import constants
from helm_roster.commands import logs
from helm_roster.commands.log_scope import Wanted
from helm_roster.report import log_lines

from tests.unit import live_objects as make

LABELS = {constants.OPERATION_LABEL: "op", constants.INSTANCE_LABEL: "op", constants.GROUP_LABEL: "web"}
LINES = [f"2026-11-30T01:02:0{second}.000000000Z step {second}\n" for second in range(4)]


class Breaking(BaseHTTPRequestHandler):
    """An API server with one pod, whose log breaks after two lines, and which has ended when it was read again."""

    asked: list[dict[str, list[str]]]
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        """Answer."""
        where = urlsplit(self.path)
        if not where.path.endswith("/log"):
            self._answer(json.dumps({"items": self._pods() if where.path.endswith("/pods") else []}))
            return
        self.asked.append(parse_qs(where.query))
        if len(self.asked) == 1:
            self._answer("".join(LINES[:2]), end="")
        else:
            self._answer("".join(LINES[1:]))

    def _pods(self) -> list[object]:
        over = len(self.asked) > 1
        state = {"terminated": {"exitCode": 0}} if over else {}
        pod = make.pod("w", make.container(**state), phase="Succeeded" if over else "Running", labels=LABELS)
        pod["spec"]["containers"] = [{"name": "main"}]
        return [pod]

    def _answer(self, text: str, end: str = "0\r\n\r\n") -> None:
        """Send a text in one piece, and what says that there is no more."""
        self.send_response(200)
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        self.wfile.write(f"{len(text):x}\r\n{text}\r\n{end}".encode())
        self.close_connection = True

    def log_message(self, *args: object) -> None:
        """Keep quiet."""


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[type[Breaking]]:
    """The API server, to which our client is led."""
    Breaking.asked = []
    served = ThreadingHTTPServer(("127.0.0.1", 0), Breaking)
    threading.Thread(target=served.serve_forever, daemon=True).start()
    monkeypatch.setenv("KUBECONFIG", "/dev/null")
    monkeypatch.setenv("HELM_KUBEAPISERVER", f"http://127.0.0.1:{served.server_port}")
    monkeypatch.setenv("HELM_NAMESPACE", "team")
    yield Breaking
    served.shutdown()
    served.server_close()


def test_a_log_that_breaks_goes_on_after_its_last_line(
    server: type[Breaking], capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    printer = log_lines.Printer("table", prefix=False, timestamps=False)
    logs.run("op", wanted=Wanted(tail=5), follow=True, printer=printer)
    printer.flush()
    assert capfdbinary.readouterr().out.decode() == "".join(f"step {second}\n" for second in range(4))
    assert server.asked[0]["tailLines"] == ["5"]
    assert server.asked[1]["sinceTime"] == ["2026-11-30T01:02:01Z"]
