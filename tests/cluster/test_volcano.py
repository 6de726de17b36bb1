"""Volcano: what the backend makes passes its real definitions, and its real scheduler keeps it.

What holds whoever places a gang is in test_placement.py.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest

from helm_roster.backends import volcano as backend

from tests.cluster import operations, raw
from tests.cluster.api import Json, stays, wait_for
from tests.cluster.namespaces import Namespace
from tests.cluster.schedulers import Scheduler
from tests.support.runner import Runner
from tests.unit.builders import gang, group, plan

Strict = Callable[[Iterable[Json]], None]
HELD = 2.0
BINDS = 60.0
RACK = "example.org/rack"
WITHIN = {"within": "rack", "tier": 1}
GROUPS = {
    "learner": group(4, pod={"priorityClassName": "research"}),
    "actor": group(8, pod={"priorityClassName": "research"}),
    "web": group(1),
}
LEARNER = "helm-roster.dev/group=learner"


@pytest.mark.parametrize(
    ("step", "more"),
    [
        pytest.param(gang(learner=(4, False), actor=(2, True)), {}, id="one elastic member"),
        pytest.param(gang(learner=(2, True), actor=(2, True)), {}, id="sub-groups"),
        pytest.param(gang(learner=(4, False)), {"locality": WITHIN, "minResources": True}, id="locality, minResources"),
        pytest.param(
            {"members": {"learner": {"min": 4, "locality": {**WITHIN, "tier": "leaf", "required": False}}}},
            {},
            id="locality of a member",
        ),
    ],
)
def test_what_is_made_passes_strict_validation(strict: Strict, step: dict[str, Any], more: dict[str, Any]) -> None:
    asked = plan(GROUPS, {"step": step | more}, backend="volcano", queue="team-a")
    strict([{**made, "metadata": {**made["metadata"], "namespace": "anywhere"}} for made in backend.objects(asked)])


def write(folder: Path, placer: Scheduler, groups: Json, step: Json | None = None) -> Path:
    """Write values of one gang, with a level rack of tier 1."""
    values = operations.values(groups, gangs={"step": {}}, placer=placer)
    levels = {"topology": {"levels": {"rack": {"tier": 1}}}}
    values["scheduling"] |= {"gangs": {"step": step} if step else None, **levels}
    return operations.write(folder, values)


def racks(namespace: Namespace, **counts: int) -> None:
    """Add nodes by rack, with a HyperNode for each rack that has none yet."""
    for rack, count in counts.items():
        label = f"{namespace.name}-{rack}"
        namespace.add_nodes(count, labels={RACK: label})
        selector = {"labelMatch": {"matchLabels": {RACK: label}}}
        made = raw.hyper_node(label, 1, [])
        made["spec"]["members"] = [{"type": "Node", "selector": selector}]
        namespace.create(made)


def used(namespace: Namespace, selector: str) -> Counter[str]:
    """Return how many bound pods stand in each rack."""
    nodes = {node["metadata"]["name"]: node["metadata"]["labels"] for node in namespace.api.items("/api/v1/nodes")}
    bound = [pod["spec"].get("nodeName") for pod in namespace.pods(selector)]
    return Counter(nodes[name][RACK] for name in bound if name)


def test_a_member_that_must_be_within_one_rack_takes_one_that_holds_it_and_others_go_where_they_fit(
    volcano: Scheduler, namespace: Namespace, helm4: Runner, tmp_path: Path
) -> None:
    racks(namespace, a=2, b=2, c=1)
    learner = operations.group(namespace, 3, gpus=1, locality={"within": "rack"})
    groups = {"learner": learner, "actor": operations.group(namespace, 4, gpus=1)}
    file = write(tmp_path, volcano, groups, {"members": {"learner": {}, "actor": {"min": 2}}})
    operations.install(helm4, "rl", file)
    wait_for(namespace.pods, 30, "seven pods", until=lambda pods: len(pods) == 7)
    stays(namespace.bound, HELD, "no bound pod", until=lambda count: count == 0)
    namespace.add_node(labels={RACK: f"{namespace.name}-b"})
    wait_for(namespace.bound, BINDS, "six bound pods", until=lambda count: count == 6)
    assert used(namespace, LEARNER) == {f"{namespace.name}-b": 3}


def test_install_stops_where_volcano_would_ignore_a_required_locality(
    volcano: Scheduler, namespace: Namespace, roster4: Runner, tmp_path: Path
) -> None:
    groups = {"worker": operations.group(namespace, 2, gpus=1)}
    file = write(tmp_path, volcano, groups, {"members": {"worker": {}}, "locality": {"within": "rack"}})
    racks(namespace, a=1)
    outside = namespace.add_node()
    done = roster4.attempt("install", "train", "-f", file)
    assert (done.returncode, f"{outside} of the 2 nodes" in done.stderr) == (1, True), done.stderr
    assert namespace.everything() == []
    namespace.remove_node(outside)
    namespace.add_node(labels={RACK: f"{namespace.name}-a"})
    with volcano.configured(plugins=("priority", "gang", "predicates", "proportion")):
        done = roster4.attempt("install", "train", "-f", file)
        assert "does not name network-topology-aware" in done.stderr
    roster4("install", "train", "-f", file)
    wait_for(namespace.bound, BINDS, "two bound pods", until=lambda count: count == 2)


def test_a_queue_that_is_missing_stops_the_install_and_one_that_is_closed_what_needs_a_place(
    volcano: Scheduler, namespace: Namespace, roster4: Runner, tmp_path: Path
) -> None:
    namespace.add_nodes(2)
    queue = f"{namespace.name}-queue"
    values = operations.values({"worker": operations.group(namespace, 2, gpus=1)}, gangs={"step": {"worker": {}}})
    values["scheduling"]["placement"] = {"backend": volcano.name, "queue": queue}
    file = operations.write(tmp_path, values)
    assert f'no queue "{queue}"' in roster4.attempt("install", "train", "-f", file).stderr
    kind = {"apiVersion": "scheduling.volcano.sh/v1beta1", "kind": "Queue"}
    namespace.create({**kind, "metadata": {"name": queue}, "spec": {"weight": 1}})
    state = f"/apis/scheduling.volcano.sh/v1beta1/queues/{queue}"
    wait_for(lambda: namespace.api.get(state), 30, "an open queue", until=lambda seen: "status" in seen)
    namespace.api.patch(f"{state}/status", {"status": {"state": "Closed"}})
    operations.install(roster4, "train", file)
    wait_for(namespace.pods, 30, "two pods", until=lambda pods: len(pods) == 2)
    (decision,) = operations.status(roster4, "train")["gangs"]
    assert (decision["state"], decision["message"].startswith(f'queue "{queue}" is Closed')) == ("waiting", True)
    namespace.api.patch(f"{state}/status", {"status": {"state": "Open"}})
    wait_for(namespace.bound, BINDS, "two bound pods", until=lambda count: count == 2)
    namespace.api.patch(f"{state}/status", {"status": {"state": "Closed"}})
    again = roster4("upgrade", "train", "-f", file)
    assert f'warning: Volcano\'s queue "{queue}" is Closed' in again.stderr
    refused = roster4.attempt("upgrade", "train", "-f", file, "--set", "groups.worker.container.image=e/a:2")
    assert (refused.returncode, f'queue "{queue}" is Closed' in refused.stderr) == (1, True)


def test_a_gang_with_min_resources_is_bound_where_the_sums_of_its_minimum_fit(
    volcano: Scheduler, namespace: Namespace, helm4: Runner, tmp_path: Path
) -> None:
    namespace.add_nodes(3)
    groups = {"learner": operations.group(namespace, 2, gpus=1), "actor": operations.group(namespace, 4, gpus=1)}
    file = write(tmp_path, volcano, groups, {"members": {"learner": {}, "actor": {"min": 1}}, "minResources": True})
    operations.install(helm4, "rl", file)
    wait_for(namespace.bound, BINDS, "three bound pods", until=lambda count: count == 3)
    (made,) = namespace.api.items(f"/apis/scheduling.volcano.sh/v1beta1/namespaces/{namespace.name}/podgroups")
    assert made["spec"]["minResources"]["nvidia.com/gpu"] == "3"


def test_a_group_outside_gangs_scales_to_zero_and_back_and_rolls_out(
    volcano: Scheduler, namespace: Namespace, helm4: Runner, tmp_path: Path
) -> None:
    namespace.add_nodes(3)
    operations.install(helm4, "web", write(tmp_path, volcano, {"web": operations.group(namespace, 2, gpus=1)}))
    path = namespace.path("apps/v1", "Deployment", "web-web")
    for count in (2, 0, 3):
        namespace.api.patch(path, {"spec": {"replicas": count}})
        wait_for(
            lambda: (len(namespace.pods()), namespace.bound()), BINDS, f"{count} bound pods",
            until=lambda seen, count=count: seen == (count, count),
        )  # fmt: skip
    old = {pod["metadata"]["uid"] for pod in namespace.pods()}
    namespace.api.patch(path, {"spec": {"template": {"metadata": {"annotations": {"next": "1"}}}}})
    wait_for(
        namespace.pods, BINDS, "three new pods with a node",
        until=lambda pods: len(pods) == 3 and all("nodeName" in pod["spec"] for pod in pods)
        and old.isdisjoint(pod["metadata"]["uid"] for pod in pods),
    )  # fmt: skip


def test_a_gang_whose_fixed_member_becomes_elastic_is_placed_anew_in_sub_groups(
    volcano: Scheduler, namespace: Namespace, roster4: Runner, tmp_path: Path
) -> None:
    """The PodGroup changes from minima by task to sub-groups, under the same name."""
    namespace.add_nodes(5)
    groups = {name: operations.group(namespace, count, gpus=1) for name, count in (("learner", 2), ("actor", 3))}
    members: Json = {"learner": {}, "actor": {"min": 1}}
    operations.install(roster4, "rl", write(tmp_path, volcano, groups, {"members": members}))
    wait_for(namespace.bound, BINDS, "five bound pods", until=lambda count: count == 5)
    old = {pod["metadata"]["uid"] for pod in namespace.pods()}
    members["learner"] = {"min": 1}
    changed = write(tmp_path, volcano, groups, {"members": members})
    assert "learner becomes elastic" in roster4.attempt("upgrade", "rl", "-f", changed).stderr
    roster4("upgrade", "rl", "--recreate", "-f", changed)
    wait_for(namespace.bound, BINDS, "five bound pods again", until=lambda count: count == 5)
    assert old.isdisjoint(pod["metadata"]["uid"] for pod in namespace.pods())


def test_a_gang_of_a_higher_class_takes_places_once_the_configuration_has_the_action_preempt(
    volcano: Scheduler, namespace: Namespace, helm4: Runner, tmp_path: Path
) -> None:
    """One sandbox stays: the plugin gang leaves each PodGroup its minimum, where it is not told otherwise."""
    namespace.add_nodes(3)
    groups = {name: operations.group(namespace, count, gpus=1) for name, count in (("sandbox", 3), ("worker", 2))}
    for name, value in (("sandbox", 10), ("worker", 1000)):
        kind = {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass"}
        namespace.create({**kind, "metadata": {"name": f"{namespace.name}-{name}"}, "value": value})
        groups[name]["environment"]["priorityClassName"] = f"{namespace.name}-{name}"
    operations.install(helm4, "sandbox", write(tmp_path, volcano, {"sandbox": groups["sandbox"]}))
    wait_for(namespace.bound, BINDS, "three bound sandboxes", until=lambda count: count == 3)
    step = {"members": {"worker": {}}}
    operations.install(helm4, "train", write(tmp_path, volcano, {"worker": groups["worker"]}, step))
    workers = "helm-roster.dev/group=worker"
    wait_for(lambda: len(namespace.pods(workers)), 30, "two workers", until=lambda count: count == 2)
    stays(lambda: namespace.bound(workers), HELD, "no bound worker", until=lambda count: count == 0)
    with volcano.configured(actions="enqueue, allocate, preempt, backfill"):
        wait_for(lambda: namespace.bound(workers), BINDS, "two bound workers", until=lambda count: count == 2)
