"""Totals: the scheduler's formula for a pod, and the three moments of an operation."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from helm_roster import errors
from helm_roster.policy import totals

from tests.unit.builders import gang, group, plan

ONE_CPU = {"resources": {"requests": {"cpu": "1"}}}
FIVE_CPU = {"resources": {"requests": {"cpu": "5"}}}
SIDECAR = {**ONE_CPU, "restartPolicy": "Always"}

POD_SPECS = [
    pytest.param({"containers": [ONE_CPU, ONE_CPU]}, 2, id="containers add up"),
    pytest.param({"containers": [ONE_CPU], "initContainers": [FIVE_CPU]}, 5, id="the largest init container counts"),
    pytest.param(
        {"containers": [ONE_CPU], "initContainers": [ONE_CPU, ONE_CPU]}, 1, id="init containers do not add up"
    ),
    pytest.param({"containers": [ONE_CPU], "initContainers": [SIDECAR]}, 2, id="a native sidecar runs beside"),
    pytest.param(
        {"containers": [ONE_CPU], "initContainers": [SIDECAR, FIVE_CPU]}, 6, id="and beside later init containers"
    ),
    pytest.param({"containers": [ONE_CPU], "initContainers": [FIVE_CPU, SIDECAR]}, 5, id="but not beside earlier ones"),
    pytest.param({"containers": [ONE_CPU], "overhead": {"cpu": "250m"}}, Fraction(5, 4), id="overhead"),
    pytest.param({"containers": [{"resources": {"limits": {"cpu": "3"}}}]}, 3, id="limits where requests are absent"),
    pytest.param(
        {"containers": [{"resources": {"limits": {"cpu": "3"}, "requests": {"cpu": "2"}}}]}, 2, id="requests win"
    ),
    pytest.param({"containers": [ONE_CPU], **FIVE_CPU}, 5, id="what the pod as a whole requests wins"),
    pytest.param(
        {"containers": [ONE_CPU], "resources": {"limits": {"cpu": 9}}}, 1, id="limits of the whole are no requests"
    ),
    pytest.param({"containers": [{}], "resources": {"limits": {"cpu": 9}}}, 9, id="unless nothing else is said"),
    pytest.param({"containers": [{}], **FIVE_CPU, "overhead": {"cpu": 1}}, 6, id="overhead comes on top of the whole"),
]


@pytest.mark.parametrize(("spec", "cpu"), POD_SPECS)
def test_a_pod_counts_as_the_scheduler_counts_it(spec: dict[str, Any], cpu: Fraction) -> None:
    assert totals.pod_requests(spec)["cpu"] == cpu


SERVING = {
    "router": group(1, kind="Deployment", router=True, requires=["prefill", "decode"]),
    "prefill": group(4, kind="Deployment", accelerators=1),
    "decode": group(8, kind="Deployment", accelerators=1),
}


def test_steady_totals_count_every_pod_and_accelerators_by_model() -> None:
    steady = totals.count(plan(SERVING, backend="default")).steady
    assert (steady.pods, dict(steady.accelerators)) == (13, {"NVIDIA H200": 12})
    assert steady.resources["memory"] == 13 * 2**30


def test_a_device_that_no_preset_names_counts_under_its_resource() -> None:
    container = {"name": "main", "resources": {"limits": {"nvidia.com/gpu": 2, "hugepages-2Mi": "1Gi"}}}
    asked = plan({"w": group(3, pod={"containers": [container]})}, backend="default")
    assert dict(totals.count(asked).steady.accelerators) == {"nvidia.com/gpu": 6}


COMPANIONS = {"nvidia.com/gpu": 8, "vpc.amazonaws.com/efa": 32, "rdma/ib": 1, "hugepages-2Mi": "5Gi", "memory": "1Gi"}


def limited(limits: dict[str, Any]) -> dict[str, Any]:
    return {"containers": [{"name": "main", "resources": {"limits": limits}}]}


def test_what_comes_along_with_accelerators_is_counted_apart() -> None:
    steady = totals.count(plan({"w": group(2, accelerators=8, pod=limited(COMPANIONS))}, backend="default")).steady
    assert dict(steady.accelerators) == {"NVIDIA H200": 16}
    assert dict(steady.other) == {"vpc.amazonaws.com/efa": 64, "rdma/ib": 2, "hugepages-2Mi": 10 * 2**30}


@pytest.mark.parametrize(
    "fabric",
    ["rdma/ib", "vpc.amazonaws.com/efa", "nvidia.com/hostdev", "nvidia.com/sriov-rdma-vf", "vke.volcengine.com/rdma",
     "networking.gke.io.networks/gvnic-1"],
)  # fmt: skip
def test_a_network_device_is_no_accelerator_where_no_preset_selects_one(fabric: str) -> None:
    steady = totals.count(plan({"w": group(1, pod=limited({fabric: 1, "amd.com/gpu": 1}))}, backend="default")).steady
    assert (dict(steady.accelerators), dict(steady.other)) == ({"amd.com/gpu": 1}, {fabric: 1})


@pytest.mark.parametrize(("replicas", "start"), [(9, 1), (0, 0)])
def test_a_router_counts_with_one_replica_and_a_required_group_of_none_with_none(replicas: int, start: int) -> None:
    groups = {"router": group(replicas, router=True, requires=["w"]), "w": group(replicas)}
    assert totals.count(plan(groups, backend="default")).minimum_to_start.pods == 2 * start


def test_a_router_starts_with_one_of_each_group_that_it_requires() -> None:
    start = totals.count(plan(SERVING, backend="default")).minimum_to_start
    assert (start.pods, dict(start.accelerators)) == (3, {"NVIDIA H200": 2})


def test_each_of_two_routers_starts_with_one_of_each_group_that_it_requires() -> None:
    groups = {
        "a": group(2, router=True, requires=["d", "shared"]),
        "b": group(3, router=True, requires=["e", "shared"]),
        **{name: group(4) for name in ("d", "e", "shared", "other")},
    }
    assert totals.minimum_pods(plan(groups, backend="default")) == {"a": 1, "b": 1, "d": 1, "e": 1, "shared": 1}


def test_pods_that_fill_count_where_pods_wait_for_them_and_end() -> None:
    waiter = {"containers": [{"name": "main"}], "initContainers": [{"name": "models-filled"}]}
    fetch = {"containers": [{"name": "fill", "resources": {"requests": {"cpu": "4"}}}]}
    asked = plan({"a": group(2, pod=waiter), "b": group(1, lifecycle="auxiliary")}, backend="default")
    sums = totals.count(asked, {"models": fetch, "extra": fetch})
    moments = (sums.steady, sums.minimum_to_start, sums.rollout_peak)
    assert [moment.pods for moment in moments][:2] == [3, 2]
    assert [int(moment.resources.get("cpu", 0)) for moment in moments] == [1, 4, 9]


def test_what_pods_wait_for_must_start_too_and_what_that_needs() -> None:
    """Nobody counts only because he waits himself, as the stranger does."""
    groups = {
        "router": group(2, router=True, requires=["w"]),
        "w": group(2, kind="LeaderWorkerSet", podsPerReplica=2, waitsFor=["head"]),
        "head": group(3, kind="LeaderWorkerSet", podsPerReplica=4, waitsFor=["store"], lifecycle="auxiliary"),
        "store": group(3, requires=["meta"], lifecycle="auxiliary"),
        "meta": group(2, lifecycle="auxiliary"),
        "stranger": group(1, waitsFor=["other"], lifecycle="auxiliary"),
        "other": group(1, lifecycle="auxiliary"),
    }
    asked = plan(groups, backend="default")
    assert totals.minimum_pods(asked) == {"router": 1, "w": 2, "head": 4, "store": 1, "meta": 1}


def test_a_gang_starts_with_its_minima() -> None:
    asked = plan(
        {"learner": group(4, accelerators=1), "actor": group(8, accelerators=1)},
        {"step": gang(learner=(4, False), actor=(2, True))},
        kind="job",
    )
    assert totals.count(asked).minimum_to_start.pods == 6


def test_a_primary_job_outside_gangs_starts_whole_and_an_auxiliary_group_is_not_waited_for() -> None:
    asked = plan({"train": group(4, kind="Job"), "env": group(3, lifecycle="auxiliary")}, kind="job", backend="default")
    assert totals.minimum_pods(asked) == {"train": 4}


def test_a_service_without_router_starts_with_one_replica_of_each_group() -> None:
    asked = plan({"web": group(3), "idle": group(0)}, backend="default")
    assert totals.minimum_pods(asked) == {"web": 1}


@pytest.mark.parametrize(("amount", "words"), [("two", "no Kubernetes quantity"), ("-1", "negative")])
def test_an_amount_that_is_none_is_refused_with_its_place(amount: str, words: str) -> None:
    container = {"name": "main", "resources": {"requests": {"cpu": amount}}}
    with pytest.raises(errors.BadInputError, match=rf'group "w", resources: cpu: .*{words}'):
        totals.count(plan({"w": group(1, pod={"containers": [container]})}, backend="default"))


def test_an_auxiliary_group_of_a_service_is_not_waited_for() -> None:
    asked = plan({"web": group(3), "store": group(2, lifecycle="auxiliary")}, backend="default")
    assert totals.minimum_pods(asked) == {"web": 1}


def test_at_most_counts_autoscaled_groups_at_their_maximum() -> None:
    hpa, external = {"owner": "hpa", "min": 2, "max": 8}, {"owner": "external", "min": 1}
    groups = {"a": group(2, accelerators=1, autoscaling=hpa), "b": group(3, autoscaling=external), "c": group(4)}
    sums = totals.count(plan(groups, backend="default"))
    assert sums.at_most
    assert (sums.steady.pods, sums.at_most.pods, dict(sums.at_most.accelerators)) == (9, 15, {"NVIDIA H200": 8})


def test_nothing_is_counted_at_most_where_nothing_is_autoscaled() -> None:
    assert totals.count(plan({"a": group(2)}, backend="default")).at_most is None


STRATEGIES = [
    pytest.param({}, 2, id="default 25% of 5 rounded up"),
    pytest.param({"strategy": {"type": "Recreate"}}, 0, id="recreate"),
    pytest.param({"strategy": {"rollingUpdate": {"maxSurge": 0}}}, 0, id="no surge"),
    pytest.param({"strategy": {"rollingUpdate": {"maxSurge": 3}}}, 3, id="absolute"),
    pytest.param({"strategy": {"rollingUpdate": {"maxSurge": "50%"}}}, 3, id="percentage rounded up"),
    pytest.param({"strategy": {"rollingUpdate": {"maxSurge": "100%"}}}, 5, id="as many again"),
    pytest.param({"strategy": {"rollingUpdate": {"maxSurge": 8}}}, 5, id="no more than the replicas"),
    pytest.param({"strategy": {"rollingUpdate": {"maxSurge": "300%"}}}, 5, id="no percentage of them either"),
]


@pytest.mark.parametrize(("spec", "surge"), STRATEGIES)
def test_the_rollout_peak_adds_the_surge_of_a_deployment(spec: dict[str, Any], surge: int) -> None:
    asked = plan({"web": group(5, kind="Deployment", spec=spec)}, backend="default")
    assert totals.count(asked).rollout_peak.pods == 5 + surge


def test_a_stateful_set_never_surges() -> None:
    assert totals.count(plan({"web": group(5)}, backend="default")).rollout_peak.pods == 5


ODD = [
    pytest.param({"spec": {"strategy": {"rollingUpdate": {"maxSurge": "few"}}}}, "maxSurge is few", id="surge"),
    pytest.param({"spec": {"strategy": "Recreate"}}, "strategy is 'Recreate', not a mapping", id="strategy"),
    pytest.param({"pod": {"overhead": 1}}, "overhead is 1, not a mapping", id="overhead"),
    pytest.param({"pod": {"containers": [{"resources": {"limits": [1]}}]}}, r"limits is \[1\]", id="limits"),
]


@pytest.mark.parametrize(("odd", "words"), ODD)
def test_an_odd_shape_in_a_pod_is_refused_in_words(odd: dict[str, Any], words: str) -> None:
    with pytest.raises(errors.BadInputError, match=words):
        totals.count(plan({"web": group(5, kind="Deployment", **odd)}, backend="default"))


def test_what_so_many_pods_ask_for_is_written_as_kubernetes_writes_it() -> None:
    pod = {
        "containers": [
            {
                "resources": {
                    "requests": {"cpu": "500m", "memory": "1536Mi", "hugepages-2Mi": "4Mi", "nvidia.com/gpu": 2}
                }
            }
        ]
    }
    asked = plan(
        {"a": group(3, pod=pod), "b": group(2, pod={"containers": [{"resources": {"requests": {"cpu": "2"}}}]})}
    )
    assert totals.quantities_of(asked, {"a": 3, "b": 1}) == {
        "cpu": "3500m",
        "hugepages-2Mi": "12Mi",
        "memory": "4608Mi",
        "nvidia.com/gpu": "6",
    }
    assert totals.quantities_of(asked, {}) == {}


CPU_ONLY = {"accelerators": 0}
SPANNING = group(2, kind="LeaderWorkerSet", podsPerReplica=5, accelerators=4, leader=CPU_ONLY)


def test_leaders_count_apart_from_their_workers() -> None:
    found = totals.count(plan({"decode": SPANNING}, backend="default"))
    assert (found.steady.pods, dict(found.steady.accelerators)) == (10, {"NVIDIA H200": 32})
    assert (found.leaders["decode"].pods, dict(found.leaders["decode"].accelerators)) == (2, {})
    assert dict(found.minimum_to_start.accelerators) == {"NVIDIA H200": 16}


def test_leaders_that_ask_for_the_same_are_not_told_apart() -> None:
    same = group(2, kind="LeaderWorkerSet", podsPerReplica=4, accelerators=1)
    found = totals.count(plan({"decode": same}, backend="default"))
    assert (found.leaders, dict(found.steady.accelerators)) == ({}, {"NVIDIA H200": 8})


def test_a_replica_of_one_pod_is_a_leader() -> None:
    lone = group(3, kind="LeaderWorkerSet", accelerators=4, leader={"accelerators": 1, "accelerator": None})
    found = totals.count(plan({"decode": lone}, backend="default")).steady
    assert (found.pods, dict(found.accelerators)) == (3, {"nvidia.com/gpu": 3})


@pytest.mark.parametrize(("surge", "pods"), [(0, 0), (1, 5), ("50%", 5), (9, 10)])
def test_a_surge_of_replicas_that_span_pods_adds_all_their_pods(surge: object, pods: int) -> None:
    strategy = {"rolloutStrategy": {"type": "RollingUpdate", "rollingUpdateConfiguration": {"maxSurge": surge}}}
    made = {**SPANNING, "spec": strategy}
    asked = plan({"decode": made}, backend="default")
    assert totals.surge_pods(asked, asked.operation.groups["decode"]) == pods


def test_pods_that_take_whole_nodes_count_nodes_in_every_moment() -> None:
    surging = {"strategy": {"rollingUpdate": {"maxSurge": 1}}}
    made = plan(
        {
            "cpu": group(3, kind="Deployment", lifecycle="auxiliary"),
            "filling": group(4, kind="Deployment", fillsNode=True, spec=surging),
            "spans": group(2, kind="LeaderWorkerSet", podsPerReplica=3, fillsNode=True, leader={"accelerators": 0}),
        },
        backend="default",
    )
    sums = totals.count(made)
    assert {name: one.nodes for name, one in sums.groups.items()} == {"cpu": 0, "filling": 4, "spans": 4}
    assert (sums.steady.nodes, sums.minimum_to_start.nodes, sums.rollout_peak.nodes) == (8, 3, 9)
    assert sums.leaders["spans"].nodes == 0
