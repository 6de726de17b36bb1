"""``helm roster cancel`` on the real control plane: nothing of any kind is left, whatever state it was in."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cluster import fates, interrupted, operations, raw, rights
from tests.cluster.api import Json, wait_for
from tests.cluster.namespaces import Namespace
from tests.support.runner import Runner

SLOW_END = fates.annotate(terminating_seconds=10)


def gang(namespace: Namespace, folder: Path, *, fate: dict[str, str] | None = None, **more: Json) -> Path:
    """Write values of a gang of two and a router; return their path."""
    groups = {"learner": operations.group(namespace, 2, gpus=1, fate=fate), "web": operations.group(namespace, 1)}
    return operations.write(folder, operations.values(groups, gangs={"step": {"learner": {}}}, **more))


def test_cancel_of_a_running_operation_leaves_nothing_and_gives_its_quota_back(
    namespace: Namespace, roster: Runner, tmp_path: Path
) -> None:
    namespace.add_nodes(2)
    quota = {"metadata": {"name": "q"}, "spec": {"hard": {"pods": "9", "requests.nvidia.com/gpu": "9"}}}
    namespace.create({"apiVersion": "v1", "kind": "ResourceQuota", **quota})
    operations.install(roster, "op", gang(namespace, tmp_path))
    wait_for(namespace.bound, 60, "all pods bound", until=lambda seen: seen == 3)
    path = namespace.path("v1", "ResourceQuota", "q")
    assert namespace.api.get(path)["status"]["used"] == {"pods": "3", "requests.nvidia.com/gpu": "2"}
    before = [name for name in namespace.everything() if not name.startswith(("Secret/", "ResourceQuota/"))]
    done = roster("cancel", "op")
    assert namespace.everything() == ["ResourceQuota/q"]
    none = {"pods": "0", "requests.nvidia.com/gpu": "0"}
    wait_for(lambda: namespace.api.get(path), 30, "the quota back", until=lambda seen: seen["status"]["used"] == none)
    assert done.stdout == f"cancelled op: {len(before)} objects, nothing is left\n"


def test_cancel_of_an_install_that_was_killed_leaves_nothing(
    namespace: Namespace, roster: Runner, helm: Runner, tmp_path: Path
) -> None:
    values = gang(namespace, tmp_path)
    with interrupted.helm(roster, "install", values):
        wait_for(lambda: len(namespace.pods()), 60, "pods", until=bool)
    assert json.loads(helm("status", "op", "-o", "json").stdout)["info"]["status"] == "pending-install"
    roster("cancel", "op")
    assert namespace.everything() == []


@pytest.mark.parametrize("kind", ["services", "deployments.apps", "statefulsets.apps"])
def test_cancel_of_an_install_that_failed_in_the_midst_leaves_nothing(
    namespace: Namespace, roster4: Runner, tmp_path: Path, kind: str
) -> None:
    limit = {"services": "1", "deployments.apps": "0", "statefulsets.apps": "0"}[kind]
    spec = {"hard": {f"count/{kind}": limit}}
    namespace.create({"apiVersion": "v1", "kind": "ResourceQuota", "metadata": {"name": "few"}, "spec": spec})
    path = f"{namespace.path('v1', 'ResourceQuota', 'few')}"
    wait_for(lambda: namespace.api.get(path), 60, "the quota to count", until=lambda seen: seen["status"].get("hard"))
    assert roster4.attempt("install", "op", "-f", gang(namespace, tmp_path)).returncode == 4
    assert len(namespace.everything()) > 2
    roster4("cancel", "op")
    assert namespace.everything() == ["ResourceQuota/few"]


def test_cancel_without_a_helm_record_leaves_nothing(namespace: Namespace, roster4: Runner, tmp_path: Path) -> None:
    namespace.add_nodes(2)
    operations.install(roster4, "op", gang(namespace, tmp_path))
    for secret in namespace.items("v1", "Secret", "owner=helm"):
        namespace.delete("v1", "Secret", secret["metadata"]["name"])
    roster4("cancel", "op")
    assert namespace.everything() == []


def test_cancel_of_a_record_without_objects_removes_the_record(
    namespace: Namespace, roster4: Runner, kubectl: Runner, tmp_path: Path
) -> None:
    operations.install(roster4, "op", gang(namespace, tmp_path))
    kubectl("delete", "statefulset,deployment,service,podgroups.scheduling.k8s.io", "--all")
    roster4("cancel", "op")
    assert namespace.everything() == []


def _cancelled_while(namespace: Namespace, roster: Runner, folder: Path, again: Callable[[str], object]) -> str:
    """Cancel an operation one of whose pods is held, and do ``again`` with its manifests meanwhile: no new pod is lost.

    Return what the cancellation said.
    """
    namespace.add_node(gpus=0)
    values = operations.values({"web": operations.group(namespace, 2)})
    operations.install(roster, "op", operations.write(folder, values))
    wait_for(namespace.bound, 60, "all pods bound", until=lambda seen: seen == 2)
    manifests = roster("template", "op", "-f", folder / "values.yaml").stdout
    held = namespace.path("v1", "Pod", namespace.pods()[0]["metadata"]["name"])
    namespace.api.patch(held, {"metadata": {"finalizers": ["example.org/hold"]}})
    command = [str(roster.program), "cancel", "op"]
    with subprocess.Popen(command, env=dict(roster.env), stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        wait_for(process.stderr.readline, 60, "the wait", until=lambda line: line.startswith("waiting for "))
        again(manifests)
        new = wait_for(lambda: _uids(namespace), 60, "the new pods", until=lambda seen: len(seen) == 2)
        namespace.api.patch(held, {"metadata": {"finalizers": None}})
        _, said = process.communicate(timeout=60)
    assert process.returncode == 4
    assert _uids(namespace) == new
    return said


def _uids(namespace: Namespace) -> set[str]:
    return {pod["metadata"]["uid"] for pod in namespace.pods() if "deletionTimestamp" not in pod["metadata"]}


def test_cancel_leaves_alone_what_is_installed_again_meanwhile(
    namespace: Namespace, roster4: Runner, tmp_path: Path
) -> None:
    def again(_: str) -> None:
        operations.install(roster4, "op", tmp_path / "values.yaml")

    said = _cancelled_while(namespace, roster4, tmp_path, again)
    assert "Error: op was installed again meanwhile: " in said


def test_cancel_leaves_alone_what_is_applied_again_without_helm_meanwhile(
    namespace: Namespace, roster4: Runner, kubectl: Runner, tmp_path: Path
) -> None:
    said = _cancelled_while(namespace, roster4, tmp_path, lambda manifests: kubectl("apply", "-f", "-", text=manifests))
    assert "objects of op were made meanwhile (" in said


def test_cancel_refuses_a_release_that_is_no_operation(
    namespace: Namespace, roster4: Runner, helm4: Runner, tmp_path: Path
) -> None:
    helm4("install", "postgres", _chart_of(tmp_path / "chart", raw.config_map("settings")))
    done = roster4.attempt("cancel", "postgres")
    assert done.returncode == 1
    assert done.stderr == 'Error: release "postgres" is no operation of Roster: use helm uninstall postgres\n'
    assert "ConfigMap/settings" in namespace.everything()


def test_cancel_leaves_a_release_alone_that_only_has_the_operations_name(
    namespace: Namespace, roster4: Runner, helm3: Runner, kubectl: Runner, tmp_path: Path
) -> None:
    values = operations.write(tmp_path, operations.values({"web": operations.group(namespace, 1)}))
    kubectl("apply", "-f", "-", text=roster4("template", "op", "-f", values).stdout)
    helm3("install", "op", _chart_of(tmp_path / "chart", raw.config_map("settings")))
    done = roster4("cancel", "op")
    assert "Helm's release op is no operation and is left alone" in done.stderr
    assert namespace.everything() == ["ConfigMap/settings", "Secret/sh.helm.release.v1.op.v1"]


def test_what_may_not_be_listed_is_told_from_what_is_not_there(
    namespace: Namespace, roster4: Runner, tmp_path: Path
) -> None:
    values = operations.write(tmp_path, operations.values({"web": operations.group(namespace, 1)}))
    operations.install(roster4, "op", values)
    user = rights.user(namespace, but={"secrets", "persistentvolumeclaims"})
    done = roster4("cancel", "op", "-o", "json", "--kube-as-user", user)
    assert "you may not list secrets, so Helm's record of op, if any, stays" in done.stderr
    result = json.loads(done.stdout)
    assert (result["gone"], result["unseen"]) == (None, ["persistentvolumeclaims", "secrets"])
    assert namespace.everything() == ["Role/few", "RoleBinding/few", "Secret/sh.helm.release.v1.op.v1"]


def test_a_name_whose_record_may_not_be_read_is_not_called_unknown(namespace: Namespace, roster4: Runner) -> None:
    user = rights.user(namespace, but={"secrets"})
    done = roster4.attempt("cancel", "nope", "--kube-as-user", user)
    assert done.returncode == 4
    assert "you may not list secrets, in which Helm keeps its record" in done.stderr
    told = roster4.attempt("status", "nope", "--kube-as-user", user).stderr
    assert "(Helm's record of nope is not known: you may not list secrets)" in told


def test_cancel_leaves_another_release_alone(namespace: Namespace, roster4: Runner, tmp_path: Path) -> None:
    values = operations.write(tmp_path, operations.values({"web": operations.group(namespace, 1)}))
    operations.install(roster4, "op-a", values)
    before = namespace.items("apps/v1", "Deployment")
    operations.install(roster4, "op", values)
    roster4("cancel", "op")
    after = namespace.items("apps/v1", "Deployment")
    assert [entry["metadata"]["uid"] for entry in after] == [entry["metadata"]["uid"] for entry in before]


def test_cancel_by_an_operations_own_name_names_the_release_that_holds_it(
    namespace: Namespace, roster4: Runner, tmp_path: Path
) -> None:
    values = gang(namespace, tmp_path, operation={"kind": "service", "name": "own"})
    operations.install(roster4, "rel", values)
    before = namespace.everything()
    done = roster4.attempt("cancel", "own")
    assert done.returncode == 1
    assert 'no release "own"; the operation of that name belongs to release rel' in done.stderr
    assert namespace.everything() == before


def test_a_timeout_names_what_is_left_and_ends_with_5(namespace: Namespace, roster4: Runner, tmp_path: Path) -> None:
    namespace.add_nodes(2)
    operations.install(roster4, "op", gang(namespace, tmp_path, fate=SLOW_END))
    wait_for(namespace.bound, 60, "all pods bound", until=lambda seen: seen == 3)
    done = roster4.attempt("cancel", "op", "--timeout", "1s")
    assert done.returncode == 5
    assert f"Error: Pod op-learner-0 is terminating on node {namespace.name}" in done.stderr


def test_the_commands_that_it_names_let_go_of_what_is_left(
    namespace: Namespace, roster4: Runner, kubectl: Runner, tmp_path: Path
) -> None:
    node = namespace.add_node()
    values = operations.values({"web": operations.group(namespace, 1)})
    operations.install(roster4, "op", operations.write(tmp_path, values))
    wait_for(namespace.bound, 60, "the pod bound")
    held = raw.config_map("held", {"app.kubernetes.io/instance": "op", "helm-roster.dev/operation": "op"})
    held["metadata"]["finalizers"] = ["example.com/hold"]
    namespace.create(held)
    finalizers = {"metadata": {"finalizers": ["example.com/hold"]}}
    namespace.api.patch(namespace.path("v1", "Service", "op-web"), finalizers)
    namespace.remove_node(node)
    done = roster4.attempt("cancel", "op", "--timeout", "1s")
    assert done.returncode == 5
    assert f"is terminating on node {node}, which is gone: kubectl delete pod op-web-" in done.stderr
    assert "ConfigMap held waits for its finalizer example.com/hold" in done.stderr
    onto = roster4.attempt("install", "op", "-f", tmp_path / "values.yaml")
    assert (onto.returncode, "Service op-web of op is still being deleted, and what is" in onto.stderr) == (1, True)
    for command in re.findall(r": kubectl (.*)", done.stderr):
        kubectl(*shlex.split(command))
    assert namespace.everything() == []


def test_claims_that_kubernetes_made_for_pods_are_waited_for(
    namespace: Namespace, roster4: Runner, tmp_path: Path
) -> None:
    connections = {"scratch": {"kind": "claimPerPod", "size": "1Gi"}}
    web = operations.group(namespace, 1, connections=["scratch"])
    values = operations.values({"web": web}, connections=connections)
    operations.install(roster4, "op", operations.write(tmp_path, values))
    (claim,) = wait_for(lambda: namespace.items("v1", "PersistentVolumeClaim"), 60, "the claim")
    path = namespace.path("v1", "PersistentVolumeClaim", claim["metadata"]["name"])
    namespace.api.patch(path, {"metadata": {"finalizers": ["example.com/hold"]}})
    done = roster4.attempt("cancel", "op", "--timeout", "1s")
    assert done.returncode == 5
    assert f"PersistentVolumeClaim {claim['metadata']['name']} waits for its finalizer example.com/hold" in done.stderr


def test_without_waiting_it_returns_while_pods_end(namespace: Namespace, roster4: Runner, tmp_path: Path) -> None:
    namespace.add_nodes(2)
    operations.install(roster4, "op", gang(namespace, tmp_path, fate=SLOW_END))
    wait_for(namespace.bound, 60, "all pods bound", until=lambda seen: seen == 3)
    assert "what is left is being deleted" in roster4("cancel", "op", "--no-wait").stdout
    assert namespace.pods()


@pytest.mark.parametrize(
    ("mark", "owner"),
    [
        ({"labels": {"argocd.argoproj.io/instance": "app"}}, "Argo CD application app"),
        ({"labels": {"kustomize.toolkit.fluxcd.io/name": "apps"}}, "Flux Kustomization"),
    ],
    ids=["argo", "flux"],
)
def test_an_operation_of_gitops_is_refused_and_its_owner_named(
    namespace: Namespace, roster4: Runner, tmp_path: Path, mark: Json, owner: str
) -> None:
    values = operations.values({"web": operations.group(namespace, 1)})
    operations.install(roster4, "op", operations.write(tmp_path, values))
    namespace.api.patch(namespace.path("apps/v1", "Deployment", "op-web"), {"metadata": mark})
    done = roster4.attempt("cancel", "op")
    assert done.returncode == 1
    assert owner in done.stderr
    assert namespace.get("apps/v1", "Deployment", "op-web") is not None


def test_an_unknown_name_is_one_line(namespace: Namespace, roster4: Runner) -> None:
    done = roster4.attempt("cancel", "nope")
    assert done.returncode == 1
    assert done.stderr == (f'Error: no operation "nope" in namespace "{namespace.name}": there is nothing to cancel\n')


def test_an_object_that_is_kept_by_rule_is_listed(namespace: Namespace, roster4: Runner, tmp_path: Path) -> None:
    labels = {"app.kubernetes.io/instance": "op", "helm-roster.dev/operation": "op"}
    metadata = {"name": "scratch", "labels": labels, "annotations": {"helm.sh/resource-policy": "keep"}}
    roster4(
        "install", "op", "-f", operations.write(tmp_path, operations.values({"web": operations.group(namespace, 1)}))
    )
    namespace.create({"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata})
    done = roster4("cancel", "op")
    assert "kept by rule: ConfigMap scratch" in done.stdout
    assert namespace.everything() == ["ConfigMap/scratch"]


def test_a_workload_that_helm_keeps_is_named_and_its_pods_are_left_alone(
    namespace: Namespace, roster4: Runner, tmp_path: Path
) -> None:
    labels = {"app.kubernetes.io/instance": "op", "helm-roster.dev/operation": "op"}
    template = {"metadata": {"labels": labels}, "spec": {"containers": [{"name": "main", "image": "pause"}]}}
    kept = {
        "apiVersion": "apps/v1", "kind": "Deployment",
        "metadata": {"name": "kept", "annotations": {"helm.sh/resource-policy": "keep"}},
        "spec": {"selector": {"matchLabels": labels}, "template": template},
    }  # fmt: skip
    values = operations.values({"web": operations.group(namespace, 1)}, extraObjects={"kept": kept})
    operations.install(roster4, "op", operations.write(tmp_path, values))
    (before,) = wait_for(lambda: namespace.pods("!helm-roster.dev/group"), 60, "the kept pod")
    done = roster4("cancel", "op", "--timeout", "60s")
    ends = f"kubectl delete deployment kept -n {namespace.name}"
    assert f"kept by rule: Deployment kept; its pods run on until: {ends}" in done.stdout
    assert [pod["metadata"]["uid"] for pod in namespace.pods()] == [before["metadata"]["uid"]]


def test_claims_that_outlive_the_operation_are_listed_and_the_others_go(
    namespace: Namespace, roster4: Runner, tmp_path: Path
) -> None:
    new, per_pod = {"kind": "newClaim", "size": "1Gi"}, {"kind": "claimPerPod", "size": "1Gi", "keep": True}
    filled = {**new, "mountPath": "/models", "fill": {"image": "example/fetch:1", "cmd": "fetch"}}
    connections = {"shared": filled, "own": per_pod, "brief": {**new, "keep": False}}
    store = operations.group(namespace, 2, workload="StatefulSet", connections=[*connections])
    values = operations.values({"store": store}, connections=connections)
    operations.install(roster4, "op", operations.write(tmp_path, values))
    wait_for(lambda: len(namespace.items("v1", "PersistentVolumeClaim")), 60, "claims", until=lambda seen: seen == 4)
    unbound = "FailedBinding"
    told = wait_for(lambda: roster4("status", "op").stdout, 60, unbound, until=lambda seen: unbound in seen)
    assert "storage class is set; give its connection a storageClassName" in told
    wait_for(
        lambda: namespace.pods("!helm-roster.dev/group"), 60, "the pod of the Job that fills the claim", until=bool
    )
    assert [found["name"] for found in operations.status(roster4, "op")["groups"]] == ["store"]
    done = roster4("cancel", "op")
    assert "nothing but 3 kept claims is left" in done.stdout
    kept = ["op-shared", "own-op-store-0", "own-op-store-1"]
    assert namespace.everything() == [f"PersistentVolumeClaim/{name}" for name in kept]
    told = [f"kept by rule: PersistentVolumeClaim {name}, 1Gi; helm-roster cancel op --delete-data" for name in kept]
    assert all(line in done.stdout for line in told)
    result = json.loads(roster4("cancel", "op", "--delete-data", "-o", "json").stdout)
    assert (result["deleted"], [volume["name"] for volume in result["volumes"]]) == (3, kept)
    assert namespace.everything() == []


def test_data_goes_with_the_operation_where_that_is_asked_for(
    namespace: Namespace, roster4: Runner, tmp_path: Path
) -> None:
    namespace.add_node()
    connections = {"own": {"kind": "claimPerPod", "size": "1Gi", "keep": True}}
    store = operations.group(namespace, 1, workload="StatefulSet", connections=["own"])
    values = operations.values({"store": store}, connections=connections)
    operations.install(roster4, "op", operations.write(tmp_path, values))
    wait_for(lambda: namespace.items("v1", "PersistentVolumeClaim"), 60, "a claim")
    done = roster4("cancel", "op", "--delete-data")
    assert "deleting PersistentVolumeClaim own-op-store-0 with its data (1Gi)" in done.stderr
    assert "nothing is left\ndeleted with its data: PersistentVolumeClaim own-op-store-0, 1Gi" in done.stdout
    assert namespace.everything() == []


def test_a_hook_that_fails_does_not_keep_cancel_from_its_work(
    namespace: Namespace, roster: Runner, helm: Runner, tmp_path: Path
) -> None:
    namespace.add_node()
    helm("install", "op", _chart_with_a_failing_hook(tmp_path / "chart", namespace))
    done = roster("cancel", "op")
    assert "helm uninstall failed" in done.stderr
    assert namespace.everything() == []


def test_cancel_finds_a_record_that_helm_keeps_in_config_maps(
    namespace: Namespace, roster4: Runner, tmp_path: Path
) -> None:
    roster = roster4.with_env(HELM_DRIVER="configmap")
    operations.install(roster, "op", gang(namespace, tmp_path))
    assert operations.status(roster, "op")["release"]["state"] == "deployed"
    roster("cancel", "op")
    assert namespace.everything() == []


def _chart_with_a_failing_hook(folder: Path, namespace: Namespace) -> Path:
    """Write a chart of one labelled ConfigMap, whose pre-delete hook is a Job that fails."""
    labels = {"app.kubernetes.io/instance": "op", "helm-roster.dev/operation": "op"}
    kept = raw.config_map("settings", labels)
    hook = raw.job("hook", 1, raw.pod_spec(namespace.node_selector), fates.annotate("failing"))
    hook["metadata"] |= {"labels": labels, "annotations": {"helm.sh/hook": "pre-delete"}}
    return _chart_of(folder, kept, hook)


def _chart_of(folder: Path, *manifests: Json) -> Path:
    """Write a chart that is none of ours."""
    (folder / "templates").mkdir(parents=True)
    (folder / "Chart.yaml").write_text("apiVersion: v2\nname: plain\nversion: 0.1.0\n")
    for manifest in manifests:
        (folder / "templates" / f"{manifest['kind']}.yaml").write_text(json.dumps(manifest))
    return folder
