"""``helm roster wait`` and ``status --watch`` on the real control plane: they end when they should, as they should."""

from __future__ import annotations

import contextlib
import json
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

import pytest

from tests.cluster import fates, operations, rights
from tests.cluster.api import Json, wait_for
from tests.cluster.control_plane import ControlPlane
from tests.cluster.namespaces import Namespace
from tests.support import schemas
from tests.support.roster import CHART
from tests.support.runner import Runner


def install(roster: Runner, folder: Path, groups: Json, **more: Any) -> None:
    operations.install(roster, "op", operations.write(folder, operations.values(groups, **more)))


@contextlib.contextmanager
def begun(roster: Runner, *arguments: str) -> Iterator[subprocess.Popen[str]]:
    """Start a command that waits; it is ended after the block if it still runs."""
    process = subprocess.Popen(
        [str(roster.program), *arguments], env={**roster.env, "PYTHONUNBUFFERED": "1"}, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    with process:
        try:
            yield process
        finally:
            process.kill()


def line_with(stream: IO[str] | None, words: str) -> str:
    """Read until a line has the words; return it. The test's time limit ends a wait in vain."""
    assert stream is not None
    return next(line for line in stream if words in line)


def test_what_is_so_already_is_told_at_once(namespace: Namespace, roster4: Runner, tmp_path: Path) -> None:
    namespace.add_node()
    groups = {"router": operations.router(namespace, "decode"), "decode": operations.group(namespace, 2)}
    install(roster4, tmp_path, groups)
    done = roster4("wait", "op", "--for", "ready", "--timeout", "60s")
    assert done.stdout.startswith("op is ready (after ")
    found = json.loads(roster4("wait", "op", "--for", "placed", "--timeout", "0s", "-o", "json").stdout)
    assert (found["for"], found["outcome"], found["causes"]) == ("placed", "reached", [])
    refused = roster4.attempt("wait", "op", "--for", "complete")
    assert (refused.returncode, refused.stderr.count("\n")) == (1, 1)
    assert "is a service, which never completes" in refused.stderr


def test_an_upgrade_to_an_image_that_does_not_exist_fails_at_once_though_the_old_pods_are_ready(
    namespace: Namespace, roster4: Runner, helm4: Runner, tmp_path: Path
) -> None:
    namespace.add_node()
    install(roster4, tmp_path, {"web": operations.group(namespace, 2)})
    roster4("wait", "op", "--timeout", "60s")
    bad = operations.values({"web": operations.group(namespace, 2, fate=fates.annotate("image-not-found"))})
    helm4("upgrade", "op", CHART, "-f", operations.write(tmp_path, bad))
    done = roster4.attempt("wait", "op", "--timeout", "90s")
    assert done.returncode == 4
    assert 'Error: op will not be ready: group "web": ' in done.stderr
    assert "ImagePullBackOff: Back-off pulling image" in done.stderr or "ErrImagePull" in done.stderr


def test_a_paused_rollout_is_waited_for_though_the_old_pods_are_ready(
    namespace: Namespace, roster4: Runner, helm4: Runner, kubectl: Runner, tmp_path: Path
) -> None:
    namespace.add_node()
    install(roster4, tmp_path, {"web": operations.group(namespace, 1)})
    roster4("wait", "op", "--timeout", "60s")
    kubectl("rollout", "pause", "deployment/op-web", "-n", namespace.name)
    new = operations.values(
        {"web": operations.group(namespace, 1, fate={**fates.annotate(), "example.dev/new": "yes"})}
    )
    helm4("upgrade", "op", CHART, "-f", operations.write(tmp_path, new))
    done = roster4.attempt("wait", "op", "--timeout", "3s")
    assert done.returncode == 5
    assert (
        "its rollout is paused, with 1 pod of an old template: kubectl rollout resume deployment/op-web" in done.stderr
    )
    kubectl("rollout", "resume", "deployment/op-web", "-n", namespace.name)
    assert roster4("wait", "op", "--timeout", "60s").stdout.startswith("op is ready")


def test_a_crash_loop_fails_after_the_restarts_that_are_allowed(
    namespace: Namespace, roster4: Runner, tmp_path: Path
) -> None:
    namespace.add_node()
    install(roster4, tmp_path, {"web": operations.group(namespace, 1, fate=fates.annotate("failing"))})
    done = roster4.attempt("wait", "op", "--restarts", "2", "--timeout", "90s", "-o", "json")
    assert done.returncode == 4
    assert "exit code 1, 2 restarts" in json.loads(done.stdout)["causes"][0]


def test_the_end_of_the_time_is_5_with_what_is_lacking_and_a_deletion_meanwhile_is_6(
    namespace: Namespace, roster4: Runner, helm4: Runner, tmp_path: Path
) -> None:
    namespace.add_node()
    install(roster4, tmp_path, {"web": operations.group(namespace, 1, fate=fates.annotate("never-ready"))})
    roster4("wait", "op", "--for", "placed", "--timeout", "60s")
    late = roster4.attempt("wait", "op", "--timeout", "1s")
    assert late.returncode == 5
    assert late.stderr.splitlines()[-2:] == [
        "Error: the time is over and op is not ready:",
        "Error: web: 0 of 1 ready; readiness: container main runs and is not ready",
    ]
    with begun(roster4, "wait", "op") as waiting, begun(roster4, "wait", "op", "--for", "deleted") as watching:
        line_with(waiting.stderr, "web: 0 of 1 ready")
        line_with(watching.stderr, "web: 1 pod left")
        helm4("uninstall", "op")
        _, said = waiting.communicate(timeout=60)
        told, _ = watching.communicate(timeout=60)
    assert (waiting.returncode, watching.returncode) == (6, 0)
    assert said.splitlines()[-1] == "Error: op was deleted while it was waited for to be ready"
    assert told.startswith("op is gone (after ")
    assert roster4.attempt("wait", "op").returncode == 1


def test_a_deletion_without_helm_is_noticed(
    namespace: Namespace, roster4: Runner, kubectl: Runner, tmp_path: Path
) -> None:
    namespace.add_node()
    groups = {name: operations.group(namespace, 1, fate=fates.annotate("never-ready")) for name in ("web", "db")}
    manifests = roster4("template", "op", "-f", operations.write(tmp_path, operations.values(groups))).stdout
    kubectl("apply", "-f", "-", text=manifests)
    with begun(roster4, "wait", "op") as waiting:
        line_with(waiting.stderr, "web: 0 of 1 ready")
        kubectl("delete", "-f", "-", text=manifests)
        assert waiting.wait(timeout=60) == 6


def test_a_gang_whose_grouping_object_is_deleted_is_given_up(
    namespace: Namespace, roster4: Runner, tmp_path: Path
) -> None:
    namespace.add_node(gpus=1)
    install(roster4, tmp_path, {"learner": operations.group(namespace, 2, gpus=1)}, gangs={"step": {"learner": {}}})
    (grouping,) = namespace.items("scheduling.k8s.io/v1beta1", "PodGroup")
    namespace.delete("scheduling.k8s.io/v1beta1", "PodGroup", grouping["metadata"]["name"])
    done = roster4.attempt("wait", "op", "--for", "placed", "--timeout", "90s")
    assert done.returncode == 4
    assert f'group "learner": gang "step": PodGroup {grouping["metadata"]["name"]} is' in done.stderr


def test_another_releases_operation_of_that_name_is_not_taken_for_the_one_that_went(
    namespace: Namespace, roster4: Runner, helm4: Runner, tmp_path: Path
) -> None:
    install(roster4, tmp_path, {"web": operations.group(namespace, 1)})
    other = operations.values({"db": operations.group(namespace, 1)}, operation={"kind": "service", "name": "op"})
    operations.install(roster4, "rel", operations.write(tmp_path, other))
    with begun(roster4, "wait", "op", "--for", "deleted", "--timeout", "60s") as watching:
        line_with(watching.stderr, "web: 1 pod left")
        helm4("uninstall", "op")
        told, _ = watching.communicate(timeout=90)
    assert (watching.returncode, told.startswith("op is gone")) == (0, True)


def test_a_wait_goes_on_where_only_helms_own_waiting_ended(
    namespace: Namespace, roster: Runner, helm: Runner, tmp_path: Path
) -> None:
    namespace.add_node()
    slow = operations.group(namespace, 1, fate=fates.annotate("never-ready"))
    values = operations.write(tmp_path, operations.values({"web": slow}))
    assert helm.attempt("install", "op", CHART, "-f", values, "--wait", "--timeout", "2s").returncode != 0
    assert operations.status(roster, "op")["release"]["state"] == "failed"
    assert roster.attempt("wait", "op", "--timeout", "0s").returncode == 5


@pytest.mark.parametrize(("fate", "code"), [("completes", 0), ("failing", 4)])
def test_a_job_is_complete_or_has_failed(
    namespace: Namespace, roster4: Runner, tmp_path: Path, fate: str, code: int
) -> None:
    namespace.add_node()
    operation = {"kind": "job", "job": {"backoffLimit": 0}}
    groups = {"worker": operations.group(namespace, 2, fate=fates.annotate(fate))}
    install(roster4, tmp_path, groups, operation=operation)
    done = roster4.attempt("wait", "op", "--for", "complete", "--timeout", "90s")
    assert done.returncode == code
    assert code == 0 or 'Error: op will not be complete: group "worker": ' in done.stderr


def test_a_restart_of_the_api_server_is_outlived_and_told_once(
    cluster: ControlPlane, namespace: Namespace, roster4: Runner, tmp_path: Path
) -> None:
    namespace.add_node()
    install(roster4, tmp_path, {"web": operations.group(namespace, 1, fate=fates.annotate("never-ready"))})
    roster4("wait", "op", "--for", "placed", "--timeout", "60s")
    with begun(roster4, "wait", "op") as waiting:
        line_with(waiting.stderr, "web: 0 of 1 ready")
        with cluster.without_api():
            assert "cannot be reached" in line_with(waiting.stderr, "looking again until it answers")
        (pod,) = wait_for(
            namespace.pods, 60, "a running pod", until=lambda seen: seen[0]["status"]["phase"] == "Running"
        )
        namespace.set_ready(pod["metadata"]["name"], ready=True)
        told, said = waiting.communicate(timeout=60)
    assert (waiting.returncode, told.startswith("op is ready")) == (0, True)
    assert [said.count(words) for words in ("the cluster answers again", "looking again")] == [1, 0]


def test_status_is_printed_whenever_it_changes_until_the_operation_is_gone(
    namespace: Namespace, roster4: Runner, helm4: Runner, tmp_path: Path
) -> None:
    namespace.add_node()
    install(roster4, tmp_path, {"web": operations.group(namespace, 1)})
    roster4("wait", "op", "--timeout", "60s")
    with begun(roster4, "status", "op", "--watch", "-o", "json") as watching:
        assert watching.stdout is not None
        first = watching.stdout.readline()
        namespace.set_ready(namespace.pods()[0]["metadata"]["name"], ready=False)
        second = watching.stdout.readline()
        helm4("uninstall", "op")
        rest, said = watching.communicate(timeout=60)
    assert [json.loads(line)["groups"][0]["ready"] for line in (first, second)] == [1, 0]
    assert (watching.returncode, said) == (0, "op is gone\n")
    schemas.check(first + second + rest)


def test_a_watch_ends_with_130_when_it_is_interrupted(namespace: Namespace, roster4: Runner, tmp_path: Path) -> None:
    install(roster4, tmp_path, {"web": operations.group(namespace, 1)})
    with begun(roster4, "status", "op", "--watch") as watching:
        line_with(watching.stdout, "op (service)")
        watching.send_signal(signal.SIGINT)
        assert watching.wait(timeout=20) == 130


def test_the_clusters_warnings_stand_with_their_group_where_they_may_be_listed(
    namespace: Namespace, roster4: Runner, tmp_path: Path
) -> None:
    namespace.add_node(gpus=1)
    install(roster4, tmp_path, {"web": operations.group(namespace, 2, gpus=1)})
    found = wait_for(
        lambda: operations.health(operations.status(roster4, "op"), "web")["events"], 30, "a warning", until=bool
    )
    assert [(event["reason"], len(event["objects"])) for event in found] == [("FailedScheduling", 1)]
    assert found[0]["message"].startswith("0/")
    user = rights.user(namespace, but={"events", "replicasets"})
    bare = json.loads(roster4("status", "op", "-o", "json", "--kube-as-user", user).stdout)
    assert (bare["verdict"], operations.health(bare, "web")["events"]) == ("Degraded", [])
