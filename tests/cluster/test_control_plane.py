"""The cluster itself: real, of the version we claim, and it holds a gang without any of our code."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cluster import control_plane, fates, processes, raw
from tests.cluster.api import ApiError, Json, stays, wait_for
from tests.cluster.control_plane import ControlPlane
from tests.cluster.namespaces import Namespace, pod_ready
from tests.support.runner import Runner


def condition(found: Json | None, kind: str) -> Json:
    """Return an object's condition of that type, or an empty one."""
    conditions = (found or {}).get("status", {}).get("conditions", [])
    return next((item for item in conditions if item["type"] == kind), {})


def test_the_api_server_says_its_version(cluster: ControlPlane) -> None:
    assert cluster.api.get("/version")["gitVersion"] == "v1.37.2"


@pytest.mark.parametrize(
    ("version", "kind"), [("v1beta1", "PodGroup"), ("v1beta1", "Workload"), ("v1alpha3", "CompositePodGroup")]
)
def test_the_native_gang_kinds_are_served(cluster: ControlPlane, version: str, kind: str) -> None:
    assert cluster.api.path(f"scheduling.k8s.io/{version}", kind, "default").startswith("/apis/scheduling.k8s.io/")


def test_kubectl_reaches_the_cluster_with_verified_tls(namespace: Namespace, kubectl: Runner) -> None:
    namespace.create({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "here"}})
    assert kubectl("get", "configmap", "here", "-o", "name").stdout == "configmap/here\n"


def test_helm_installs_into_the_namespace(namespace: Namespace, helm: Runner, tmp_path: Path) -> None:
    chart = tmp_path / "chart"
    (chart / "templates").mkdir(parents=True)
    (chart / "Chart.yaml").write_text("{apiVersion: v2, name: one, version: 0.1.0}\n")
    (chart / "templates" / "it.yaml").write_text("{apiVersion: v1, kind: ConfigMap, metadata: {name: it}}\n")
    helm("install", "one", chart)
    assert namespace.get("v1", "ConfigMap", "it")


def test_a_deployment_becomes_ready(namespace: Namespace) -> None:
    namespace.add_node()
    namespace.create(raw.deployment("web", 2, raw.pod_spec(namespace.node_selector)))
    wait_for(
        lambda: namespace.get("apps/v1", "Deployment", "web"),
        30,
        "two ready replicas",
        until=lambda found: (found or {}).get("status", {}).get("readyReplicas") == 2,
    )


def test_pods_stay_on_the_nodes_of_their_own_namespace(namespace: Namespace, cluster: ControlPlane) -> None:
    cluster.api.post(
        "/api/v1/nodes", {"apiVersion": "v1", "kind": "Node", "metadata": {"name": f"not-{namespace.name}"}}
    )
    own = namespace.add_nodes(2)
    namespace.create(raw.deployment("web", 6, raw.pod_spec(namespace.node_selector)))
    wait_for(namespace.bound, 60, "six bound pods", until=lambda count: count == 6)
    cluster.api.delete(f"/api/v1/nodes/not-{namespace.name}")
    assert {pod["spec"]["nodeName"] for pod in namespace.pods()} <= set(own)


def test_a_pod_that_no_node_can_hold_stays_pending_with_the_schedulers_words(namespace: Namespace) -> None:
    namespace.add_node(gpus=1)
    namespace.create(raw.pod("big", raw.pod_spec(namespace.node_selector, gpus=2)))
    told = wait_for(lambda: condition(namespace.pod("big"), "PodScheduled"), 60, "the scheduler's verdict")
    assert told["reason"] == "Unschedulable"
    assert "Insufficient nvidia.com/gpu" in told["message"]


def test_a_gang_waits_whole_and_starts_whole(namespace: Namespace) -> None:
    spec = raw.pod_spec(namespace.node_selector, gpus=1, group="step")
    namespace.add_nodes(3)
    namespace.create(raw.pod_group("step", 4), raw.stateful_set("step", 4, spec))
    verdict = wait_for(
        lambda: condition(namespace.get("scheduling.k8s.io/v1beta1", "PodGroup", "step"), "PodGroupInitiallyScheduled"),
        30,
        "the scheduler's verdict on the group",
    )
    assert (verdict["status"], verdict["reason"], namespace.bound()) == ("False", "Unschedulable", 0)
    namespace.add_node()
    wait_for(namespace.bound, 90, "four bound pods", until=lambda count: count == 4)


def test_a_pod_can_be_made_ready_by_hand(namespace: Namespace) -> None:
    namespace.add_node()
    namespace.create(raw.pod("p", raw.pod_spec(namespace.node_selector), fates.annotate("never-ready")))
    wait_for(lambda: namespace.pod("p") or {}, 60, "running", until=lambda pod: pod["status"]["phase"] == "Running")
    namespace.set_ready("p", ready=True)
    stays(lambda: pod_ready(namespace.pod("p") or {}), 1, "being ready")


def test_everything_lists_kinds_of_every_group_and_only_this_namespace(namespace: Namespace) -> None:
    composite = {
        "apiVersion": "scheduling.k8s.io/v1alpha3",
        "kind": "CompositePodGroup",
        "metadata": {"name": "root"},
        "spec": {
            "workloadRef": {"workloadName": "w", "templateName": "t"},
            "schedulingPolicy": {"gang": {"minGroupCount": 1}},
        },
    }
    namespace.create({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "s"}}, composite)
    assert namespace.everything() == ["CompositePodGroup/root", "Secret/s"]


def test_a_deleted_namespace_goes_with_all_that_it_holds(namespace: Namespace) -> None:
    namespace.add_node()
    spec = raw.pod_spec(namespace.node_selector, group="step")
    namespace.create(raw.pod_group("step", 1), raw.stateful_set("step", 1, spec))
    wait_for(namespace.bound, 60, "a bound pod")
    path = f"/api/v1/namespaces/{namespace.name}"
    namespace.api.delete(path)
    wait_for(lambda: namespace.api.find(path), 60, "the namespace to be gone", until=lambda found: found is None)


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="the time of a process is read from /proc")
def test_while_it_is_frozen_it_takes_no_time_and_then_it_goes_on(cluster: ControlPlane, namespace: Namespace) -> None:
    cluster.freeze()
    before = spent(cluster)
    stays(lambda: spent(cluster), 1, "no time taken", until=lambda seen: seen == before)
    cluster.thaw()
    namespace.add_node()
    namespace.create(raw.pod("p", raw.pod_spec(namespace.node_selector)))
    wait_for(namespace.bound, 60, "a bound pod")


def spent(cluster: ControlPlane) -> int:
    """Return the ticks of processor time that all of it has taken."""
    stats = (Path(f"/proc/{record.pid}/stat").read_text() for record in cluster.components.records)
    return sum(sum(map(int, stat.rpartition(")")[2].split()[11:13])) for stat in stats)


def test_an_unknown_kind_is_a_refusal_in_words(namespace: Namespace) -> None:
    with pytest.raises(LookupError, match=r"does not serve batch/v1 Nonsense"):
        namespace.create({"apiVersion": "batch/v1", "kind": "Nonsense", "metadata": {"name": "x"}})


def test_a_refusal_of_the_api_server_keeps_its_words(namespace: Namespace) -> None:
    with pytest.raises(ApiError, match=r"422 Invalid: .*minCount"):
        namespace.create(raw.pod_group("none", 0))


def test_a_component_that_cannot_start_is_reported_with_its_log_and_nothing_is_left(
    programs: dict[str, Path], tmp_path: Path
) -> None:
    broken = {**programs, "kwok": Path("/bin/false")}
    kept: list[processes.Record] = []
    with pytest.raises(processes.ComponentError, match=r"kwok \(pid \d+\) ended while it was starting"):
        control_plane.start(tmp_path, broken, note=lambda records: kept.extend(records[-1:]))
    assert len(kept) == 5
    assert not any(map(processes.alive, kept))
