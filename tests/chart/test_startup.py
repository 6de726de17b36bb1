"""The time that a container may take to start."""

from __future__ import annotations

from typing import Any

import pytest

from tests.chart import validity
from tests.chart.rendering import Chart, Values, layered, operation
from tests.support.turns import by_turns

HTTP = {"httpGet": {"path": "/health", "port": 80}}
TCP = {"tcpSocket": {"port": 80}}


def probe(chart: Chart, timeout: str = "45m", **probes: Any) -> Any:
    """Return the startup probe of a group with this budget and these probes."""
    return chart.render(operation({"a": {"startup": {"timeout": timeout}, "container": probes}})).container()[
        "startupProbe"
    ]


@pytest.mark.parametrize(
    ("timeout", "fields", "threshold"),
    [
        ("45m", {}, 270),
        ("1h30m", {}, 540),
        ("1h0m5s", {}, 361),
        ("30h", {"periodSeconds": 60}, 1800),
        ("200s", {"periodSeconds": 7, "initialDelaySeconds": 20}, 26),
        ("61s", {"initialDelaySeconds": 60}, 1),
        ("45m", {"failureThreshold": 3}, 270),
    ],
)
def test_the_probe_fails_for_as_long(chart4: Chart, timeout: str, fields: Values, threshold: int) -> None:
    assert probe(chart4, timeout, startupProbe={**HTTP, **fields}) == {**HTTP, **fields, "failureThreshold": threshold}


@pytest.mark.parametrize(
    ("group", "threshold"),
    [
        ({"container": {"startupProbe": {**HTTP, "failureThreshold": 3}}}, 3),
        ({"container": {"startupProbe": {"failureThreshold": 3}}}, 270),
        ({"container": {"startupProbe": {**HTTP, "failureThreshold": 3}}, "startup": {"timeout": "10m"}}, 60),
    ],
    ids=["nearer", "without a handler", "both"],
)
def test_a_threshold_of_a_nearer_layer_wins(chart4: Chart, group: Values, threshold: int) -> None:
    values = operation({"a": group})
    values["defaults"] |= {"startup": {"timeout": "45m"}}
    values["defaults"]["container"]["livenessProbe"] = HTTP
    assert chart4.render(values).container()["startupProbe"]["failureThreshold"] == threshold


@by_turns(
    ("probes", "expected"),
    [
        ({"livenessProbe": {**TCP, "initialDelaySeconds": 900, "failureThreshold": 3}, "readinessProbe": HTTP}, TCP),
        ({"readinessProbe": {**HTTP, "timeoutSeconds": 5, "successThreshold": 2}}, {**HTTP, "timeoutSeconds": 5}),
        (
            {"startupProbe": {"timeoutSeconds": 9}, "livenessProbe": {**HTTP, "timeoutSeconds": 5}},
            {**HTTP, "timeoutSeconds": 9},
        ),
        ({"startupProbe": TCP, "livenessProbe": HTTP}, TCP),
    ],
    ids=["liveness", "readiness", "own fields", "own handler"],
)
def test_without_a_handler_of_its_own_it_takes_that_of_another_probe(
    chart: Chart, probes: Values, expected: Values
) -> None:
    assert probe(chart, **probes) == {**expected, "failureThreshold": 270}


def test_other_probes_stay_as_they_are(chart4: Chart) -> None:
    group = {"startup": {"timeout": "10m"}, "container": {"livenessProbe": {**HTTP, "periodSeconds": 5}}}
    objects = chart4.render(operation({"a": group}))
    assert objects.container()["livenessProbe"] == {**HTTP, "periodSeconds": 5}
    validity.check(objects.all)


def test_what_other_groups_can_fail_is_never_taken(chart: Chart) -> None:
    readiness = {"requires": ["b"], "probe": HTTP}
    group = {"startup": {"timeout": "10m"}, "readiness": readiness, "container": {"readinessProbe": TCP}}
    container = chart.render(operation({"a": group, "b": {}})).container()
    assert (container["startupProbe"]["tcpSocket"], container["readinessProbe"]) == (TCP["tcpSocket"], HTTP)


@pytest.mark.parametrize("group", [{"startup": None}, {"startup": {"timeout": None}}, {"unset": ["startup.timeout"]}])
def test_a_layer_may_take_it_away(chart4: Chart, group: Values) -> None:
    defaults = {"startup": {"timeout": "10m"}, "container": {"livenessProbe": HTTP}}
    assert "startupProbe" not in chart4.render(layered(group, defaults=defaults)).container()


@pytest.mark.parametrize(
    ("group", "words"),
    [
        ({}, "groups.a.startup.timeout: 45m, but nothing tells when the container has started; give it a startupProbe"),
        ({"readiness": {"probe": HTTP}}, "groups.a.startup.timeout: 45m, but nothing tells when the container has"),
        (
            {"readiness": {"requires": ["b"]}, "container": {"readinessProbe": HTTP}},
            "groups.a.startup.timeout: 45m, but nothing tells when the container has started",
        ),
        (
            {"container": {"startupProbe": {**HTTP, "initialDelaySeconds": 2700}}},
            "groups.a.startup.timeout: 45m, but startupProbe.initialDelaySeconds is 2700; allowed: a longer time",
        ),
        ({"startup": {"timeout": 2700}}, "groups.a.startup.timeout: 2700 is no duration; write hours, minutes and"),
        ({"startup": {"timeout": "45 min"}}, 'groups.a.startup.timeout: "45 min" is no duration; write hours, minutes'),
        ({"startup": {"timeout": "1d"}}, 'groups.a.startup.timeout: "1d" is no duration; write hours, minutes and'),
        ({"startup": {"timeout": ""}}, 'groups.a.startup.timeout: "" is no time; write a second or more, such as 45m'),
        ({"startup": {"timeout": "0m"}}, 'groups.a.startup.timeout: "0m" is no time; write a second or more'),
    ],
)
def test_what_cannot_be_meant_is_refused(chart4: Chart, group: Values, words: str) -> None:
    values = operation({"a": {"startup": {"timeout": "45m"}, **group}, "b": {}})
    assert chart4.refusal(values).startswith(words)
