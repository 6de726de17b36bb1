"""Pods that take whole nodes, and what one node offers."""

from __future__ import annotations

import pytest

from tests.chart.rendering import GPU, Chart, Values, layered

OF_EIGHT = {"accelerator": {**GPU["accelerator"], "perNode": 8}}
SIDECAR = {"sidecars": {"x": {"accelerators": 2}}}


@pytest.mark.parametrize(
    ("group", "rolling"),
    [
        ({"fillsNode": True}, {"maxSurge": 0, "maxUnavailable": 1}),
        ({"fillsNode": True, "rollout": {"maxSurge": 2}}, {"maxSurge": 2, "maxUnavailable": 1}),
        ({"fillsNode": False}, None),
    ],
)
def test_a_pod_that_fills_a_node_is_rolled_out_without_a_surplus_one(
    chart4: Chart, group: Values, rolling: Values | None
) -> None:
    strategy = chart4.render(layered(group, p={"fillsNode": True})).workload()["spec"]["strategy"]
    assert strategy.get("rollingUpdate") == rolling


@pytest.mark.parametrize(
    ("leader", "fills"),
    [({"accelerators": 0}, None), ({"accelerators": 0, "fillsNode": True}, True), ({"accelerators": 8}, True)],
)
def test_a_leader_without_accelerators_takes_no_whole_node_unless_it_says_so(
    chart4: Chart, leader: Values, *, fills: bool | None
) -> None:
    group = {"accelerators": 8, "fillsNode": True, "podsPerReplica": 2, "leader": leader}
    resolved = chart4.resolved(layered(group, gpu=OF_EIGHT))["groups"]["a"]
    assert resolved.get("leader", resolved).get("fillsNode") is fills


@pytest.mark.parametrize(
    "group",
    [
        {"accelerators": 8},
        {"accelerators": 6, **SIDECAR},
        {"accelerators": 8, "podsPerReplica": 2, "leader": {"accelerators": 0}},
        {"accelerators": 8, "podsPerReplica": 2, "leader": {"accelerators": 4, "fillsNode": False}},
    ],
)
def test_pods_that_take_all_that_a_node_offers_are_rendered(chart4: Chart, group: Values) -> None:
    resolved = chart4.resolved(layered(group, gpu={**OF_EIGHT, "fillsNode": True}))["groups"]["a"]
    assert resolved["fillsNode"] is True
    assert resolved["accelerators"] == 8
    assert resolved["accelerator"] == {**OF_EIGHT["accelerator"], "perNode": 8}
    assert "fillsNode" not in resolved.get("leader", {})


@pytest.mark.parametrize(
    ("group", "words"),
    [
        (
            {"accelerators": 16},
            (
                "groups.a: each pod has 16 accelerators, but no node offers more than 8; spread the replica over "
                "podsPerReplica: 2, with accelerators: 8"
            ),
        ),
        (
            {"accelerators": 7, **SIDECAR},
            (
                "groups.a: each pod has 9 accelerators, but no node offers more than 8; spread the replica over "
                "podsPerReplica: 2, and let all containers of a pod have 8 together"
            ),
        ),
        (
            {"accelerators": 12, "podsPerReplica": 2},
            (
                "groups.a: each pod has 12 accelerators, but no node offers more than 8; spread the replica over "
                "podsPerReplica: 4, with accelerators: 8"
            ),
        ),
        (
            {"accelerators": 8, "podsPerReplica": 2, "leader": {"accelerators": 9}},
            "groups.a.leader: each pod has 9 accelerators, but no node offers more than 8; lower them to 8",
        ),
        (
            {"accelerators": 4, "fillsNode": True},
            (
                "groups.a.fillsNode: each pod takes a whole node, which has 8 accelerators, but the pod has 4; set "
                "accelerators: 8, or set fillsNode: false"
            ),
        ),
        (
            {"accelerators": 4, "fillsNode": True, **SIDECAR},
            (
                "groups.a.fillsNode: each pod takes a whole node, which has 8 accelerators, but the pod has 6; let all "
                "containers of a pod have 8 together, or set fillsNode: false"
            ),
        ),
        (
            {"accelerators": 8, "fillsNode": True, "podsPerReplica": 2, "leader": {"accelerators": 4}},
            "groups.a.leader.fillsNode: each pod takes a whole node, which has 8 accelerators, but the pod has 4; set",
        ),
    ],
)
def test_pods_that_do_not_fit_their_nodes_are_refused(chart4: Chart, group: Values, words: str) -> None:
    assert chart4.refusal(layered(group, gpu=OF_EIGHT)).startswith(words)


def test_pods_of_a_job_are_spread_by_replicas(chart4: Chart) -> None:
    values = layered({"accelerators": 16}, gpu=OF_EIGHT) | {"operation": {"kind": "job"}}
    assert chart4.refusal(values) == (
        "groups.a: each pod has 16 accelerators, but no node offers more than 8; set accelerators: 8, and replicas to "
        "the number of all pods"
    )
    beside = layered({"accelerators": 8, **SIDECAR}, gpu=OF_EIGHT) | {"operation": {"kind": "job"}}
    assert chart4.refusal(beside).endswith(
        "; let all containers of a pod have 8 together, and set replicas to the number of all pods"
    )
