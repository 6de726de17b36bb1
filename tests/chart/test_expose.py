"""How a group is reached from outside: the Service of its ready pods."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.chart.rendering import Chart, Values, operation
from tests.support.roster import CHART
from tests.support.runner import Runner

PORTS = {"http": 8000, "metrics": 9000}


def exposed(**fields: Any) -> Values:
    return operation({"a": {"container": {"ports": PORTS}, "expose": fields}})


def service(chart: Chart, values: Values) -> Values:
    return chart.render(values).get("Service", "rl-a-svc")


def offered(found: Values) -> list[str]:
    return [port["name"] for port in found["spec"]["ports"]]


def test_it_offers_the_port_that_is_named(chart: Chart) -> None:
    objects = chart.render(exposed(port="http", type="LoadBalancer"))
    found = objects.get("Service", "rl-a-svc")
    assert (found["spec"]["type"], offered(found)) == ("LoadBalancer", ["http"])
    assert offered(objects.get("Service", "rl-a")) == ["http", "metrics"]


def test_it_offers_all_ports_where_none_is_named(chart: Chart) -> None:
    assert offered(service(chart, exposed(type="NodePort"))) == ["http", "metrics"]


def test_its_annotations_win_over_those_of_all_objects(chart: Chart) -> None:
    shared = {"annotations": {"example.org/a": "all", "example.org/b": "all"}}
    found = service(chart, exposed(annotations={"example.org/a": "own"}) | shared)["metadata"]["annotations"]
    assert (found["example.org/a"], found["example.org/b"]) == ("own", "all")


@pytest.mark.parametrize("fields", [{}, {"port": None, "type": None, "annotations": None}])
def test_exposing_without_settings_changes_no_service(chart4: Chart, fields: Values) -> None:
    plain = operation({"a": {"container": {"ports": PORTS}}})
    assert chart4.text(exposed(**fields)) == chart4.text(plain)


@pytest.mark.parametrize(
    ("values", "words"),
    [
        (
            operation({"a": {"expose": {"type": "NodePort"}}}),
            "groups.a.expose: given, but the group has no ports; name",
        ),
        (
            exposed(port="htp"),
            'groups.a.expose.port: there is no port "htp" (did you mean "http"?); known: http, metrics',
        ),
        (
            exposed(annotations={"helm-roster.dev/x": "1"}),
            "groups.a.expose.annotations: helm-roster.dev/x is written by",
        ),
        (
            exposed(annotations={"helm.sh/hook": "test"}),
            "groups.a.expose.annotations: helm.sh/hook is an order to Helm",
        ),
        (exposed(annotations={"a": True}), "groups.a.expose.annotations.a: true is a boolean where Kubernetes wants"),
    ],
)
def test_an_exposure_that_cannot_be_meant_is_refused(chart4: Chart, values: Values, words: str) -> None:
    assert chart4.refusal(values).startswith(words)


ROUTER = {"container": {"ports": PORTS}, "router": True, "readiness": {"requires": []}}


@pytest.mark.parametrize(
    ("group", "words"),
    [
        ({"container": {"ports": {"http": 8000}}, "expose": {"type": "NodePort"}}, ", reached at rl-a-svc:8000"),
        ({"container": {"ports": PORTS}, "expose": {"port": "metrics"}}, ", reached at rl-a-svc:9000"),
        (ROUTER, ", reached at rl-a-svc"),
        ({"container": {"ports": PORTS}}, ""),
    ],
)
def test_the_notes_say_where_it_is_reached(helm4: Runner, group: Values, words: str) -> None:
    values = json.dumps(operation({"a": group}))
    notes = helm4("install", "rl", CHART, "--dry-run=client", "-f", "-", text=values).stdout.partition("NOTES:")[2]
    assert f"  a: Deployment/rl-a, 1 replica{words}\n" in notes
