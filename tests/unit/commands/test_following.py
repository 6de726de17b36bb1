"""A log that breaks is taken up again, without a line lost or doubled; one that never ends is given up, late."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

import pytest

from helm_roster import constants
from helm_roster.commands import following, logs
from helm_roster.commands.log_scope import Wanted
from helm_roster.report import log_lines

from tests.unit import live_objects as make

LABELS = {constants.OPERATION_LABEL: "op", constants.INSTANCE_LABEL: "op", constants.GROUP_LABEL: "web"}
# A runtime gives one time to all that it reads at once.
LINES = [f"2026-11-30T01:02:{second}.000000000Z step {step}\n" for step, second in enumerate(("00", *["01"] * 4, "02"))]
READY = {"status": {"conditions": [{"type": "Ready", "status": "True"}]}}
PATIENCE = 20


class Api(BaseHTTPRequestHandler):
    """An API server with one pod on a node; what it was asked for logs is kept."""

    asked: list[dict[str, list[str]]]
    node_read: threading.Event
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        """Answer."""
        where = urlsplit(self.path)
        if where.path.startswith("/api/v1/nodes/"):
            self.node_read.set()
            self.node()
        elif where.path.endswith("/log"):
            self.asked.append(parse_qs(where.query))
            self.log()
        else:
            self.answer(json.dumps({"items": [self._pod()] if where.path.endswith("/pods") else []}))

    def node(self) -> None:
        """Answer with the node."""
        self.answer(json.dumps(READY))

    def log(self) -> None:
        """Answer with the pod's log."""

    def is_over(self) -> bool:
        """Return whether the pod has ended."""
        return True

    def _pod(self) -> object:
        over = self.is_over()
        state = {"terminated": {"exitCode": 0}} if over else {}
        pod = make.pod("w", make.container(**state), phase="Succeeded" if over else "Running", labels=LABELS)
        pod["spec"]["containers"] = [{"name": "main"}]
        return pod

    def answer(self, text: str, end: str = "0\r\n\r\n") -> None:
        """Send a text in one piece, and what says that there is no more."""
        self.send_response(200)
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        self.wfile.write(f"{len(text):x}\r\n{text}\r\n{end}".encode())
        self.close_connection = True

    def log_message(self, *args: object) -> None:
        """Keep quiet."""


class Breaking(Api):
    """Its log breaks after three lines; the pod has ended when it was read again."""

    def log(self) -> None:
        """Break at first, between lines of one time."""
        if len(self.asked) == 1:
            self.answer("".join(LINES[:3]), end="")
        else:
            self.answer("".join(LINES[1:]))

    def is_over(self) -> bool:
        """Return whether the log was read twice."""
        return len(self.asked) > 1


class Slow(Api):
    """Its pod has ended; the log comes once somebody has looked at the node."""

    def log(self) -> None:
        """Let it wait."""
        self.node_read.wait(PATIENCE)
        self.answer("".join(LINES))


class Lost(Api):
    """Its pod has ended, its node is gone, and its log never comes."""

    over: threading.Event

    def log(self) -> None:
        """Hang."""
        self.over.wait(PATIENCE)

    def node(self) -> None:
        """There is none."""
        self.send_error(404)


Follow = Callable[[type[Api], Wanted], tuple[str, str]]


@pytest.fixture
def follow(monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]) -> Iterator[Follow]:
    """Follow the logs that an API server of this kind gives, and return what was printed and said."""
    over = threading.Event()

    def run(api: type[Api], wanted: Wanted) -> tuple[str, str]:
        api.asked, api.node_read = [], threading.Event()
        Lost.over = over
        served = ThreadingHTTPServer(("127.0.0.1", 0), api)
        threading.Thread(target=served.serve_forever, daemon=True).start()
        monkeypatch.setenv("KUBECONFIG", "/dev/null")
        monkeypatch.setenv("HELM_KUBEAPISERVER", f"http://127.0.0.1:{served.server_port}")
        monkeypatch.setenv("HELM_NAMESPACE", "team")
        printer = log_lines.Printer("table", prefix=False, timestamps=False)
        try:
            logs.run("op", wanted=wanted, follow=True, printer=printer)
        finally:
            over.set()
            served.shutdown()
            served.server_close()
        printer.flush()
        out, error = capfdbinary.readouterr()
        return out.decode(), error.decode()

    yield run
    over.set()


def test_a_log_that_breaks_goes_on_after_its_last_line(follow: Follow) -> None:
    assert follow(Breaking, Wanted(tail=5))[0] == "".join(f"step {step}\n" for step in range(len(LINES)))
    assert Breaking.asked[0]["tailLines"] == ["5"]
    assert Breaking.asked[1]["sinceTime"] == ["2026-11-30T01:02:01Z"]


def test_the_log_of_an_ended_container_may_be_slow_while_its_node_is_ready(
    follow: Follow, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(following, "_SILENT_SECONDS_OF_LOST", 0.0)
    assert follow(Slow, Wanted())[0].endswith(" 5\n")


def test_a_log_on_a_node_that_is_gone_is_given_up_by_name(follow: Follow, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(following, "_SILENT_SECONDS_OF_LOST", 0.0)
    assert follow(Lost, Wanted()) == ("", "web/w: the container has ended and its log does not: it is given up\n")
