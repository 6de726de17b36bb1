"""P8 on a real API server: a forgotten post-renderer fails install and upgrade, and loses nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cluster import operations
from tests.cluster.namespaces import Namespace
from tests.support.roster import CHART, EXAMPLES, PlainHelm, given
from tests.support.runner import Runner

SERVING = EXAMPLES / "01-sglang-disaggregated" / "values.yaml"
UNSERVED = 'no matches for kind "PostRendererRequired"'


@pytest.fixture
def gang(namespace: Namespace, tmp_path: Path) -> Path:
    """Values of a gang of two on the namespace's nodes."""
    return write(namespace, tmp_path, replicas=2)


def write(namespace: Namespace, folder: Path, *, replicas: int) -> Path:
    groups = {"worker": operations.group(namespace, replicas)}
    return operations.write(folder, operations.values(groups, gangs={"step": {"worker": {"min": 2}}}))


def secrets(namespace: Namespace) -> list[str]:
    return [name for name in namespace.everything() if name.startswith("Secret/")]


def test_an_install_without_the_renderer_fails_and_leaves_nothing(
    namespace: Namespace, helm: Runner, gang: Path
) -> None:
    done = helm.attempt("install", "train", CHART, "-f", gang)
    assert done.returncode != 0
    assert UNSERVED in done.stderr
    assert "use-helm-roster-or-post-renderer-roster-postrender" in done.stderr
    assert namespace.everything() == []


def test_an_upgrade_without_the_renderer_fails_and_changes_nothing(
    namespace: Namespace, helm: Runner, gang: Path, tmp_path: Path
) -> None:
    PlainHelm(helm)("install", "train", CHART, "-f", gang)
    before = namespace.items("scheduling.k8s.io/v1beta1", "PodGroup"), secrets(namespace)
    done = helm.attempt("upgrade", "train", CHART, "-f", write(namespace, tmp_path, replicas=3))
    assert UNSERVED in done.stderr
    after = namespace.items("scheduling.k8s.io/v1beta1", "PodGroup"), secrets(namespace)
    assert [group["metadata"]["uid"] for group in after[0]] == [group["metadata"]["uid"] for group in before[0]]
    assert after[1] == before[1]
    assert namespace.get("apps/v1", "StatefulSet", "train-worker")["spec"]["replicas"] == 2  # type: ignore[index]


def test_an_operation_without_backend_installs_by_plain_helm(namespace: Namespace, helm: Runner) -> None:
    """The install path without any plugin set-up: example 01, no renderer, no command of ours."""
    helm("install", "serving", CHART, *given(SERVING))
    deployments = {item["metadata"]["name"]: item for item in namespace.items("apps/v1", "Deployment")}
    replicas = {name: item["spec"]["replicas"] for name, item in deployments.items()}
    assert replicas == {"serving-router": 1, "serving-prefill": 4, "serving-decode": 8}
