"""An outage of the API server is borne by what waits, and told once."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from helm_roster import constants, errors
from helm_roster.cluster import client
from helm_roster.commands import cancel
from helm_roster.commands.outages import OutageError, Outages
from helm_roster.manifests.walk import Manifest

LABELS = {constants.OPERATION_LABEL: "op", constants.INSTANCE_LABEL: "op", constants.GROUP_LABEL: "web"}
KIND = {
    "resource": "configmaps",
    "responseKind": {"kind": "ConfigMap"},
    "scope": "Namespaced",
    "verbs": ["list", "delete"],
}
CORE = {"metadata": {"name": ""}, "versions": [{"version": "v1", "resources": [KIND]}]}


def record(uid: str) -> Manifest:
    """Return what holds a release's only revision."""
    labels = {"owner": "helm", "name": "op", "status": "deployed", "version": "1"}
    return {"metadata": {"uid": uid, "labels": labels}}


def fail(error: Exception) -> None:
    raise error


def test_a_cluster_that_answered_once_may_be_away() -> None:
    outages = Outages(answered=True)
    with pytest.raises(OutageError):
        outages.bear(lambda: fail(client.UnreachableError("refused")))


@pytest.mark.parametrize(
    ("answered", "error"),
    [(False, client.UnreachableError("refused")), (True, client.ApiError("forbidden", 403))],
    ids=["never answered", "a refusal"],
)
def test_what_does_not_pass_is_raised(answered: bool, error: Exception) -> None:  # noqa: FBT001
    with pytest.raises(type(error)):
        Outages(answered=answered).bear(lambda: fail(error))


class Api(BaseHTTPRequestHandler):
    """An API server with one object of ours, which is away for some requests once that is deleted."""

    away: int
    deleted: bool
    record: Path

    def do_GET(self) -> None:
        """Answer."""
        if self.deleted and self.away > 0:
            type(self).away -= 1
            self._answer({}, 503)
        elif self.path in {"/api", "/apis"}:
            self._answer({"kind": "APIGroupDiscoveryList", "items": [CORE] if self.path == "/api" else []})
        elif "/secrets?" in self.path:
            self._answer({"items": [record(self.record.read_text())] if self.record.exists() else []})
        else:
            there = "/configmaps?" in self.path and not self.deleted
            self._answer({"items": [{"metadata": {"name": "a", "uid": "u", "labels": LABELS}}] if there else []})

    def do_DELETE(self) -> None:
        """Delete the object."""
        type(self).deleted = True
        self._answer({})

    def _answer(self, found: Manifest, status: int = 200) -> None:
        self.send_response(status)
        self.end_headers()
        self.wfile.write(json.dumps(found).encode())

    def log_message(self, *args: object) -> None:
        """Keep quiet."""


@pytest.fixture
def api(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[type[Api]]:
    """That API server, to which our client is led."""
    Api.away, Api.deleted, Api.record = 0, False, tmp_path / "record"
    served = ThreadingHTTPServer(("127.0.0.1", 0), Api)
    threading.Thread(target=served.serve_forever, daemon=True).start()
    monkeypatch.setenv("KUBECONFIG", "/dev/null")
    monkeypatch.setenv("HELM_KUBEAPISERVER", f"http://127.0.0.1:{served.server_port}")
    monkeypatch.setenv("HELM_NAMESPACE", "team")
    yield Api
    served.shutdown()
    served.server_close()


def test_cancel_outlives_an_outage(api: type[Api], capsys: pytest.CaptureFixture[str]) -> None:
    api.away = 3
    cancel.run("op", timeout=60)
    out, said = capsys.readouterr()
    assert out == "cancelled op: 1 object, nothing is left\n"
    assert said.count("; looking again until it answers") == 1
    assert said.endswith("the cluster answers again\n")


def test_cancel_does_not_know_whether_it_is_gone_when_the_time_is_over_in_an_outage(api: type[Api]) -> None:
    api.away = 1000
    with pytest.raises(errors.DeadlineError, match="whether op is gone is not known: the cluster refused"):
        cancel.run("op", timeout=0)


@pytest.fixture
def helm(api: type[Api], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """Return the folder of a program that stands in for Helm, which has a release of our object.

    Each uninstallation fails with the first of the words in the files ``said*``, if there is one, and takes that away;
    the release's record is another one then where there is a file ``anew``.
    """
    program = tmp_path / "helm"
    program.write_text(
        f"""#!/bin/sh
cd {tmp_path}
case $1 in
version) echo v4.3.1 ;;
get) printf 'metadata: {{labels: {{{constants.OPERATION_LABEL}: op}}}}' ;;
uninstall)
    echo "$@" >> asked
    for said in said*; do
        if [ -e $said ]; then cat $said >&2; rm $said; [ ! -e anew ] || mv anew record; exit 1; fi
    done
    rm record ;;
esac
"""
    )
    program.chmod(0o755)
    monkeypatch.setenv("HELM_BIN", str(program))
    api.record.touch()
    return tmp_path


def test_an_uninstallation_that_an_outage_breaks_is_done_again_whole(
    helm: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (helm / "said1").write_text("Error: failed to delete release: op: dial tcp 1.2.3.4: connection refused")
    cancel.run("op", timeout=60)
    out, said = capsys.readouterr()
    assert (out, "the cluster answers again" in said) == ("cancelled op: 1 object, nothing is left\n", True)
    _, second = (helm / "asked").read_text().splitlines()
    assert "--no-hooks" not in second


def test_an_uninstallation_that_fails_otherwise_after_an_outage_is_done_without_hooks(helm: Path) -> None:
    (helm / "said1").write_text("Error: failed to delete release: op: unexpected EOF")
    (helm / "said2").write_text("Error: pre-delete hook failed")
    cancel.run("op", timeout=60)
    assert [("--no-hooks" in line) for line in (helm / "asked").read_text().splitlines()] == [False, False, True]


def test_an_outage_of_an_uninstallation_to_the_end_of_the_time_ends_with_5(helm: Path) -> None:
    (helm / "said1").write_text("Error: the server is currently unable to handle the request")
    with pytest.raises(errors.DeadlineError, match="whether op is gone is not known: helm uninstall: the server"):
        cancel.run("op", timeout=0)


@pytest.mark.parametrize("before", ["unexpected EOF", "pre-delete hook failed"], ids=["outage", "without hooks"])
def test_what_was_installed_again_after_a_failed_uninstallation_is_not_uninstalled(helm: Path, before: str) -> None:
    (helm / "said1").write_text(f"Error: failed to delete release: op: {before}")
    (helm / "anew").write_text("another")
    with pytest.raises(errors.OperationFailedError, match="op was installed again meanwhile, and that is not uninst"):
        cancel.run("op", timeout=60)
    assert (len((helm / "asked").read_text().splitlines()), (helm / "record").exists()) == (1, True)


WEBHOOK = 'Error: failed calling webhook "v": Post "https://v.team.svc": dial tcp 1.2.3.4:443: connection refused'


def test_a_webhook_that_is_away_is_no_outage(helm: Path) -> None:
    (helm / "said1").write_text(WEBHOOK)
    cancel.run("op", timeout=60)
    assert [("--no-hooks" in line) for line in (helm / "asked").read_text().splitlines()] == [False, True]


def test_what_is_said_again_though_the_cluster_answered_is_no_outage(helm: Path) -> None:
    for name in ("said1", "said2"):
        (helm / name).write_text("Error: failed to delete release: op: connection refused")
    cancel.run("op", timeout=60)
    assert [("--no-hooks" in line) for line in (helm / "asked").read_text().splitlines()] == [False, False, True]
