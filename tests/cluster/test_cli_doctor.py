"""`helm-roster doctor` on the real control plane: kinds, feature gates and rights."""

from __future__ import annotations

import json
import signal
import subprocess
from pathlib import Path
from typing import Any

from tests.cluster import operations, rights, smoke
from tests.cluster.api import wait_for
from tests.cluster.namespaces import Namespace
from tests.cluster.schedulers import Scheduler
from tests.support.roster import EXAMPLES
from tests.support.runner import Runner

ROLES = EXAMPLES / "03-rl-separated" / "values.yaml"


def diagnosed(roster: Runner, *arguments: str | Path, code: int = 0) -> dict[str, dict[str, Any]]:
    done = roster.attempt("doctor", *arguments, "-o", "json")
    assert done.returncode == code, done.stderr
    return {check["check"]: check for check in json.loads(done.stdout)["checks"]}


def test_values_that_the_cluster_can_take_pass(namespace: Namespace, roster: Runner) -> None:
    found = diagnosed(roster, "-f", ROLES)
    unseen = {"kubectl", "schedulers"}  # no leader is elected here, and no pod was answered yet
    assert {check["state"] for name, check in found.items() if name not in unseen} == {"ok"}
    assert "GenericWorkload, TopologyAwareWorkloadScheduling" in found["feature gates"]["found"]
    assert namespace.everything() == []


def test_a_kind_that_is_not_served_fails_and_is_named(namespace: Namespace, roster4: Runner, tmp_path: Path) -> None:
    herd = {"apiVersion": "no.such/v1", "kind": "Herd", "metadata": {"name": "cows"}}
    values = operations.values({"web": operations.group(namespace, 1)}, extraObjects=[herd])
    found = diagnosed(roster4, "-f", operations.write(tmp_path, values), code=1)["kinds"]
    assert (found["state"], found["found"]) == ("failed", "not served: Herd (no.such/v1)")


def test_a_secret_that_is_not_there_fails_and_install_goes_on_with_a_warning(
    namespace: Namespace, roster4: Runner, tmp_path: Path
) -> None:
    token = {"token": {"kind": "secret", "secret": "no-such", "envFrom": True}}
    values = operations.values({"web": operations.group(namespace, 1, connections=["token"])}, connections=token)
    file = operations.write(tmp_path, values)
    found = diagnosed(roster4, "-f", file, code=1)["references"]
    assert found["found"].startswith(f'there is no Secret no-such in namespace "{namespace.name}"')
    told = f"warning: {found['found']}; {found['remedy']}\n"
    assert roster4("install", "op", "-f", file).stderr == told
    assert roster4("upgrade", "op", "-f", file, "--skip-checks").stderr.count("no-such") == 0


def test_missing_rights_fail_and_are_named(namespace: Namespace, roster4: Runner) -> None:
    name = rights.user(namespace, but={"services", "secrets", "*/scale"})
    found = diagnosed(roster4, "--kube-as-user", name, "-f", ROLES, code=1)
    told = found["rights"]["found"]
    assert "create services, patch services, delete services" in told
    assert "update secrets" in told
    assert "patch statefulsets.apps/scale" in told
    assert "create statefulsets" not in told
    assert "pods/log" not in told
    assert found["feature gates"]["state"] == "skipped"


def test_a_namespace_that_is_not_there_is_warned_of(namespace: Namespace, roster4: Runner) -> None:
    found = diagnosed(roster4, "-n", f"{namespace.name}-absent")
    assert (found["namespace"]["state"], found["rights"]["state"]) == ("warning", "ok")


def test_without_values_the_backends_that_the_cluster_could_serve_are_told(
    namespace: Namespace, roster4: Runner
) -> None:
    del namespace
    found = diagnosed(roster4)["backends"]["found"]
    assert found.startswith("the cluster could serve placement default, native and admission none; kai has no PodGroup")
    assert "kueue has no LocalQueue (kueue.x-k8s.io/v1beta2)" in found


def gang(namespace: Namespace, folder: Path) -> Path:
    """Write the values of a gang of two on the test's own nodes."""
    groups = {"worker": operations.group(namespace, 2)}
    return operations.write(folder, operations.values(groups, gangs={"step": {"worker": {}}}))


def test_a_scheduler_that_answered_a_pod_runs(namespace: Namespace, roster4: Runner, tmp_path: Path) -> None:
    namespace.add_node()
    values = gang(namespace, tmp_path)
    operations.install(roster4, "op", values)
    wait_for(namespace.bound, 60, "two bound pods", until=lambda count: count == 2)
    found = diagnosed(roster4, "-f", values)["schedulers"]
    assert (found["state"], "kube-scheduler runs: it answered pod" in found["found"]) == ("ok", True), found


def test_a_scheduler_without_its_feature_gate_is_found_out(
    namespace: Namespace, native: Scheduler, roster4: Runner, tmp_path: Path
) -> None:
    namespace.add_node()
    with native.without_gates():
        found = diagnosed(roster4, "-f", gang(namespace, tmp_path), "--smoke-test", code=1)["smoke test"]
    assert "but so was half of another: the scheduler does not hold gangs" in found["found"]
    assert found["remedy"] == "--feature-gates=GenericWorkload=true on the scheduler too"
    assert smoke.namespaces(namespace) == []


def test_an_interrupted_smoke_test_leaves_nothing(namespace: Namespace, roster4: Runner, tmp_path: Path) -> None:
    """It waits for a node that never comes."""
    command = [str(roster4.program), "doctor", "-f", str(gang(namespace, tmp_path)), "--smoke-test"]
    with subprocess.Popen(command, env=dict(roster4.env), stderr=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        wait_for(lambda: pods_of_smoke(namespace), 60, "pods of the smoke test")
        process.send_signal(signal.SIGTERM)
        assert process.wait(60) == 130
    assert smoke.namespaces(namespace) == []


def pods_of_smoke(namespace: Namespace) -> list[str]:
    """Return the pods in namespaces of smoke tests."""
    return [
        str(pod["metadata"]["name"])
        for name in smoke.namespaces(namespace)
        for pod in namespace.api.items(f"/api/v1/namespaces/{name}/pods")
    ]


def test_who_may_make_no_namespace_is_told_that_it_cannot_be_tried(
    namespace: Namespace, roster4: Runner, tmp_path: Path
) -> None:
    name = rights.user(namespace, but=set())
    found = diagnosed(roster4, "--kube-as-user", name, "-f", gang(namespace, tmp_path), "--smoke-test", code=1)[
        "smoke test"
    ]
    assert found["found"].startswith("you may not make Namespace roster-smoke-")
