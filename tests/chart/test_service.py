"""The two Services of a group."""

from __future__ import annotations

import pytest

from tests.chart.rendering import Chart, Values, operation

PORTS = operation({"a": {"container": {"ports": {"http": 8000, "dns": {"containerPort": 53, "protocol": "UDP"}}}}})


def test_every_group_has_a_headless_service_even_without_ports(chart: Chart) -> None:
    spec = chart.render(operation({"a": {}})).get("Service", "rl-a")["spec"]
    assert (spec["clusterIP"], spec["publishNotReadyAddresses"], "ports" in spec) == ("None", True, False)


def test_a_group_without_ports_has_no_service_of_ready_pods(chart4: Chart) -> None:
    services = [entry for entry in chart4.render(operation({"a": {}})).all if entry["kind"] == "Service"]
    assert len(services) == 1


def test_the_service_of_ready_pods_leaves_out_the_others(chart: Chart) -> None:
    spec = chart.render(PORTS).get("Service", "rl-a-svc")["spec"]
    assert "publishNotReadyAddresses" not in spec
    assert "clusterIP" not in spec


@pytest.mark.parametrize("name", ["rl-a", "rl-a-svc"])
def test_both_services_offer_the_ports_by_name_and_reach_them_by_number(chart: Chart, name: str) -> None:
    assert chart.render(PORTS).get("Service", name)["spec"]["ports"] == [
        {"name": "dns", "port": 53, "targetPort": 53, "protocol": "UDP"},
        {"name": "http", "port": 8000, "targetPort": 8000, "protocol": "TCP"},
    ]


@pytest.mark.parametrize(
    ("ports", "words"),
    [
        ({"http": {"protocol": "TCP"}}, "groups.a.container.ports.http: no containerPort; give its number"),
        ({"http": 80, "web": 80}, "groups.a.container.ports.web: 80/TCP is also groups.a.container.ports.http; a"),
        ([{"containerPort": 80}], 'groups.a.container.ports: an entry has no "name"'),
    ],
)
def test_ports_that_a_service_cannot_offer_are_refused(chart4: Chart, ports: Values, words: str) -> None:
    assert chart4.refusal(operation({"a": {"container": {"ports": ports}}})).startswith(words)
