"""Gangs on the real kube-scheduler, installed by the real Helm 3 and 4 with the post-renderer."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from tests.cluster import operations
from tests.cluster.api import stays, wait_for
from tests.cluster.namespaces import Namespace
from tests.support.roster import CHART, PlainHelm, cli
from tests.support.runner import Runner
from tests.support.turns import by_turns

# Long enough for kube-scheduler to have looked several times: it retries within seconds of every new node.
HELD = 4.0
BINDS = 60.0
# What hangs on the order in which objects are created is worth many looks: ROSTER_TIMES=20 pytest -k by_role.
TIMES = int(os.environ.get("ROSTER_TIMES", "1"))


def write(folder: Path, namespace: Namespace, groups: dict[str, int], members: dict[str, Any], **more: Any) -> Path:
    """Write values of one gang over groups of one-accelerator pods on the namespace's nodes."""
    made = {name: operations.group(namespace, replicas, gpus=1) for name, replicas in groups.items()}
    return operations.write(folder, operations.values(made, gangs={"step": members}, **more))


def by_group(namespace: Namespace, group: str) -> int:
    return namespace.bound(f"helm-roster.dev/group={group}")


def test_a_gang_of_four_is_held_whole_on_three_nodes_and_runs_on_four(
    namespace: Namespace, helm: Runner, tmp_path: Path
) -> None:
    """P2, with plain Helm: no pod is bound while one does not fit, all are when it does."""
    namespace.add_nodes(3)
    file = write(tmp_path, namespace, {"worker": 4}, {"worker": {}})
    PlainHelm(helm)("install", "train", CHART, "-f", file)
    wait_for(lambda: len(namespace.pods()), 30, "four pods", until=lambda seen: seen == 4)
    stays(namespace.bound, HELD, "no pod bound", until=lambda seen: seen == 0)
    namespace.add_node()
    wait_for(namespace.bound, BINDS, "all four pods bound", until=lambda seen: seen == 4)


@by_turns("elastic", ["rollout", "actor"])
@pytest.mark.parametrize("time", range(TIMES))
def test_a_gang_keeps_its_minimum_by_role(
    namespace: Namespace, helm: Runner, tmp_path: Path, elastic: str, time: int
) -> None:
    """P3: four learners and two of eight others; an elastic group whose name sorts first changes nothing."""
    assert time < TIMES
    namespace.add_nodes(5)
    groups, members = {"learner": 4, elastic: 8}, {"learner": {}, elastic: {"min": 2}}
    PlainHelm(helm)("install", "rl", CHART, "-f", write(tmp_path, namespace, groups, members))
    wait_for(lambda: len(namespace.pods()), 30, "twelve pods", until=lambda seen: seen == 12)
    stays(namespace.bound, HELD, "no pod bound on five nodes", until=lambda seen: seen == 0)
    namespace.add_node()
    wait_for(namespace.bound, BINDS, "six pods bound", until=lambda seen: seen == 6)
    assert (by_group(namespace, "learner"), by_group(namespace, elastic)) == (4, 2)


def test_extra_replicas_of_an_elastic_member_join_as_nodes_come(
    namespace: Namespace, helm4: Runner, tmp_path: Path
) -> None:
    namespace.add_nodes(6)
    members = {"learner": {}, "actor": {"min": 2}}
    file = write(tmp_path, namespace, {"learner": 4, "actor": 8}, members)
    PlainHelm(helm4)("install", "rl", CHART, "-f", file)
    wait_for(namespace.bound, BINDS, "the minimum bound", until=lambda seen: seen == 6)
    namespace.add_nodes(2)
    wait_for(namespace.bound, BINDS, "two more pods bound", until=lambda seen: seen == 8)
    assert by_group(namespace, "actor") == 4


def test_a_flat_gang_grows_beyond_its_minimum_without_a_new_group(
    namespace: Namespace, helm4: Runner, tmp_path: Path
) -> None:
    """Its only member becomes elastic by that; a group object of another name would hold the new pods for ever."""
    namespace.add_nodes(4)
    for replicas in 2, 4:
        file = write(tmp_path, namespace, {"worker": replicas}, {"worker": {"min": 2}})
        cli(helm4)("upgrade", "train", "--install", "-f", file)
        wait_for(namespace.bound, BINDS, f"{replicas} pods bound", until=lambda seen, all_=replicas: seen == all_)


def test_two_elastic_members_are_refused_before_anything_is_applied(
    namespace: Namespace, helm4: Runner, tmp_path: Path
) -> None:
    members = {"learner": {"min": 2}, "actor": {"min": 2}}
    file = write(tmp_path, namespace, {"learner": 4, "actor": 8}, members)
    done = PlainHelm(helm4).attempt("install", "rl", CHART, "-f", file)
    assert done.returncode != 0
    assert 'gang "step": two elastic members ("actor", "learner")' in done.stderr
    assert namespace.everything() == []


def test_scaling_an_elastic_member_leaves_the_other_group_alone(
    namespace: Namespace, helm: Runner, tmp_path: Path
) -> None:
    """P1 for gangs: the learners keep their pods, and the grouping objects their names."""
    namespace.add_nodes(8)
    members = {"learner": {}, "actor": {"min": 2}}
    for command, actors in ("install", 3), ("upgrade", 4):
        file = write(tmp_path, namespace, {"learner": 4, "actor": actors}, members)
        PlainHelm(helm)(command, "rl", CHART, "-f", file)
        wait_for(namespace.bound, BINDS, "all bound", until=lambda seen, total=4 + actors: seen == total)
        learners = {pod["metadata"]["uid"] for pod in namespace.pods("helm-roster.dev/group=learner")}
        grouping = [name for name in namespace.everything() if name.startswith(("PodGroup/", "CompositePodGroup/"))]
        if command == "install":
            before = learners, grouping
    assert (learners, grouping) == before


def test_a_gang_of_an_indexed_job_is_held_and_runs(namespace: Namespace, helm3: Runner, tmp_path: Path) -> None:
    namespace.add_nodes(3)
    file = write(tmp_path, namespace, {"worker": 4}, {"worker": {}}, kind="job")
    PlainHelm(helm3)("install", "train", CHART, "-f", file)
    wait_for(lambda: len(namespace.pods()), 30, "four pods", until=lambda seen: seen == 4)
    stays(namespace.bound, HELD, "no pod bound", until=lambda seen: seen == 0)
    namespace.add_node()
    wait_for(namespace.bound, BINDS, "all four pods bound", until=lambda seen: seen == 4)


def test_a_gang_with_a_priority_class_is_scheduled(namespace: Namespace, helm4: Runner, tmp_path: Path) -> None:
    """Pods whose priority differs from their group's are never placed, so the class is copied to every group."""
    namespace.add_nodes(3)
    name = f"{namespace.name}-urgent"
    namespace.api.create(
        {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": name}, "value": 1000}
    )
    defaults = {"environment": {"priorityClassName": name}}
    groups, members = {"learner": 2, "actor": 2}, {"learner": {}, "actor": {"min": 1}}
    file = write(tmp_path, namespace, groups, members, defaults=defaults)
    PlainHelm(helm4)("install", "rl", CHART, "-f", file)
    wait_for(namespace.bound, BINDS, "three pods bound", until=lambda seen: seen == 3)
