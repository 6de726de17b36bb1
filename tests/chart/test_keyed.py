"""Lists of Kubernetes objects, which merge by key over the layers and may be written as lists or maps."""

from __future__ import annotations

from typing import Any

import pytest

from tests.chart.rendering import Chart, Values, layered

TOLERATION = {"key": "gpu", "operator": "Exists"}
SPREAD = {"topologyKey": "zone", "whenUnsatisfiable": "DoNotSchedule"}
CLAIM = {"persistentVolumeClaim": {"claimName": "x"}}


def container(lower: Values, upper: Values) -> Values:
    return layered({"container": upper}, defaults={"container": lower})


def environment(lower: Values, upper: Values) -> Values:
    return layered({"environment": upper}, defaults={"environment": lower})


@pytest.mark.parametrize(
    ("field", "lower", "upper", "expected"),
    [
        ("env", {"B": "1"}, {"A": "2"}, [{"name": "B", "value": "1"}, {"name": "A", "value": "2"}]),
        ("env", [{"name": "A", "value": "1"}], {"A": "2"}, [{"name": "A", "value": "2"}]),
        ("env", {"A": "1"}, [{"name": "A", "value": ""}], [{"name": "A", "value": ""}]),
        ("env", {"A": "1"}, {"A": {"valueFrom": {"f": "x"}}}, [{"name": "A", "valueFrom": {"f": "x"}}]),
        ("env", {"A": "1", "B": "2"}, {"A": None}, [{"name": "B", "value": "2"}]),
        ("ports", {"http": 1}, [{"name": "http", "protocol": "UDP"}], [{"name": "http", "containerPort": 1, "protocol": "UDP"}]),
        ("ports", {"http": 1, "x": 2}, {"http": 3}, [{"name": "http", "containerPort": 3}, {"name": "x", "containerPort": 2}]),
        ("volumeMounts", {"/m": "a"}, {"/m": {"readOnly": True}}, [{"mountPath": "/m", "name": "a", "readOnly": True}]),
        ("volumeMounts", [{"mountPath": "/m", "name": "a"}], {"/n": "b"}, [{"mountPath": "/m", "name": "a"}, {"mountPath": "/n", "name": "b"}]),
        ("envFrom", [{"secretRef": {"name": "s"}}], {"x": {"secretRef": {"name": "s"}, "prefix": "P"}}, [{"secretRef": {"name": "s"}}, {"secretRef": {"name": "s"}, "prefix": "P"}]),
        ("envFrom", [{"secretRef": {"name": "s"}}], {"x": {"secretRef": {"name": "s", "optional": True}}}, [{"secretRef": {"name": "s", "optional": True}}]),
        ("securityContext", {"capabilities": {"drop": ["ALL"]}}, {"capabilities": {"drop": {"X": {}}}}, {"capabilities": {"drop": ["ALL", "X"]}}),
        ("readinessProbe", {"httpGet": {"path": "/", "port": 1}, "periodSeconds": 5}, {"tcpSocket": {"port": 1}}, {"tcpSocket": {"port": 1}, "periodSeconds": 5}),
        ("lifecycle", {"preStop": {"exec": {"command": ["x"]}}}, {"preStop": {"sleep": {"seconds": 1}}}, {"preStop": {"sleep": {"seconds": 1}}}),
    ],
)  # fmt: skip
def test_entries_of_the_container_merge_by_key(chart4: Chart, field: str, lower: Any, upper: Any, expected: Any) -> None:
    assert chart4.render(container({field: lower}, {field: upper})).container()[field] == expected


@pytest.mark.parametrize(
    ("field", "lower", "upper", "expected"),
    [
        ("tolerations", {"gpu": TOLERATION}, [{"key": "other", "operator": "Exists"}], [TOLERATION, {"key": "other", "operator": "Exists"}]),
        ("tolerations", {"gpu": TOLERATION}, [{**TOLERATION, "tolerationSeconds": 9}], [{**TOLERATION, "tolerationSeconds": 9}]),
        ("tolerations", {"gpu": TOLERATION}, {"gpu": {"effect": "NoSchedule"}}, [{**TOLERATION, "effect": "NoSchedule"}]),
        ("topologySpreadConstraints", [{**SPREAD, "maxSkew": 1}], {"z": {**SPREAD, "maxSkew": 2}}, [{**SPREAD, "maxSkew": 2}]),
        ("hostAliases", {"10.0.0.1": ["a"]}, [{"ip": "10.0.0.2", "hostnames": ["b"]}], [{"ip": "10.0.0.1", "hostnames": ["a"]}, {"ip": "10.0.0.2", "hostnames": ["b"]}]),
        ("imagePullSecrets", {"one": {}}, [{"name": "two"}], [{"name": "one"}, {"name": "two"}]),
    ],
)  # fmt: skip
def test_entries_of_the_pod_merge_by_key(chart4: Chart, field: str, lower: Any, upper: Any, expected: Any) -> None:
    assert chart4.render(environment({field: lower}, {field: upper})).pod()[field] == expected


@pytest.mark.parametrize(
    ("lower", "upper", "expected"),
    [
        ({"v": {"emptyDir": {}}}, {"w": CLAIM}, [{"name": "v", "emptyDir": {}}, {"name": "w", **CLAIM}]),
        ({"v": {"emptyDir": {}}}, {"v": CLAIM}, [{"name": "v", **CLAIM}]),
        ({"v": CLAIM}, [{"name": "v", "persistentVolumeClaim": {"readOnly": True}}], [{"name": "v", "persistentVolumeClaim": {"claimName": "x", "readOnly": True}}]),
        ({"v": CLAIM}, {"v": None}, None),
    ],
)  # fmt: skip
def test_a_volume_keeps_the_source_of_the_latest_layer(chart4: Chart, lower: Any, upper: Any, expected: Any) -> None:
    pod = chart4.render(layered({"volumes": upper}, defaults={"volumes": lower})).pod()
    assert pod.get("volumes") == expected


def test_lists_without_a_key_are_replaced(chart4: Chart) -> None:
    values = environment({"dnsConfig": {"searches": ["a"]}}, {"dnsConfig": {"searches": ["b"]}})
    assert chart4.render(values).pod()["dnsConfig"] == {"searches": ["b"]}


@pytest.mark.parametrize("path", ["environment.tolerations.gpu", "environment.tolerations"])
def test_an_entry_of_a_map_can_be_unset(chart: Chart, path: str) -> None:
    values = layered({"unset": [path]}, defaults={"environment": {"tolerations": {"gpu": TOLERATION}}})
    assert "tolerations" not in chart.render(values).pod()


@pytest.mark.parametrize(
    ("upper", "words"),
    [
        ({"env": [{"value": "x"}]}, 'groups.a.container.env: an entry has no "name"'),
        ({"env": [{"name": "A"}, {"name": "A"}]}, 'groups.a.container.env: "A" stands twice in one list; keep one'),
        ({"env": {"true": "1"}}, "groups.a.container.env.true: YAML reads the keys y, yes, on, true"),
        ({"ports": {"http": {"name": "web", "containerPort": 1}}}, 'groups.a.container.ports.http: name is "web"'),
    ],
)
def test_entries_without_a_clear_key_are_refused(chart: Chart, upper: Values, words: str) -> None:
    assert chart.refusal(container({}, upper)).startswith(words)
