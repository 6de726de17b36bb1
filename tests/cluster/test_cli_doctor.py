"""`helm-roster doctor` on the real control plane: kinds, feature gates and rights."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.cluster import operations, rights
from tests.cluster.namespaces import Namespace
from tests.support.roster import EXAMPLES
from tests.support.runner import Runner

ROLES = EXAMPLES / "03-rl-separated" / "values.yaml"


def diagnosed(roster: Runner, *arguments: str | Path, code: int = 0) -> dict[str, dict[str, Any]]:
    done = roster.attempt("doctor", *arguments, "-o", "json")
    assert done.returncode == code, done.stderr
    return {check["check"]: check for check in json.loads(done.stdout)["checks"]}


def test_values_that_the_cluster_can_take_pass(namespace: Namespace, roster: Runner) -> None:
    found = diagnosed(roster, "-f", ROLES)
    assert {check["state"] for name, check in found.items() if name != "kubectl"} == {"ok"}
    assert "GenericWorkload, TopologyAwareWorkloadScheduling" in found["feature gates"]["found"]
    assert namespace.everything() == []


def test_a_kind_that_is_not_served_fails_and_is_named(namespace: Namespace, roster4: Runner, tmp_path: Path) -> None:
    herd = {"apiVersion": "no.such/v1", "kind": "Herd", "metadata": {"name": "cows"}}
    values = operations.values({"web": operations.group(namespace, 1)}, extraObjects=[herd])
    found = diagnosed(roster4, "-f", operations.write(tmp_path, values), code=1)["kinds"]
    assert (found["state"], found["found"]) == ("failed", "not served: Herd (no.such/v1)")


def test_a_secret_that_is_not_there_fails_and_is_named(namespace: Namespace, roster4: Runner, tmp_path: Path) -> None:
    token = {"token": {"kind": "secret", "secret": "no-such", "envFrom": True}}
    values = operations.values({"web": operations.group(namespace, 1, connections=["token"])}, connections=token)
    found = diagnosed(roster4, "-f", operations.write(tmp_path, values), code=1)["references"]
    assert found["found"].startswith(f'there is no Secret no-such in namespace "{namespace.name}"')


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
