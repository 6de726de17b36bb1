"""What may surprise in how groups are told of each other."""

from __future__ import annotations

from typing import Any

import pytest

from helm_roster.policy import warnings, wired

from tests.unit.builders import group, plan

INDEXED = {"containers": [{"name": "main", "args": ["--node-rank=$(LWS_WORKER_INDEX)"]}]}


@pytest.mark.parametrize(
    ("more", "warned"), [({}, True), ({"pod": INDEXED}, False), ({"leaderPod": {"containers": [{"name": "x"}]}}, False)]
)
def test_pods_of_a_replica_that_all_run_the_same_are_told(more: dict[str, Any], *, warned: bool) -> None:
    groups = {"a": group(1, kind="LeaderWorkerSet", podsPerReplica=4, **more)}
    said = warnings.of_plan(plan(groups, backend="default"))
    assert [line.startswith('group "a": the 4 pods of a replica run the same, and') for line in said] == [True] * warned


@pytest.mark.parametrize(("replicas", "warned"), [(1, True), (0, False)])
def test_names_of_replicas_that_are_not_there_are_told(replicas: int, *, warned: bool) -> None:
    groups = {"a": group(replicas, reads={"b": ["count", "hosts"]}), "b": group(0)}
    said = warnings.of_plan(plan(groups, backend="default"))
    assert said == ['group "a" is told no hosts: "b" has no replicas'] * warned


@pytest.mark.parametrize("extra", ["--port=4", "--port"])
def test_a_flag_that_a_reference_gives_and_an_argument_repeats_is_told(extra: str) -> None:
    container = {"args": [{"flag": "--port", "fromPort": "http"}, "--host=x"], "extraArgs": ["--portal=1", extra]}
    operation = plan({"a": group(1)}, backend="default").operation
    told = list(wired.repeated(operation, {"a": {"container": container}}))
    assert [line.partition(", and")[0] for line in told] == [
        f"groups.a.container: {extra} repeats --port of fromPort http"
    ]
