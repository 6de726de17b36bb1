"""``helm roster cancel`` on the real control plane: nothing of any kind is left, whatever state it was in."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cluster import fates, operations, raw
from tests.cluster.api import Json, wait_for
from tests.cluster.namespaces import Namespace
from tests.support.runner import Runner

SLOW_END = fates.annotate(terminating_seconds=10)


def gang(namespace: Namespace, folder: Path, *, fate: dict[str, str] | None = None, **more: Json) -> Path:
    """Write values of a gang of two and a router; return their path."""
    groups = {"learner": operations.group(namespace, 2, gpus=1, fate=fate), "web": operations.group(namespace, 1)}
    return operations.write(folder, operations.values(groups, gangs={"step": {"learner": {}}}, **more))


def test_cancel_of_a_running_operation_leaves_nothing(namespace: Namespace, roster: Runner, tmp_path: Path) -> None:
    namespace.add_nodes(2)
    roster("install", "op", "-f", gang(namespace, tmp_path))
    wait_for(namespace.bound, 20, "all pods bound", until=lambda seen: seen == 3)
    done = roster("cancel", "op")
    assert namespace.everything() == []
    assert "nothing is left" in done.stdout


def test_cancel_of_a_waiting_operation_leaves_nothing(namespace: Namespace, roster: Runner, tmp_path: Path) -> None:
    namespace.add_node(gpus=1)
    roster("install", "op", "-f", gang(namespace, tmp_path))
    wait_for(lambda: len(namespace.pods()), 20, "three pods", until=lambda seen: seen == 3)
    roster("cancel", "op")
    assert namespace.everything() == []


def test_cancel_of_an_install_that_was_killed_leaves_nothing(
    namespace: Namespace, roster: Runner, helm: Runner, tmp_path: Path
) -> None:
    values = gang(namespace, tmp_path)
    with _install_that_waits(roster, values) as process:
        wait_for(lambda: len(namespace.pods()), 20, "pods", until=bool)
        _kill(process)
    assert json.loads(helm("status", "op", "-o", "json").stdout)["info"]["status"] == "pending-install"
    roster("cancel", "op")
    assert namespace.everything() == []


def test_cancel_without_a_helm_record_leaves_nothing(namespace: Namespace, roster4: Runner, tmp_path: Path) -> None:
    namespace.add_nodes(2)
    roster4("install", "op", "-f", gang(namespace, tmp_path))
    for secret in namespace.items("v1", "Secret", "owner=helm"):
        namespace.delete("v1", "Secret", secret["metadata"]["name"])
    roster4("cancel", "op")
    assert namespace.everything() == []


def test_cancel_of_a_record_without_objects_removes_the_record(
    namespace: Namespace, roster: Runner, kubectl: Runner, tmp_path: Path
) -> None:
    roster("install", "op", "-f", gang(namespace, tmp_path))
    kubectl("delete", "statefulset,deployment,service,podgroups.scheduling.k8s.io", "--all")
    roster("cancel", "op")
    assert namespace.everything() == []


def test_cancel_leaves_another_release_alone(namespace: Namespace, roster4: Runner, tmp_path: Path) -> None:
    values = operations.write(tmp_path, operations.values({"web": operations.group(namespace, 1)}))
    roster4("install", "op-a", "-f", values)
    before = namespace.items("apps/v1", "Deployment")
    roster4("install", "op", "-f", values)
    roster4("cancel", "op")
    after = namespace.items("apps/v1", "Deployment")
    assert [entry["metadata"]["uid"] for entry in after] == [entry["metadata"]["uid"] for entry in before]


def test_cancel_takes_the_operations_own_name_too(namespace: Namespace, roster4: Runner, tmp_path: Path) -> None:
    values = gang(namespace, tmp_path, operation={"kind": "service", "name": "own"})
    roster4("install", "rel", "-f", values)
    roster4("cancel", "own")
    assert namespace.everything() == []


def test_a_timeout_names_what_is_left_and_ends_with_5(namespace: Namespace, roster4: Runner, tmp_path: Path) -> None:
    namespace.add_nodes(2)
    roster4("install", "op", "-f", gang(namespace, tmp_path, fate=SLOW_END))
    wait_for(namespace.bound, 20, "all pods bound", until=lambda seen: seen == 3)
    done = roster4.attempt("cancel", "op", "--timeout", "1s")
    assert done.returncode == 5
    assert f"Error: Pod op-learner-0 is terminating on node {namespace.name}" in done.stderr


def test_without_waiting_it_returns_while_pods_end(namespace: Namespace, roster4: Runner, tmp_path: Path) -> None:
    namespace.add_nodes(2)
    roster4("install", "op", "-f", gang(namespace, tmp_path, fate=SLOW_END))
    wait_for(namespace.bound, 20, "all pods bound", until=lambda seen: seen == 3)
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
    roster4("install", "op", "-f", operations.write(tmp_path, values))
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


def _install_that_waits(roster: Runner, values: Path) -> subprocess.Popen[str]:
    """Start an install that waits for pods which never fit."""
    command = [str(roster.program), "install", "op", "-f", str(values), "--wait", "--timeout", "5m"]
    return subprocess.Popen(
        command, env=dict(roster.env), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, text=True
    )


def _kill(process: subprocess.Popen[str]) -> None:
    """Kill the process and its Helm at once, as a lost machine would."""
    for pid in [*_children(process.pid), process.pid]:
        subprocess.run(["kill", "-KILL", str(pid)], check=False)
    process.wait()


def _children(pid: int) -> Iterator[int]:
    """Yield the direct children of a process."""
    for status in Path("/proc").glob("[0-9]*/stat"):
        try:
            parent = int(status.read_text().rpartition(")")[2].split()[1])
        except (OSError, ValueError):
            continue
        if parent == pid:
            yield int(status.parent.name)


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
    roster("install", "op", "-f", gang(namespace, tmp_path))
    assert operations.status(roster, "op")["release"]["state"] == "deployed"
    roster("cancel", "op")
    assert namespace.everything() == []


def _chart_with_a_failing_hook(folder: Path, namespace: Namespace) -> Path:
    """Write a chart of one labelled ConfigMap, whose pre-delete hook is a Job that fails."""
    labels = {"app.kubernetes.io/instance": "op", "helm-roster.dev/operation": "op"}
    kept = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "settings", "labels": labels}}
    hook = raw.job("hook", 1, raw.pod_spec(namespace.node_selector), fates.annotate("failing"))
    hook["metadata"] |= {"labels": labels, "annotations": {"helm.sh/hook": "pre-delete"}}
    (folder / "templates").mkdir(parents=True)
    (folder / "Chart.yaml").write_text("apiVersion: v2\nname: hooked\nversion: 0.1.0\n")
    for manifest in (kept, hook):
        (folder / "templates" / f"{manifest['kind']}.yaml").write_text(json.dumps(manifest))
    return folder
