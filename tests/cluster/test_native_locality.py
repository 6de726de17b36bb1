"""Locality within locality and preemption on the real kube-scheduler; for all schedulers: test_placement_*.py."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tests.cluster import operations
from tests.cluster.api import ApiError, Json, stays, wait_for
from tests.cluster.namespaces import Namespace
from tests.support.roster import cli
from tests.support.runner import Runner

HELD = 3.0
BINDS = 60.0
RACK, BLOCK = "example.org/rack", "example.org/block"
LEVELS = {"rack": RACK, "block": BLOCK, "nowhere": "example.org/nowhere"}


def write(folder: Path, namespace: Namespace, groups: dict[str, Json], step: Json, **more: Any) -> Path:
    """Write values of one gang over these groups of one-accelerator pods, with levels rack and block."""
    made = {name: operations.group(namespace, gpus=1, **fields) for name, fields in groups.items()}
    values = operations.values(made, gangs={"step": {}}, **more)
    values["scheduling"] |= {"gangs": {"step": step}, "topology": {"levels": LEVELS}}
    return operations.write(folder, values)


def racks(namespace: Namespace, counts: dict[str, int], **labels: str) -> None:
    for rack, count in counts.items():
        namespace.add_nodes(count, labels={RACK: rack, **labels})


def used(namespace: Namespace, label: str, selector: str = "") -> Counter[str]:
    """Return how many bound pods stand in each domain of the label."""
    nodes = {node["metadata"]["name"]: node["metadata"]["labels"] for node in namespace.api.items("/api/v1/nodes")}
    bound = [pod["spec"].get("nodeName") for pod in namespace.pods(selector)]
    return Counter(nodes[name][label] for name in bound if name)


def test_a_gang_within_a_block_keeps_one_of_its_groups_within_a_rack(
    namespace: Namespace, helm4: Runner, tmp_path: Path
) -> None:
    """Block x has no rack for three learners, block y has; the extra rollout stays within the block when it is full."""
    racks(namespace, {"a": 2, "b": 2, "c": 2}, **{BLOCK: "x"})
    racks(namespace, {"d": 3, "e": 2}, **{BLOCK: "y"})
    groups = {"learner": {"replicas": 3, "locality": {"within": "rack"}}, "rollout": {"replicas": 3}}
    step = {"members": {"learner": {}, "rollout": {"min": 2}}, "locality": {"within": "block"}}
    operations.install(helm4, "rl", write(tmp_path, namespace, groups, step))
    wait_for(namespace.bound, BINDS, "the minimum bound", until=lambda seen: seen == 5)
    stays(namespace.bound, HELD, "the extra pod not bound elsewhere", until=lambda seen: seen == 5)
    assert used(namespace, RACK, "helm-roster.dev/group=learner") == {"d": 3}
    assert used(namespace, BLOCK) == {"y": 5}


def test_a_preferred_rack_that_comes_and_goes_is_an_ordinary_update(
    namespace: Namespace, helm4: Runner, tmp_path: Path
) -> None:
    racks(namespace, {"a": 2, "b": 2})
    groups, step = {"worker": {"replicas": 2}}, {"members": {"worker": {}}}
    cli(helm4)("install", "train", "-f", write(tmp_path, namespace, groups, step))
    wait_for(namespace.bound, BINDS, "two bound pods", until=lambda seen: seen == 2)
    for more in {"locality": {"within": "rack", "required": False}}, {}:
        old = {pod["metadata"]["uid"] for pod in namespace.pods()}
        cli(helm4)("upgrade", "train", "-f", write(tmp_path, namespace, groups, step | more))
        wait_for(
            namespace.pods, BINDS, "two new pods with a node",
            until=lambda pods, old=old: [pod["metadata"]["uid"] in old for pod in pods if "nodeName" in pod["spec"]]
            == [False, False],
        )  # fmt: skip


def test_install_tries_whether_the_constraint_is_kept_and_stops_at_a_level_that_no_node_has(
    namespace: Namespace, helm4: Runner, tmp_path: Path
) -> None:
    namespace.add_node()
    step = {"members": {"worker": {}}, "locality": {"within": "nowhere"}}
    done = cli(helm4).attempt("install", "train", "-f", write(tmp_path, namespace, {"worker": {"replicas": 2}}, step))
    assert done.returncode == 1
    assert "no node has the label example.org/nowhere of level nowhere" in done.stderr
    assert "not checked" not in done.stderr


@pytest.mark.parametrize(("word", "stay"), [("pod", 3), ("gang", 0)])
def test_a_pod_of_higher_priority_takes_a_pod_or_the_gang(
    namespace: Namespace, helm4: Runner, tmp_path: Path, word: str, stay: int
) -> None:
    namespace.add_nodes(4)
    step = {"members": {"learner": {}, "actor": {"min": 1}}, "preemption": word}
    groups = {"learner": {"replicas": 2}, "actor": {"replicas": 2}}
    operations.install(helm4, "rl", write(tmp_path, namespace, groups, step))
    wait_for(namespace.bound, BINDS, "all four pods bound", until=lambda seen: seen == 4)
    before = {pod["metadata"]["uid"] for pod in namespace.pods()}
    urgent = f"{namespace.name}-urgent"
    namespace.create(
        {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": urgent}, "value": 1000},
    )
    pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "urgent"}, "spec": {
        "priorityClassName": urgent, "nodeSelector": dict(namespace.node_selector), "containers": [
            {"name": "c", "image": "pause", "resources": {"limits": {"nvidia.com/gpu": "1"}}},
        ]}}  # fmt: skip
    wait_for(lambda: _is_taken(namespace, pod), BINDS, "the API server to know the class")
    wait_for(
        lambda: namespace.get("v1", "Pod", "urgent"), BINDS, "the urgent pod bound",
        until=lambda pod: bool(pod and pod["spec"].get("nodeName")),
    )  # fmt: skip
    left = {pod["metadata"]["uid"] for pod in namespace.pods() if not pod["metadata"].get("deletionTimestamp")}
    assert len(before & left) == stay


def _is_taken(namespace: Namespace, pod: Json) -> bool:
    """Create the pod, once admission has heard of its class."""
    try:
        namespace.create(pod)
    except ApiError as error:
        if "no PriorityClass" not in str(error):
            raise
        return False
    return True
