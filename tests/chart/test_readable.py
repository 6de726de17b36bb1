"""Keys that YAML does not read as the text that was written, in every map whose keys are the user's."""

from __future__ import annotations

import json

import pytest

from tests.chart import schema
from tests.chart.rendering import Chart, Values, layered, nested, operation
from tests.chart.test_deletion import LISTS

MAPS = sorted(
    {".".join(path[1:]): node for path, node in schema.walk()
     if path[0] == "defaults" and path[1:2] != ("leader",) and isinstance(node.get("additionalProperties"), dict)}
    | {"container.ports": {}}
)  # fmt: skip
SAMPLES = {
    "autoscaling.metrics": {},
    "autoscaling.triggers": {},
    "container.env": "1",
    "container.ports": 80,
    "environment.hostAliases": [],
    "container.volumeMounts": "v",
}
BARE = {
    "y": "true", "N": "false", "on": "true", "No": "false", "true": "true",
    "1e3": "1000", "1.10": "1.1", "0x1f": "31", "-7": "-7", ".inf": ".inf", "1e30": "1e+30",
}  # fmt: skip


def sample(path: str) -> object:
    return SAMPLES.get(path, {} if path in LISTS or path.endswith(("connections", "requireNodes")) else "1")


def written(path: str, key: str) -> str:
    """Return values as a person types them, with a bare key in the map at the path."""
    values = json.dumps(layered(nested(path, {"KEY": sample(path)})))
    return values.replace('"KEY"', f"? {key}\n")


@pytest.mark.parametrize("path", MAPS)
@pytest.mark.parametrize("key", ["y", "1e3"])
def test_no_map_lets_them_through(chart4: Chart, path: str, key: str) -> None:
    done = chart4.attempt_text(written(path, key))
    assert f'groups.a.{path}: the key "{BARE[key]}" is ' in done.stderr


@pytest.mark.parametrize(("key", "read"), BARE.items())
def test_every_spelling_is_known(chart: Chart, key: str, read: str) -> None:
    done = chart.attempt_text(written("environment.nodeSelector", key))
    assert f'groups.a.environment.nodeSelector: the key "{read}" is ' in done.stderr


@pytest.mark.parametrize("key", ["y", "n", "on", "1.2.3.4", "v1", "e3", "2001-01-01", "nvidia.com/gpu", "Yes", "0.a"])
def test_text_stays_text(chart4: Chart, key: str) -> None:
    selector = {"environment": {"nodeSelector": {key: "1"}}}
    assert chart4.render(layered(selector)).pod()["nodeSelector"] == {key: "1"}


@pytest.mark.parametrize("key", ["true", "1000"])
def test_a_list_may_hold_what_a_map_may_not(chart4: Chart, key: str) -> None:
    assert chart4.render(layered({"container": {"env": [{"name": key, "value": "1"}]}})).env() == {key: "1"}


@pytest.mark.parametrize("name", ["null", "y", "1e3", "0x1f", "http"])
def test_a_port_has_its_name_in_the_services_too(chart4: Chart, name: str) -> None:
    objects = chart4.render(layered({"container": {"ports": [{"name": name, "containerPort": 80}]}}))
    services = [entry["spec"]["ports"][0]["name"] for entry in objects.all if entry["kind"] == "Service"]
    assert services == [name, name]


CLAIM = {"deviceClassName": "g", "devices": {"true": {"deviceClassName": "d", "perPod": 1}}}
ANEW = "is a number, or was one before YAML spelled it anew (1e3 becomes 1000);"
BOOLEAN = "is what YAML makes of a bare y, yes, on and true; quote the key, or"


@pytest.mark.parametrize(
    ("values", "words"),
    [
        (layered({"volumes": {"true": {}}}), f'groups.a.volumes: the key "true" {BOOLEAN} write the entries as a list'),
        (layered({"volumes": {"1000": {}}}), f'groups.a.volumes: the key "1000" {ANEW} write the entries as a list'),
        (
            layered({}, p={"environment": {"labels": {"true": None}}}),
            f'presets.p.environment.labels: the key "true" {BOOLEAN} choose another key',
        ),
        (layered({"devices": {"true": {}}}), f'groups.a.devices: the key "true" {BOOLEAN} choose another'),
        (layered({"networks": {"7": {}}}), f'groups.a.networks: the key "7" {ANEW} choose another'),
        (
            layered({"accelerators": 1}, p=nested("accelerator.claim", CLAIM)),
            f'groups.a: accelerator.claim.devices of its preset: the key "true" {BOOLEAN} choose another',
        ),
        (operation({"a": {}}, labels={"true": "x"}), f'labels: the key "true" {BOOLEAN} choose another key'),
        (operation({"a": {}}, annotations={"7": "x"}), f'annotations: the key "7" {ANEW} choose another key'),
    ],
)
def test_the_refusal_says_why_and_what_to_do(chart4: Chart, values: Values, words: str) -> None:
    assert chart4.refusal(values) == words
