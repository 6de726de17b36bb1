"""Groups of a service that are in no gang."""

from __future__ import annotations

from typing import Any

import pytest

from tests.chart.rendering import GPU, Chart, Values, operation


def test_a_group_of_a_service_is_a_deployment(chart: Chart) -> None:
    deployment = chart.render(operation({"a": {"replicas": 3}})).workload()
    assert (deployment["kind"], deployment["metadata"]["name"], deployment["spec"]["replicas"]) == (
        "Deployment",
        "rl-a",
        3,
    )


def test_a_deployment_keeps_few_old_revisions(chart4: Chart) -> None:
    assert chart4.render(operation({"a": {}})).workload()["spec"]["revisionHistoryLimit"] == 3


def test_accelerators_are_never_asked_for_twice_during_a_rollout(chart: Chart) -> None:
    values = operation({"a": {"accelerators": 1, "presets": ["gpu"]}}, presets={"gpu": GPU})
    strategy = chart.render(values).workload()["spec"]["strategy"]
    assert strategy == {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 0, "maxUnavailable": 1}}


@pytest.mark.parametrize(
    "group",
    [
        {"resources": {"limits": {"nvidia.com/gpu": 8}}},
        {"sidecars": {"x": {"resources": {"limits": {"rdma/hca": "1"}}}}},
    ],
)
def test_nor_are_extended_resources_that_are_written_raw(chart4: Chart, group: Values) -> None:
    strategy = chart4.render(operation({"a": group})).workload()["spec"]["strategy"]
    assert strategy == {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 0, "maxUnavailable": 1}}


@pytest.mark.parametrize("limits", [{"cpu": 1, "memory": "1Gi"}, {"nvidia.com/gpu": 0}, {"example.kubernetes.io/x": 1}])
def test_other_resources_leave_the_rollout_to_kubernetes(chart4: Chart, limits: Values) -> None:
    strategy = chart4.render(operation({"a": {"resources": {"limits": limits}}})).workload()["spec"]["strategy"]
    assert strategy == {"type": "RollingUpdate"}


@pytest.mark.parametrize(
    ("rollout", "expected"),
    [
        ({}, {"type": "RollingUpdate"}),
        ({"type": "Recreate"}, {"type": "Recreate"}),
        ({"maxSurge": "50%"}, {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": "50%"}}),
    ],
)
def test_a_group_without_accelerators_rolls_out_as_it_says(
    chart: Chart, rollout: dict[str, Any], expected: dict[str, Any]
) -> None:
    assert chart.render(operation({"a": {"rollout": rollout}})).workload()["spec"]["strategy"] == expected


def test_a_zero_in_rollout_wins_over_the_default(chart: Chart) -> None:
    group = {"accelerators": 1, "presets": ["gpu"], "rollout": {"maxSurge": 1, "maxUnavailable": 0}}
    strategy = chart.render(operation({"a": group}, presets={"gpu": GPU})).workload()["spec"]["strategy"]
    assert strategy["rollingUpdate"] == {"maxSurge": 1, "maxUnavailable": 0}


@pytest.mark.parametrize(
    ("rollout", "words"),
    [
        ({"type": "OnDelete"}, "groups.a.rollout.type: OnDelete, but the group is a Deployment; allowed: "),
        ({"type": "Recreate", "maxSurge": 1}, "groups.a.rollout: maxSurge belong to type RollingUpdate"),
        ({"maxSurge": 0, "maxUnavailable": "0%"}, "groups.a.rollout: maxSurge and maxUnavailable are both 0"),
    ],
)
def test_a_rollout_that_cannot_work_is_refused(chart4: Chart, rollout: dict[str, Any], words: str) -> None:
    assert chart4.refusal(operation({"a": {"rollout": rollout}})).startswith(words)


def test_seconds_of_readiness_are_passed_on(chart4: Chart) -> None:
    assert (
        chart4.render(operation({"a": {"minReadySeconds": 1000000}})).workload()["spec"]["minReadySeconds"] == 1000000
    )


def test_replicas_may_be_none(chart: Chart) -> None:
    assert chart.render(operation({"a": {"replicas": 0}})).workload()["spec"]["replicas"] == 0


PROBE = {"tcpSocket": {"port": 80}}
STARTS = {"startup": {"timeout": "45m"}, "container": {"livenessProbe": PROBE}}


@pytest.mark.parametrize(
    ("group", "seconds"),
    [
        ({}, None),
        ({"minReadySeconds": 0}, None),
        ({"minReadySeconds": 900}, 1500),
        (STARTS, 3300),
        ({**STARTS, "minReadySeconds": 30}, 3330),
        ({"container": {"startupProbe": {**PROBE, "failureThreshold": 270}}}, 3300),
        ({"container": {"startupProbe": {**PROBE, "periodSeconds": 60, "initialDelaySeconds": 5}}}, 785),
        ({"container": {"startupProbe": {}}}, None),
    ],
)
def test_a_rollout_is_not_stuck_while_pods_may_still_start(chart4: Chart, group: Values, seconds: int | None) -> None:
    spec = chart4.render(operation({"a": group})).workload()["spec"]
    assert spec.get("progressDeadlineSeconds") == seconds


def test_a_router_is_not_stuck_while_those_that_it_requires_may_still_start(chart4: Chart) -> None:
    router = {
        "router": True,
        "readiness": {"requires": ["slow", "wide", "quick"]},
        "container": {"readinessProbe": PROBE},
    }
    wide = {"podsPerReplica": 2, "leader": {**STARTS, "startup": {"timeout": "2h"}}}
    groups = {"router": router, "slow": {**STARTS, "workload": "StatefulSet"}, "wide": wide, "quick": {}}
    spec = chart4.render(operation(groups)).workload("router")["spec"]
    assert spec["progressDeadlineSeconds"] == 600 + 2 * 3600


def waiting(*timeouts: str) -> Values:
    """Return a group or leader whose init containers wait one after the other; without a time, for ten minutes."""
    times = [{"timeout": one} if one else {} for one in timeouts]
    return {"init": {f"w-{index}": {"waitFor": {"group": "quick", **time}} for index, time in enumerate(times)}}


def test_a_group_that_waits_for_others_is_not_stuck_meanwhile_nor_is_its_router(chart4: Chart) -> None:
    router = {"router": True, "readiness": {"requires": ["a", "wide"]}, "container": {"readinessProbe": PROBE}}
    wide = {"podsPerReplica": 2, **waiting("1h"), "leader": waiting("1h", "3h")}
    wide["leader"]["init"]["w-1"]["waitFor"]["group"] = "a"
    ports = {"ports": {"http": 80}}
    quick = {"container": ports}
    a = {**STARTS, **waiting("2h", ""), "minReadySeconds": 30, "container": {**ports, **STARTS["container"]}}
    objects = chart4.render(operation({"router": router, "a": a, "wide": wide, "quick": quick}))
    seconds = {name: objects.workload(name)["spec"].get("progressDeadlineSeconds") for name in ("router", "a", "quick")}
    own = 2 * 3600 + 600 + 45 * 60
    assert seconds == {"router": 600 + 4 * 3600, "a": 600 + own + 30, "quick": None}


def test_a_stateful_set_has_no_deadline(chart4: Chart) -> None:
    objects = chart4.render(operation({"a": {**STARTS, "workload": "StatefulSet"}}))
    assert "progressDeadlineSeconds" not in objects.workload()["spec"]
