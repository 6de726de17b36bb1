"""``helm roster logs`` on the real control plane: the logs that its API server gets from simulated kubelets."""

from __future__ import annotations

import json
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cluster import fates, logs, operations
from tests.cluster.api import wait_for
from tests.cluster.namespaces import Namespace
from tests.support.runner import Runner


@pytest.fixture
def running(namespace: Namespace, roster4: Runner, tmp_path: Path) -> Iterator[Runner]:
    """The command line, and an operation of two decoders and a web server that restarts, with lines in their logs."""
    namespace.add_node()
    web = operations.group(namespace, 1, fate=fates.annotate("failing"), sidecars={"proxy": {"native": False}})
    groups = {"web": web, "decode": operations.group(namespace, 2, workload="StatefulSet")}
    operations.install(roster4, "op", operations.write(tmp_path, operations.values(groups)))
    folder = namespace.control_plane.folder
    logs.write(folder, [f"step {number}" for number in range(1, 13)])
    logs.write(folder, ["GET /"], container="proxy")
    logs.write(folder, ["out of memory"], container="previous")
    roster4("wait", "op", "--for", "placed", "--timeout", "60s")
    wait_for(lambda: _begun(namespace), 60, "three pods that have begun", until=lambda seen: seen == 3)
    return roster4


def _begun(namespace: Namespace) -> int:
    return sum(pod["status"]["phase"] == "Running" for pod in namespace.pods())


def test_the_ends_of_all_logs_are_printed_pod_by_pod(running: Runner) -> None:
    lines = running("logs", "op").stdout.splitlines()
    assert lines[:2] == ["decode/op-decode-0 step 3", "decode/op-decode-0 step 4"]
    assert [line.split("/")[0] for line in lines] == ["decode"] * 20 + ["web"] * 10
    assert running("logs", "op", "decode", "--tail", "1", "--no-prefix").stdout == "step 12\n" * 2
    with_time = running("logs", "op", "web", "--tail", "1", "--timestamps").stdout.split()
    assert with_time[1].startswith("20")
    documents = [json.loads(line) for line in running("logs", "op", "web", "-o", "json").stdout.splitlines()]
    assert [(one["container"], one["text"]) for one in documents][-1] == ("main", "step 12")
    assert len(documents) == 12
    unknown = running.attempt("logs", "op", "decoder")
    assert unknown.returncode == 1
    assert unknown.stderr == (
        'Error: operation "op" has no group "decoder"; it has decode, web; did you mean "decode"?\n'
    )


def test_other_containers_and_earlier_runs_have_logs_too(running: Runner, namespace: Namespace) -> None:
    unknown = running.attempt("logs", "op", "-c", "proxi")
    assert unknown.returncode == 1
    assert unknown.stderr == ('Error: no pod has a container "proxi"; there are main, proxy; did you mean "proxy"?\n')
    proxy = running("logs", "op", "-c", "proxy").stdout
    assert (proxy.startswith("web/op-web-"), proxy.endswith(" GET /\n")) == (True, True)
    assert "those of the first 1 are shown" in running("logs", "op", "decode", "--max", "1").stderr
    every = running("logs", "op", "web", "--all-containers", "--tail", "1").stdout.splitlines()
    assert [line.partition("[")[2] for line in every] == ["main] step 12", "proxy] GET /"]
    wait_for(lambda: namespace.pods("helm-roster.dev/group=web"), 60, "a restart", until=_restarted)
    done = running("logs", "op", "--previous")
    assert done.stdout.endswith(" out of memory\n")
    assert "decode/op-decode-0: container main was not restarted" in done.stderr


def _restarted(pods: list[dict[str, dict[str, list[dict[str, int]]]]]) -> bool:
    return any(status["restartCount"] for pod in pods for status in pod["status"]["containerStatuses"])


def test_following_shows_new_lines_and_new_pods_and_ends_with_the_operation(
    running: Runner, namespace: Namespace
) -> None:
    command = [str(running.program), "logs", "op", "decode", "-f", "--tail", "1"]
    with subprocess.Popen(command, env=dict(running.env), stdout=subprocess.PIPE, text=True) as process:
        seen: list[str] = []
        reader = threading.Thread(target=lambda: seen.extend(iter(process.stdout.readline, "")))  # type: ignore[union-attr]
        reader.start()
        wait_for(lambda: list(seen), 30, "the last lines", until=lambda lines: len(lines) == 2)
        logs.write(namespace.control_plane.folder, ["step 13"], more=True)
        wait_for(lambda: list(seen), 30, "what comes", until=lambda lines: "decode/op-decode-1 step 13\n" in lines)
        namespace.api.patch(f"{namespace.path('apps/v1', 'StatefulSet', 'op-decode')}", {"spec": {"replicas": 3}})
        wait_for(lambda: list(seen), 30, "a new pod", until=lambda lines: "decode/op-decode-2 step 1\n" in lines)
        namespace.delete("apps/v1", "StatefulSet", "op-decode", propagationPolicy="Background")
        wait_for(lambda: namespace.pods("helm-roster.dev/group=decode"), 30, "no pods", until=lambda found: not found)
        namespace.remove_node(f"{namespace.name}-1")  # a simulated kubelet never ends a log
        assert process.wait(timeout=60) == 0
        reader.join()
