"""How a plan reads: amounts as Kubernetes writes them, and columns only where there is something to say."""

from __future__ import annotations

import json
from typing import Any

import pytest

from helm_roster.policy import totals
from helm_roster.policy.claims import Claim
from helm_roster.report import plan_json, plan_table

from tests.support import schemas
from tests.unit.builders import gang, group, plan

COMPANIONS = {"nvidia.com/gpu": 8, "vpc.amazonaws.com/efa": 32, "hugepages-2Mi": "5120Mi", "ephemeral-storage": "1Ti"}
SHM = [{"name": "shm", "emptyDir": {"medium": "Memory", "sizeLimit": "32Gi"}}, {"name": "x", "emptyDir": {}}]
BIG = [{"name": "shm", "emptyDir": {"medium": "Memory", "sizeLimit": "64Gi"}}]


def document(entry: dict[str, Any]) -> dict[str, Any]:
    asked = plan({"w": entry}, backend="default")
    return plan_json.document(asked, totals.count(asked), [], [])


def headings(entry: dict[str, Any]) -> list[object]:
    return [column.header for column in plan_table.table(document(entry)).columns]


def test_the_sums_name_every_resource() -> None:
    pod = {"containers": [{"name": "main", "resources": {"limits": COMPANIONS}}], "volumes": SHM}
    found = document(group(2, accelerators=8, pod=pod))
    assert found["totals"]["other"] == {"hugepages-2Mi": "10Gi", "vpc.amazonaws.com/efa": "64"}
    assert found["totals"]["ephemeralStorage"] == "2Ti"
    assert found["groups"][0]["memoryVolumes"] == {"shm": "32Gi"}


def test_groups_that_are_rolled_out_together_are_told_with_the_reason() -> None:
    together = {"coordinated": ["decode", "prefill"]}
    groups = {"router": group(1, router=True, **together), "decode": group(1, **together), "prefill": group(1)}
    asked = plan(groups, backend="default")
    found = plan_json.document(asked, totals.count(asked), [], [])
    schemas.check(json.dumps(found))
    assert found["coordinated"] == [{"router": "router", "groups": ["decode", "prefill"]}]
    (told,) = [line for line in plan_table.lines(found) if "together" in line]
    assert told.startswith("decode and prefill are rolled out together (rollout.coordinated): a change of one gives")


def test_a_column_that_says_nothing_is_left_out() -> None:
    assert headings(group(1)) == ["group", "workload", "replicas", "pods", "accelerators", "cpu", "memory"]


def test_nodes_that_pods_take_whole_are_shown_in_words_and_as_a_number() -> None:
    found = document(group(4, accelerators=8, fillsNode=True))
    schemas.check(json.dumps(found))
    assert [found[moment]["nodes"] for moment in ("totals", "minimumToStart", "rolloutPeak")] == [4, 1, 4]
    assert headings(group(4, fillsNode=True))[3:5] == ["pods", "whole nodes"]
    assert "nodes" not in document(group(4))["totals"]


def test_the_table_shows_companions_storage_and_volumes_in_memory() -> None:
    pod = {"containers": [{"name": "main", "resources": {"limits": COMPANIONS}}], "volumes": SHM}
    assert headings(group(1, pod=pod))[-3:] == ["ephemeral storage", "other", "in memory, a pod"]


def test_the_table_rounds_what_has_many_digits_and_the_json_does_not() -> None:
    pod = {"containers": [{"name": "main", "resources": {"requests": {"cpu": "1070m", "memory": "13657600Ki"}}}]}
    found = document(group(120, pod=pod))
    cells = {column.header: next(column.cells) for column in plan_table.table(found).columns}
    assert (cells["cpu"], cells["memory"]) == ("128.4", "1563Gi")
    assert (found["totals"]["cpu"], found["totals"]["memory"]) == ("128400m", "1600500Mi")


def test_autoscaling_adds_a_moment_and_its_bounds() -> None:
    found = document(group(2, autoscaling={"owner": "hpa", "min": 1, "max": 8}))
    assert (found["totals"]["pods"], found["atMost"]["pods"]) == (2, 8)
    assert found["groups"][0]["autoscaling"] == {"owner": "hpa", "min": 1, "max": 8}


def test_a_plan_without_autoscaling_says_nothing_of_it() -> None:
    found = document(group(2))
    assert "atMost" not in found
    assert "autoscaling" not in found["groups"][0]


@pytest.mark.parametrize(("most", "shown"), [({"max": 8}, "2 (1 to 8)"), ({}, "2 (1 to any)")])
def test_the_table_shows_the_bounds_of_autoscaling(most: dict[str, int], shown: str) -> None:
    entry = group(2, autoscaling={"owner": "external", "min": 1, **most})
    columns = plan_table.table(document(entry)).columns
    assert (list(columns[0].cells)[-1], next(columns[2].cells)) == ("at most", shown)


def test_claims_are_named_with_their_size_and_what_becomes_of_them() -> None:
    made = [Claim(name="op-data", size="1Ti", kept=True), Claim(name="own", group="w", count=2, size="2Gi", kept=False)]
    asked = plan({"w": group(2)}, backend="default")
    lines = list(plan_table.lines(plan_json.document(asked, totals.count(asked), [], [], made)))
    assert lines[:3] == [
        "volume claims:",
        "  - op-data: 1Ti, kept after an uninstall",
        "  - own of w: 2 of 2Gi, one a pod, not kept",
    ]


def test_a_plan_without_claims_says_nothing_of_them() -> None:
    assert next(plan_table.lines(document(group(2)))) == "placement: default"


def test_a_plan_says_of_gangs_what_the_values_say() -> None:
    step = gang(a=(2, False))
    step["members"]["a"]["locality"] = {"within": "rack", "required": False, "segment": 2, "label": "example.org/rack"}
    asked = {"locality": {"within": "block", "tier": 2}, "stalenessGracePeriod": -1, "preemption": "gang"}
    made = plan({"a": group(4)}, {"step": step | asked | {"minResources": True}, "plain": {"members": {}}})
    found = plan_json.document(made, totals.count(made), [], [])
    schemas.check(json.dumps(found))
    near = {"within": "rack", "required": False, "segment": 2}
    assert found["gangs"] == [
        {"name": "plain", "members": []},
        {
            "name": "step",
            "members": [{"group": "a", "min": 2, "elastic": False, "order": 0, "locality": near}],
            "locality": {"within": "block", "required": True},
            "minResources": True,
            "stalenessGracePeriod": -1,
            "preemption": "gang",
        },
    ]


def test_a_plan_says_who_gives_quota_only_where_somebody_does() -> None:
    asked = plan({"w": group(1)}, admission={"backend": "kueue", "queue": "team"})
    found = plan_json.document(asked, totals.count(asked), [], [])
    schemas.check(json.dumps(found))
    assert found["admission"] == {"backend": "kueue", "queue": "team"}
    assert list(plan_table.lines(found)) == ["admission: kueue, queue team", "placement: native"]
    assert "admission" not in document(group(1))


def test_what_fills_connections_has_rows_of_its_own() -> None:
    asked = plan({"w": group(1)}, backend="default")
    found = plan_json.document(asked, totals.count(asked, {"models": {"containers": [{"name": "fill"}]}}), [], [])
    schemas.check(json.dumps(found))
    assert (found["fills"][0]["connection"], found["fills"][0]["pods"]) == ("models", 1)
    assert plan_table.grid(found).groups[1][:4] == ["fill of models", "Job", "once", "1"]
    assert "fills" not in document(group(1))


def test_leaders_that_ask_for_something_else_have_a_row_and_sums_of_their_own() -> None:
    entry = group(2, kind="LeaderWorkerSet", podsPerReplica=4, accelerators=4, leader={"accelerators": 0})
    found = document(entry)
    schemas.check(json.dumps(found))
    assert (found["groups"][0]["pods"], found["groups"][0]["leader"]["pods"]) == (8, 2)
    rows = plan_table.grid(found).groups
    assert [row[:5] for row in rows] == [
        ["w", "LeaderWorkerSet", "2", "8", "24 NVIDIA H200"],
        ["of which leaders", "", "", "2", "-"],
    ]
    alike = document(group(2, kind="LeaderWorkerSet", podsPerReplica=4, accelerators=4))
    assert ("leader" in alike["groups"][0], len(plan_table.grid(alike).groups)) == (False, 1)


@pytest.mark.parametrize(
    ("volumes", "rows"),
    [
        ((SHM, BIG), ["shm 32Gi", "shm 64Gi"]),
        (([], BIG), ["-", "shm 64Gi"]),
        ((SHM, []), ["shm 32Gi", "-"]),
        ((BIG, BIG), ["shm 64Gi"]),
    ],
    ids=["larger", "leaders alone", "workers alone", "alike"],
)
def test_volumes_in_memory_of_leaders_are_told_apart(volumes: tuple[Any, Any], rows: list[str]) -> None:
    workers, leaders = ({"volumes": entries} for entries in volumes)
    found = document(group(2, kind="LeaderWorkerSet", podsPerReplica=4, pod=workers, leaderPod=leaders))
    schemas.check(json.dumps(found))
    assert [row[-1] for row in plan_table.grid(found).groups] == rows
