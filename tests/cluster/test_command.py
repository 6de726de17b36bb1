"""`python -m tests.cluster`: the cluster a person starts, uses and stops from a shell."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cluster import processes, projects, session
from tests.support.runner import Runner

ROOT = Path(__file__).parents[2]
NAME = f"test-{os.getpid()}"
pytestmark = pytest.mark.usefixtures("programs")


def command(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the command on a cluster of this test's own."""
    line = [sys.executable, "-m", "tests.cluster", "--name", NAME, *arguments]
    return subprocess.run(line, cwd=ROOT, capture_output=True, text=True, timeout=120, check=False)


@pytest.fixture(scope="module")
def up() -> Iterator[str]:
    """What `up` printed; the cluster is down again after the module's tests."""
    done = command("up", "--nodes", "2", "--gpus", "4")
    assert done.returncode == 0, done.stderr
    yield done.stdout
    command("down")


def test_up_names_the_kubeconfig_and_kubectl_takes_it(up: str, kubectl: Runner) -> None:
    path = up.partition("export KUBECONFIG=")[2].split()[0]
    columns = "custom-columns=:metadata.name,:status.allocatable.nvidia\\.com/gpu"
    seen = kubectl.with_env(KUBECONFIG=path)("get", "nodes", "--no-headers", "-o", columns)
    assert seen.stdout.split() == ["node-1", "4", "node-2", "4"]


@pytest.mark.usefixtures("up")
def test_up_again_leaves_the_cluster_as_it_is() -> None:
    before = session.read(NAME)
    assert "runs already" in command("up", "--nodes", "2").stdout
    assert session.read(NAME) == before


@pytest.mark.usefixtures("up")
def test_a_node_comes_and_goes() -> None:
    assert "extra is Ready, with 8 accelerator(s)" in command("node", "add", "extra", "--gpus", "8").stdout
    refused = command("node", "add", "extra")
    assert (refused.returncode, refused.stderr) == (
        1,
        'test cluster: 409 AlreadyExists: nodes "extra" already exists\n',
    )
    assert "extra is gone" in command("node", "remove", "extra").stdout


@pytest.mark.usefixtures("up")
def test_a_scheduler_joins_a_cluster_that_runs_and_stays() -> None:
    if reason := projects.why_no_programs("kai") or projects.why_no_definitions("kai"):
        pytest.skip(reason)
    assert "KAI is up after" in command("up", "--with", "kai").stdout
    assert "KAI runs already." in command("up", "--with", "kai").stdout
    assert {"kai-scheduler", "kai-binder"} < {record.name for record in session.read(NAME)}


def test_a_scheduler_whose_programs_are_not_here_is_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("ROSTER_CLUSTER_BIN", str(tmp_path))
    refused = command("--name", "none", "up", "--with", "volcano")
    assert refused.stderr == (
        f"test cluster: no programs of Volcano are here: {tmp_path}/volcano/scheduler is no program; "
        "ROSTER_CLUSTER_BIN names the folder\n"
    )


@pytest.mark.usefixtures("up")
def test_down_ends_every_process_and_says_so_only_once() -> None:
    records = session.read(NAME)
    assert command("down").stdout == f"Ended {len(records)} processes.\n"
    assert not any(map(processes.alive, records))
    assert command("down").stdout == "No cluster was running.\n"


def test_what_needs_a_cluster_says_how_to_start_one() -> None:
    refused = command("--name", "none", "kubeconfig")
    assert refused.stderr == "test cluster: it is not running; start it with `python -m tests.cluster up`\n"
