"""Ports whose numbers follow each other, such as one for each rank of a pod, under one name."""

from __future__ import annotations

from typing import Any

import pytest

from tests.chart import validity
from tests.chart.rendering import Chart, Objects, Values, layered, operation
from tests.support.turns import by_turns


def ports(objects: Objects) -> dict[str, int]:
    return {port["name"]: port["containerPort"] for port in objects.container()["ports"]}


@by_turns(
    ("written", "expected"),
    [
        ({"rank": {"port": 8000, "count": 3}}, {"rank-0": 8000, "rank-1": 8001, "rank-2": 8002}),
        ({"rank": {"containerPort": 8000, "count": 1}}, {"rank-0": 8000}),
        ({"http": {"port": 80}, "rank": {"port": 90, "count": 2}}, {"http": 80, "rank-0": 90, "rank-1": 91}),
        ([{"name": "r", "port": 65535, "count": 1}], {"r-0": 65535}),
        ({"elevenchars": {"port": 1, "count": 1000}}, {f"elevenchars-{rank}": 1 + rank for rank in range(1000)}),
    ],
)
def test_a_range_stands_for_ports_with_the_number_of_each_at_the_end_of_its_name(
    chart: Chart, written: Any, expected: dict[str, int]
) -> None:
    assert ports(chart.render(operation({"a": {"container": {"ports": written}}}))) == expected


def test_services_and_probes_know_each_port_of_a_range_in_every_container(chart4: Chart) -> None:
    probe = {"httpGet": {"port": "rank-1", "path": "/"}}
    group = {
        "container": {"ports": {"rank": {"port": 8000, "count": 2, "protocol": "TCP"}}, "readinessProbe": probe},
        "sidecars": {"proxy": {"ports": {"rank-proxy": {"port": 9000, "count": 2}}}},
        "init": {"wait": {"cmd": "wait", "ports": {"x": {"port": 1, "count": 2, "hostPort": 7}}}},
        "expose": {"port": "rank-0"},
    }
    objects = chart4.render(operation({"a": group}))
    validity.check(objects.all)
    headless = [(port["name"], port["port"]) for port in objects.get("Service", "rl-a")["spec"]["ports"]]
    assert headless == [("rank-0", 8000), ("rank-1", 8001), ("rank-proxy-0", 9000), ("rank-proxy-1", 9001)]
    assert [port["name"] for port in objects.get("Service", "rl-a-svc")["spec"]["ports"]] == ["rank-0"]
    assert [port["hostPort"] for port in objects.pod()["initContainers"][0]["ports"]] == [7, 8]


@by_turns(
    ("lower", "upper", "expected"),
    [
        ({"port": 8000, "count": 2}, {"count": 3}, {"r-0": 8000, "r-1": 8001, "r-2": 8002}),
        ({"containerPort": 8000, "count": 2}, {"port": 9000}, {"r-0": 9000, "r-1": 9001}),
        ({"port": 8000}, {"containerPort": 9000}, {"r": 9000}),
        ({"port": 8000, "count": 2}, 9000, {"r": 9000}),
    ],
)
def test_a_later_layer_changes_number_and_count(
    chart: Chart, lower: Values, upper: Any, expected: dict[str, int]
) -> None:
    values = layered({"container": {"ports": {"r": upper}}}, p={"container": {"ports": {"r": lower}}})
    assert ports(chart.render(values)) == expected


def test_torchrun_meets_at_a_port_in_the_short_word_too(chart4: Chart) -> None:
    group = {"container": {"ports": {"rendezvous": {"port": 1234}}}}
    assert chart4.render(operation({"a": group}, operation={"kind": "job"})).env()["MASTER_PORT"] == "1234"


@pytest.mark.parametrize(
    ("written", "words"),
    [
        (
            {"http": 8003, "rank": {"port": 8000, "count": 8}},
            "groups.a.container.ports.rank-3: 8003/TCP is also groups.a.container.ports.http;",
        ),
        (
            {"rank-1": 80, "rank": {"port": 8000, "count": 2}},
            "groups.a.container.ports.rank-1: groups.a.container.ports.rank-1 is the same name;",
        ),
        (
            {"rank": {"port": 65530, "count": 7}},
            "groups.a.container.ports.rank: 7 ports from 65530 on end at 65536, and",
        ),
        (
            {"twelve-chars": {"port": 80, "count": 101}},
            'groups.a.container.ports.twelve-chars: the last of 101 ports would be called "twelve-chars-100", which',
        ),
        (
            {"rank": {"port": 80, "containerPort": 81}},
            "groups.a.container.ports.rank: port and containerPort both give its",
        ),
        ({"rank": {"count": 2}}, "groups.a.container.ports.rank-0: no containerPort; give its number"),
    ],
    ids=range(6),
)
def test_what_cannot_be_is_refused(chart4: Chart, written: Values, words: str) -> None:
    assert words in chart4.refusal(operation({"a": {"container": {"ports": written}}}))
