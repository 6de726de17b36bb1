"""``helm roster status`` on the real control plane: what it calls ready, what waits, and whose fault it names."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.cluster import fates, operations
from tests.cluster.api import Json, wait_for
from tests.cluster.namespaces import Namespace
from tests.support.runner import Runner

FAULTS = {
    "failing": ("CrashLoopBackOff", "Error", 1),
    "oom": ("CrashLoopBackOff", "OOMKilled", 137),
    "image-not-found": ("ImagePullBackOff", "", None),
}


def until(roster4: Runner, verdict: str, name: str = "op") -> Json:
    """Return the status once it has that verdict."""
    return wait_for(
        lambda: operations.status(roster4, name),
        20,
        f"verdict {verdict}",
        until=lambda seen: seen["verdict"] == verdict,
    )


def install(roster4: Runner, folder: Path, groups: Json, **more: Any) -> None:
    operations.install(roster4, "op", operations.write(folder, operations.values(groups, **more)))


def test_a_service_is_ready_when_every_group_that_its_router_requires_has_a_ready_pod(
    namespace: Namespace, roster4: Runner, tmp_path: Path
) -> None:
    namespace.add_node()
    workers = {name: operations.group(namespace, 2) for name in ("prefill", "decode")}
    install(roster4, tmp_path, {"router": operations.router(namespace, "prefill", "decode"), **workers})
    assert until(roster4, "Ready")["ready"] is True


def test_a_service_is_not_ready_while_a_required_group_has_no_ready_pod(
    namespace: Namespace, roster4: Runner, tmp_path: Path
) -> None:
    namespace.add_node()
    decode = operations.group(namespace, 2, fate=fates.annotate("never-ready"))
    groups = {"router": operations.router(namespace, "prefill", "decode"), "decode": decode}
    install(roster4, tmp_path, {**groups, "prefill": operations.group(namespace, 1)})
    found = wait_for(
        lambda: operations.status(roster4, "op"), 60, "all else", until=lambda seen: seen["readiness"]["pods"] == 2
    )
    assert (found["ready"], found["verdict"]) == (False, "Starting")
    assert found["readiness"]["messages"][0]["message"] == "container main runs and is not ready"


@pytest.mark.parametrize("fate", FAULTS)
def test_a_fault_is_named_with_its_group_container_reason_and_exit_code(
    namespace: Namespace, roster4: Runner, tmp_path: Path, fate: str
) -> None:
    namespace.add_node()
    decode = operations.group(namespace, 2, fate=fates.annotate(fate))
    install(roster4, tmp_path, {"router": operations.router(namespace, "decode"), "decode": decode})
    reason, ended, code = FAULTS[fate]
    found = wait_for(
        lambda: operations.status(roster4, "op"), 60, reason,
        until=lambda seen: [(one["reason"], len(one["pods"])) for one in operations.health(seen, "decode")["problems"]]
        == [(reason, 2)],
    )  # fmt: skip
    problem = operations.health(found, "decode")["problems"][0]
    assert (problem["container"], problem["ended"], problem["exitCode"]) == ("main", ended, code)
    assert found["verdict"] == "Failing"


def test_a_held_gang_waits_for_placement_in_the_schedulers_words(
    namespace: Namespace, roster4: Runner, tmp_path: Path
) -> None:
    namespace.add_nodes(3)
    learner = operations.group(namespace, 4, gpus=1)
    install(roster4, tmp_path, {"learner": learner}, gangs={"step": {"learner": {}}})
    found = wait_for(
        lambda: operations.status(roster4, "op"), 60, "a decision",
        until=lambda seen: seen["gangs"] and "minCount" in seen["gangs"][0]["message"],
    )  # fmt: skip
    assert found["verdict"] == "WaitingForPlacement"
    assert (found["placement"]["pods"], found["readiness"]["state"], found["quota"]["state"]) == (4, "clear", "clear")


def test_a_group_whose_pods_quota_forbids_waits_for_quota(
    namespace: Namespace, roster4: Runner, tmp_path: Path
) -> None:
    namespace.add_node()
    spec = {"hard": {"pods": "0"}}
    namespace.create({"apiVersion": "v1", "kind": "ResourceQuota", "metadata": {"name": "none"}, "spec": spec})
    learner = operations.group(namespace, 1, gpus=1)
    install(roster4, tmp_path, {"learner": learner}, gangs={"step": {"learner": {}}})
    found = until(roster4, "WaitingForQuota")
    assert "exceeded quota" in found["quota"]["messages"][0]["message"]


def test_a_job_is_complete_when_all_of_its_groups_are(namespace: Namespace, roster4: Runner, tmp_path: Path) -> None:
    namespace.add_node()
    worker = operations.group(namespace, 2, fate=fates.annotate("completes"))
    install(roster4, tmp_path, {"worker": worker}, kind="job")
    until(roster4, "Complete")


def test_a_failed_job_names_the_container_and_its_exit_code(
    namespace: Namespace, roster4: Runner, tmp_path: Path
) -> None:
    namespace.add_node()
    worker = operations.group(namespace, 1, fate=fates.annotate("oom"))
    operation = {"kind": "job", "job": {"backoffLimit": 0}}
    roster4(
        "install", "op", "-f", operations.write(tmp_path, operations.values({"worker": worker}, operation=operation))
    )
    problems = operations.health(until(roster4, "Failed"), "worker")["problems"]
    assert {("BackoffLimitExceeded", None), ("OOMKilled", 137)} <= {
        (one["reason"], one["exitCode"]) for one in problems
    }


def test_a_group_whose_workload_is_gone_is_named(namespace: Namespace, roster4: Runner, tmp_path: Path) -> None:
    namespace.add_node()
    groups = {"router": operations.router(namespace, "decode"), "decode": operations.group(namespace, 1)}
    install(roster4, tmp_path, groups)
    until(roster4, "Ready")
    namespace.delete("apps/v1", "Deployment", "op-decode")
    until(roster4, "Failing")
    assert 'group "decode": its workload object is gone' in roster4("status", "op").stdout


def test_a_failed_install_is_told_with_helms_reason(namespace: Namespace, roster: Runner, tmp_path: Path) -> None:
    spec = {"hard": {"count/deployments.apps": "0"}}
    namespace.create({"apiVersion": "v1", "kind": "ResourceQuota", "metadata": {"name": "few"}, "spec": spec})
    path = namespace.path("v1", "ResourceQuota", "few")
    wait_for(lambda: namespace.api.get(path), 60, "the quota to count", until=lambda seen: seen["status"].get("hard"))
    values = operations.write(tmp_path, operations.values({"worker": operations.group(namespace, 1)}))
    assert roster.attempt("install", "op", "-f", values).returncode == 4
    found = operations.status(roster, "op")
    assert found["release"]["state"] == "failed"
    assert 'deployments.apps "op-worker" is forbidden: exceeded quota' in found["release"]["reason"]


def test_an_operation_without_a_helm_release_is_found_by_its_label(
    namespace: Namespace, roster4: Runner, kubectl: Runner, tmp_path: Path
) -> None:
    namespace.add_node()
    values = operations.write(tmp_path, operations.values({"worker": operations.group(namespace, 1)}))
    kubectl("apply", "-f", "-", text=roster4("template", "op", "-f", values).stdout)
    assert until(roster4, "Ready")["release"] is None


def test_an_operation_with_a_name_of_its_own_is_found_by_either(
    namespace: Namespace, roster4: Runner, tmp_path: Path
) -> None:
    groups = {"worker": operations.group(namespace, 1)}
    roster4(
        "install",
        "rel",
        "-f",
        operations.write(tmp_path, operations.values(groups, operation={"kind": "service", "name": "own"})),
    )
    by_release, by_name = (operations.status(roster4, name) for name in ("rel", "own"))
    assert by_release["release"]["name"] == by_name["release"]["name"] == "rel"
    assert by_release["name"] == by_name["name"] == "own"


def test_an_unknown_name_is_refused_with_the_names_that_are_there(
    namespace: Namespace, roster4: Runner, tmp_path: Path
) -> None:
    install(roster4, tmp_path, {"worker": operations.group(namespace, 1)})
    done = roster4.attempt("status", "opp")
    assert done.returncode == 1
    assert done.stderr == f'Error: no operation "opp" in namespace "{namespace.name}": it holds op\n'


def test_an_unreachable_cluster_is_one_line_and_exit_code_4(namespace: Namespace, roster4: Runner) -> None:
    done = roster4.attempt("--kube-apiserver", "https://127.0.0.1:1", "status", "op", "-n", namespace.name)
    assert done.returncode == 4
    assert done.stderr.startswith("Error: the cluster at https://127.0.0.1:1 cannot be reached")
    assert done.stderr.count("\n") == 1


def test_what_was_deleted_by_hand_is_told_and_made_again_by_an_upgrade(
    namespace: Namespace, roster4: Runner, kubectl: Runner, tmp_path: Path
) -> None:
    group = operations.group(namespace, 1, disruptionBudget={"minAvailable": 1})
    values = operations.write(tmp_path, operations.values({"web": group}))
    roster4("install", "op", "-f", values)
    assert operations.status(roster4, "op")["gone"] == []
    kubectl("delete", "service/op-web", "poddisruptionbudget/op-web", "-n", namespace.name)
    gone = ["PodDisruptionBudget op-web", "Service op-web"]
    assert sorted(operations.status(roster4, "op")["gone"]) == gone
    assert "; upgrade to make them again" in roster4("status", "op").stdout
    roster4("upgrade", "op", "-f", values)
    assert operations.status(roster4, "op")["gone"] == []
