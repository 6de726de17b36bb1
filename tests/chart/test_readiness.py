"""Routers, and what must be up for a group to be ready."""

from __future__ import annotations

from typing import Any

import pytest

from tests.chart.rendering import Chart, operation

PROBE = {"httpGet": {"path": "/readiness", "port": 80}}
ROUTER = {"router": True, "readiness": {"requires": ["b"], "probe": PROBE}}


def render(chart: Chart, group: dict[str, Any]) -> dict[str, Any]:
    return chart.render(operation({"a": group, "b": {}})).workload()


def test_its_probe_becomes_the_containers(chart: Chart) -> None:
    workload = render(chart, {**ROUTER, "container": {"readinessProbe": {"tcpSocket": {"port": 1}}}})
    assert workload["spec"]["template"]["spec"]["containers"][0]["readinessProbe"] == PROBE


def test_the_workload_says_what_it_requires(chart4: Chart) -> None:
    annotations = render(chart4, ROUTER)["metadata"]["annotations"]
    assert (annotations["helm-roster.dev/router"], annotations["helm-roster.dev/requires"]) == ("true", "b")


def test_a_router_may_require_nothing(chart4: Chart) -> None:
    metadata = render(chart4, {"router": True, "readiness": {"requires": []}})["metadata"]
    assert metadata["annotations"]["helm-roster.dev/router"] == "true"
    assert "helm-roster.dev/requires" not in metadata["annotations"]


def test_a_readiness_probe_of_the_container_is_enough(chart4: Chart) -> None:
    group = {"router": True, "readiness": {"requires": ["b"]}, "container": {"readinessProbe": PROBE}}
    (container,) = render(chart4, group)["spec"]["template"]["spec"]["containers"]
    assert container["readinessProbe"] == PROBE


def test_a_stateless_router_may_have_several_replicas(chart4: Chart) -> None:
    group = {**ROUTER, "router": {"stateless": True}, "replicas": 9}
    assert render(chart4, group)["spec"]["replicas"] == 9


@pytest.mark.parametrize(
    ("group", "words"),
    [
        (
            {**ROUTER, "replicas": 2},
            "groups.a.replicas: 2, but a router has one replica; set 1, or `router: {stateless",
        ),
        ({**ROUTER, "router": {"stateless": False}, "replicas": 2}, "groups.a.replicas: 2, but a router has one"),
        ({**ROUTER, "replicas": 0}, "groups.a.replicas: 0, but a router has one replica"),
        ({"router": True}, "groups.a.readiness.requires: missing, and the router serves no group; say which groups it"),
        ({"router": {}, "readiness": {"probe": PROBE}}, "groups.a.readiness.requires: missing"),
        ({"readiness": {"requires": ["b"]}}, "groups.a.readiness: requires b, but nothing checks it; give a"),
        ({"readiness": {"requires": ["c"]}}, 'groups.a.readiness.requires: "c" is no other group; known: b'),
        ({"readiness": {"requires": ["a"]}}, 'groups.a.readiness.requires: "a" is no other group; known: b'),
    ],
)
def test_a_router_that_could_lie_is_refused(chart4: Chart, group: dict[str, Any], words: str) -> None:
    assert chart4.refusal(operation({"a": group, "b": {}})).startswith(words)


@pytest.mark.parametrize(
    ("requires", "circle"),
    [
        ({"a": ["b"], "b": ["a"]}, "groups.a.readiness.requires: a -> b -> a is a circle"),
        ({"a": ["b"], "b": ["c"], "c": ["d", "b"]}, "groups.b.readiness.requires: b -> c -> b is a circle"),
    ],
)
def test_groups_that_require_each_other_in_a_circle_are_refused(
    chart4: Chart, requires: dict[str, list[str]], circle: str
) -> None:
    groups = {name: {"readiness": {"requires": others, "probe": PROBE}} for name, others in requires.items()}
    assert chart4.refusal(operation({"d": {}, **groups})).startswith(circle)


def test_groups_may_require_one_group_on_two_ways(chart4: Chart) -> None:
    requires = {"a": ["b", "c"], "b": ["d"], "c": ["d"]}
    groups = {name: {"readiness": {"requires": others, "probe": PROBE}} for name, others in requires.items()}
    assert len(chart4.render(operation({"d": {}, **groups})).workloads()) == 4
