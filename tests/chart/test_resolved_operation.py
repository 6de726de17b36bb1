"""The carrier for the post-renderer, and the resolved operation for people."""

from __future__ import annotations

import json
from typing import Any

import pytest

from helm_roster import constants

from tests.chart.rendering import GPU, RESOLVED, Chart, Values, layered, operation

ROUTER = {"router": True, "readiness": {"requires": ["work-er"], "probe": {"tcpSocket": {"port": 80}}}}
WORKER = {"replicas": 8, "accelerators": 1, "presets": ["gpu"], "container": {"ports": {"http": 80}}}
NATIVE = {"placement": {"backend": "native", "queue": "q"}, "gangs": {"g": {"members": {"work-er": {"min": 2}}}}}
VALUES = operation({"router": ROUTER, "work-er": WORKER}, presets={"gpu": GPU}, scheduling=NATIVE)


def carrier(chart: Chart, values: Values) -> dict[str, Any]:
    return chart.render(values).get(constants.CARRIER_KIND, "use-helm-roster-or-post-renderer-roster-postrender")


@pytest.mark.parametrize(
    ("scheduling", "due"),
    [
        ({}, False),
        (None, False),
        ({"placement": {"backend": "default"}, "admission": {"backend": "none"}}, False),
        ({"placement": {"backend": "native"}}, True),
        ({"admission": {"backend": "kueue", "queue": "team"}}, True),
    ],
)
def test_it_is_printed_only_when_something_must_change_the_objects(
    chart4: Chart, scheduling: Values | None, due: object
) -> None:
    kinds = chart4.render(operation({"a": {}}, scheduling=scheduling)).kinds()
    assert (constants.CARRIER_KIND in kinds) is due


def test_it_names_its_schema_chart_release_and_operation(chart: Chart) -> None:
    spec = carrier(chart, {**VALUES, "operation": {"name": "chat"}})["spec"]
    assert (spec["schema"], spec["chart"]) == (
        constants.CARRIER_SCHEMA,
        {"name": "replica-operation", "version": "0.1.0"},
    )
    assert spec["release"] == {"name": "rl", "namespace": "default"}
    assert spec["operation"] == {"name": "chat", "kind": "service", "run": ""}


def test_it_says_of_a_group_what_it_became(chart: Chart) -> None:
    objects = chart.render(VALUES)
    name = objects.workload("work-er")["metadata"]["name"]
    assert carrier(chart, VALUES)["spec"]["groups"]["work-er"] == {
        "workload": {"apiVersion": "apps/v1", "kind": "StatefulSet", "name": name},
        "services": {"headless": name, "ready": f"{name}-svc"},
        "replicas": 8,
        "podsPerReplica": 1,
        "accelerators": 1,
        "accelerator": {"resource": "nvidia.com/gpu", "model": "NVIDIA H200"},
        "router": False,
        "requires": [],
        "lifecycle": "primary",
        "presets": ["gpu"],
        "skippedPresets": [],
    }


def test_it_says_of_a_router_what_it_requires(chart4: Chart) -> None:
    group = carrier(chart4, VALUES)["spec"]["groups"]["router"]
    assert (group["router"], group["requires"], group["services"]) == (True, ["work-er"], {"headless": "rl-router"})
    assert "accelerator" not in group


def test_it_passes_the_scheduling_on(chart4: Chart) -> None:
    assert carrier(chart4, VALUES)["spec"]["scheduling"] == {
        "placement": {"backend": "native", "queue": "q"},
        "admission": {"backend": "none"},
        "gangs": {"g": {"members": {"work-er": {"min": 2, "elastic": True, "order": 0}}}},
    }


def test_both_documents_have_one_spec_but_for_the_layers(chart: Chart) -> None:
    spec = chart.resolved(VALUES)
    assert all(spec.pop(key) for key in ("layers", "composed", "idle", "shape"))
    assert spec == carrier(chart, VALUES)["spec"]


def test_the_resolved_operation_is_printed_on_request_only(chart: Chart) -> None:
    assert constants.RESOLVED_KIND not in chart.render(VALUES).kinds()
    assert constants.RESOLVED_KIND in chart.render(VALUES, *RESOLVED).kinds()


def test_asking_for_layers_changes_no_object(chart4: Chart) -> None:
    objects = chart4.render(VALUES, *RESOLVED).all
    assert [entry for entry in objects if entry["kind"] != constants.RESOLVED_KIND] == chart4.render(VALUES).all


def layers(chart: Chart, values: Values) -> dict[str, str]:
    return chart.resolved(values)["layers"]["a"]


def test_every_value_names_the_layer_that_set_it(chart: Chart) -> None:
    defaults = {"container": {"env": {"D": "1", "P": "1"}}}
    values = layered({"replicas": 2, "cmd": ["x"]}, defaults=defaults, p={"container": {"env": {"P": "2"}}})
    assert layers(chart, values) == {
        "accelerators": "chart",
        "cmd": "groups.a",
        "container.env.D": "defaults",
        "container.env.P": "presets.p",
        "container.image": "presets.image",
        "replicas": "groups.a",
    }


def test_the_composed_values_are_told_with_lists_by_key_as_maps(chart: Chart) -> None:
    values = layered({"container": {"ports": [{"name": "http", "containerPort": 80}]}}, defaults={"replicas": 2})
    composed = json.loads(chart.resolved(values)["composed"]["a"])
    assert composed["replicas"] == 2
    assert composed["container"]["ports"]["http"]["containerPort"] == 80


def test_what_the_chart_makes_of_other_fields_names_the_chart(chart4: Chart) -> None:
    group = {
        "files": {"conf": "/c"},
        "shm": {"size": "1Gi"},
        "startup": {"timeout": "1m"},
        "container": {"startupProbe": {"periodSeconds": 5}, "livenessProbe": {"tcpSocket": {"port": 1}}},
        "environment": {"serviceAccount": {"create": True}},
    }
    spec = chart4.resolved({**layered(group), "files": {"conf": {"content": {"a": "b"}}}})
    composed = json.loads(spec["composed"]["a"])
    made = {path: layer for path, layer in spec["layers"]["a"].items() if layer == "chart"}
    assert set(made) == {
        *("accelerators", "replicas", "container.startupProbe.failureThreshold", "container.startupProbe.tcpSocket"),
        *("container.volumeMounts./c", "container.volumeMounts./dev/shm", "volumes.file-conf", "volumes.shm"),
        "environment.serviceAccountName",
    }
    assert spec["layers"]["a"]["container.startupProbe.periodSeconds"] == "groups.a"
    assert composed["container"]["startupProbe"]["failureThreshold"] == 12


def test_what_the_chart_makes_of_accelerators_and_networks_names_the_chart(chart4: Chart) -> None:
    group = {"presets": ["image", "gpu"], "accelerators": 2, "environment": {"hostNetwork": True}}
    values = layered(group)
    values["presets"]["gpu"] = GPU
    found = layers(chart4, values)
    chosen = ("accelerators", "environment.dnsPolicy", "resources.limits.nvidia.com/gpu")
    assert [found[path] for path in chosen] == ["groups.a", "chart", "chart"]


@pytest.mark.parametrize(
    "group",
    [
        {"environment": {"nodeSelector": {"x.y/z": None}}},
        {"environment": None},
        {"unset": ["environment.nodeSelector"]},
        {"unset": ["environment.nodeSelector.x.y/z"]},
    ],
)
def test_a_deleted_value_names_no_layer(chart4: Chart, group: Values) -> None:
    values = layered(group, defaults={"environment": {"nodeSelector": {"x.y/z": "1"}}})
    assert not [path for path in layers(chart4, values) if path.startswith("environment")]


def test_variables_of_the_chart_name_the_chart(chart4: Chart) -> None:
    values = {**layered({"container": {"env": {"PET_NNODES": "2"}}}), "operation": {"kind": "job"}}
    found = layers(chart4, values)
    assert (found["container.env.MASTER_ADDR"], found["container.env.PET_NNODES"]) == ("chart", "groups.a")


@pytest.mark.parametrize(
    ("lower", "upper", "path"),
    [
        ({"router": {"stateless": False}}, {"router": False}, "router"),
        ({"router": False}, {"router": {"stateless": True}, "readiness": {"requires": []}}, "router.stateless"),
    ],
)
def test_a_value_of_another_kind_takes_the_place_of_the_lower(
    chart4: Chart, lower: Values, upper: Values, path: str
) -> None:
    found = layers(chart4, layered(upper, defaults=lower))
    assert {key: layer for key, layer in found.items() if key.startswith("router")} == {path: "groups.a"}


def test_an_entry_that_a_layer_names_keeps_its_name(chart4: Chart) -> None:
    toleration = {"key": "gpu", "operator": "Exists", "effect": "NoExecute"}
    lower = {"environment": {"tolerations": {"gpu": toleration}}}
    upper = {"environment": {"tolerations": [{**toleration, "tolerationSeconds": 1}]}}
    found = layers(chart4, layered(upper, defaults=lower))
    assert found["environment.tolerations.gpu.tolerationSeconds"] == "groups.a"


def test_a_skipped_preset_names_nothing(chart4: Chart) -> None:
    values = layered({}, defaults={"presets": ["gpu"]})
    values["presets"]["gpu"] = GPU
    assert "presets.gpu" not in layers(chart4, values).values()


def test_what_unset_names_in_vain_is_told_with_its_layer(chart4: Chart) -> None:
    below = {"container": {"env": {"A": "x"}, "image": "example/app:1"}}
    unset = ["container.env.A", "container.env.B", "container.envv.A"]
    told = chart4.resolved({"defaults": below, "groups": {"a": {"unset": unset}, "b": {}}})["idle"]
    assert told == {"a": dict.fromkeys(unset[1:], "groups.a"), "b": {}}
