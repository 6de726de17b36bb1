"""Init containers and sidecars, native and plain."""

from __future__ import annotations

from typing import Any

import pytest

from tests.chart.rendering import Chart, Objects, Values, layered, operation


def first(objects: Objects) -> list[str]:
    return [entry["name"] for entry in objects.pod()["initContainers"]]


def one(chart: Chart, container: Values, *, field: str = "init", **lower: Any) -> dict[str, Any]:
    """Return the container `x` of a group, over what `defaults` say of it."""
    defaults = {"container": {"image": "example/app:1"}, field: {"x": lower}} if lower else {}
    pod = chart.render(layered({field: {"x": container}, "volumes": {"v": {"emptyDir": {}}}}, defaults=defaults)).pod()
    (found,) = pod["initContainers"]
    return found


def test_an_init_container_takes_the_image_of_the_main_one(chart: Chart) -> None:
    group = {"container": {"image": "example/own:2", "imagePullPolicy": "Always"}, "init": {"x": {"cmd": ["a"]}}}
    (found,) = chart.render(operation({"a": group})).pod()["initContainers"]
    assert found == {"name": "x", "image": "example/own:2", "imagePullPolicy": "Always", "command": ["a"]}


def test_one_with_an_image_of_its_own_takes_no_pull_policy_of_the_main_one(chart4: Chart) -> None:
    group = {"container": {"imagePullPolicy": "Always"}, "sidecars": {"x": {"image": "example/x:1", "native": False}}}
    assert chart4.render(operation({"a": group})).pod()["containers"][1] == {"name": "x", "image": "example/x:1"}


def test_a_sidecar_is_native_unless_it_says_otherwise(chart: Chart) -> None:
    pod = chart.render(operation({"a": {"sidecars": {"x": {}, "y": {"native": False}}}})).pod()
    assert [(entry["name"], entry["restartPolicy"]) for entry in pod["initContainers"]] == [("x", "Always")]
    assert [entry["name"] for entry in pod["containers"]] == ["main", "y"]
    assert "restartPolicy" not in pod["containers"][1]


@pytest.mark.parametrize(
    ("group", "order"),
    [
        ({"init": {"b": {}, "a": {}}, "sidecars": {"c": {}}}, ["a", "b", "c"]),
        ({"init": [{"name": "b"}, {"name": "a"}], "sidecars": [{"name": "d"}, {"name": "c"}]}, ["b", "a", "d", "c"]),
        ({"init": {"a": {}, "b": {"order": -1}}, "sidecars": {"c": {}}}, ["b", "a", "c"]),
        ({"init": {"install": {}}, "sidecars": {"daemon": {"order": -1}}}, ["daemon", "install"]),
        ({"init": {f"x{index}": {"order": index} for index in (0, -3, 20, 3)}}, ["x-3", "x0", "x3", "x20"]),
    ],
)
def test_they_start_by_order_then_sort_then_place(chart4: Chart, group: Values, order: list[str]) -> None:
    assert first(chart4.render(operation({"a": group}))) == order


def test_those_of_lower_layers_are_listed_first(chart4: Chart) -> None:
    values = layered({"init": {"b": {}, "a": {}}}, defaults={"init": {"c": {}, "b": {}}})
    assert first(chart4.render(values)) == ["b", "c", "a"]


def test_they_merge_by_name_over_the_layers(chart: Chart) -> None:
    lower = {
        "env": {"A": "1", "URL": "$(HOST)/x"},
        "args": ["a"],
        "extraArgs": ["--a"],
        "volumeMounts": {"/m": "v"},
        "resources": {"limits": {"memory": "1Gi"}},
    }
    upper = {"env": [{"name": "HOST", "value": "h"}, {"name": "A", "value": "2"}], "extraArgs": ["--b"]}
    found = one(chart, {**upper, "resources": {"limits": {"cpu": 1}}}, **lower)
    assert found["env"] == [
        {"name": "A", "value": "2"}, {"name": "HOST", "value": "h"}, {"name": "URL", "value": "$(HOST)/x"}
    ]  # fmt: skip
    assert found["args"] == ["a", "--a", "--b"]
    assert (found["volumeMounts"], found["resources"]) == (
        [{"mountPath": "/m", "name": "v"}],
        {"limits": {"cpu": 1, "memory": "1Gi"}},
    )


@pytest.mark.parametrize(
    ("lower", "upper", "expected"),
    [
        ({"command": ["a"], "args": ["b"]}, {"cmd": "echo $A"}, {"command": ["sh", "-c", "echo $A"]}),
        ({"command": ["a"], "args": ["b"]}, {"cmd": ["c"], "args": ["d"]}, {"command": ["c"], "args": ["d"]}),
        ({"cmd": ["a"], "args": ["b"]}, {"command": ["c"]}, {"command": ["c"], "args": ["b"]}),
        ({"command": ["a"]}, {"cmd": None}, {"command": ["a"]}),
        ({"command": ["a"], "args": ["b"]}, {"cmd": []}, {}),
    ],
)
def test_what_it_runs_is_settled_as_for_the_main_container(
    chart4: Chart, lower: Values, upper: Values, expected: Values
) -> None:
    found = one(chart4, upper, **lower)
    assert {key: found[key] for key in ("command", "args") if key in found} == expected


@pytest.mark.parametrize("group", [{"init": None}, {"init": {"x": None}}, {"unset": ["init"]}, {"unset": ["init.x"]}])
def test_a_layer_may_delete_them(chart4: Chart, group: Values) -> None:
    values = layered(group, defaults={"init": {"x": {"image": "example/x:1"}}})
    assert "initContainers" not in chart4.render(values).pod()


@pytest.mark.parametrize("field", ["init", "sidecars"])
def test_a_field_of_one_may_be_unset(chart4: Chart, field: str) -> None:
    lower = {"env": {"A": "1", "B": "2"}, "workingDir": "/x"}
    group = {field: {"x": {}}, "unset": [f"{field}.x.env.A", f"{field}.x.workingDir"]}
    (found,) = chart4.render(layered(group, defaults={field: {"x": lower}})).pod()["initContainers"]
    assert (found["env"], "workingDir" in found) == ([{"name": "B", "value": "2"}], False)


def test_a_preset_that_replaces_them_leaves_nothing_of_lower_layers(chart4: Chart) -> None:
    preset = {"patchStrategy": "replace", "init": {"y": {}}}
    assert first(chart4.render(layered({"init": {"x": {}}}, p=preset))) == ["y"]


def test_ports_of_sidecars_are_ports_of_the_services(chart: Chart) -> None:
    plain = {"native": False, "ports": {"dns": {"containerPort": 53, "protocol": "UDP"}}}
    sidecars = {"x": {"ports": {"proxy": 9000}}, "y": plain}
    group = {"container": {"ports": {"http": 80}}, "sidecars": sidecars, "init": {"z": {"ports": {"early": 1}}}}
    objects = chart.render(operation({"a": group}))
    for name in ("rl-a", "rl-a-svc"):
        ports = objects.get("Service", name)["spec"]["ports"]
        assert [(port["name"], port["port"], port["protocol"]) for port in ports] == [
            ("http", 80, "TCP"), ("proxy", 9000, "TCP"), ("dns", 53, "UDP")
        ]  # fmt: skip


def test_a_group_whose_sidecar_alone_has_ports_has_a_service_of_ready_pods(chart4: Chart) -> None:
    values = operation({"a": {"sidecars": {"x": {"ports": {"proxy": 9000}}}}})
    assert chart4.render(values).get("Service", "rl-a-svc")
    assert chart4.resolved(values)["groups"]["a"]["services"]["ready"] == "rl-a-svc"


def test_the_layer_of_each_of_their_fields_is_known(chart4: Chart) -> None:
    values = layered({"init": {"x": {"env": {"A": "1"}}}}, p={"init": {"x": {"command": ["a"]}}})
    layers = chart4.resolved(values)["layers"]["a"]
    assert (layers["init.x.env.A"], layers["init.x.command"]) == ("groups.a", "presets.p")


def test_those_of_one_group_leave_every_byte_of_another(chart4: Chart) -> None:
    group = {"init": {"x": {"env": {"A": "1"}}}, "sidecars": {"y": {"ports": {"p": 1}}}}
    alone = chart4.texts(operation({"b": {}}), "b")
    assert len(alone) == 2
    assert chart4.texts(operation({"a": group, "b": {}}), "b") == alone


PORT = {"ports": {"http": 80}}


@pytest.mark.parametrize(
    ("group", "words"),
    [
        ({"init": {"main": {}}}, "groups.a.init.main: the pod's container has this name too; names of containers are"),
        ({"init": {"x": {}}, "sidecars": {"x": {}}}, "groups.a.sidecars.x: the pod's init has this name too"),
        ({"init": [{"name": "x"}, {"name": "x"}]}, 'groups.a.init: "x" stands twice in one list; keep one'),
        ({"init": [{"image": "x"}]}, 'groups.a.init: an entry has no "name"'),
        ({"init": {"true": {}}}, 'groups.a.init: the key "true" is what YAML makes of a bare'),
        ({"sidecars": {"7": {}}}, 'groups.a.sidecars: the key "7" is a number'),
        ({"init": {"x": {"env": {"A": 1}}}}, "groups.a.init.x.env.A: 1 is a number where Kubernetes wants text"),
        ({"init": {"x": {"args": [True]}}}, "groups.a.init.x.args: true is a boolean where Kubernetes wants text"),
        ({"sidecars": {"x": {"cmd": [1]}}}, "groups.a.sidecars.x.cmd: 1 is a number where Kubernetes wants text"),
        ({"init": {"x": {"cmd": "a", "args": ["b"]}}}, "groups.a.init.x.cmd: a shell line takes no args, and args or"),
        ({"init": {"x": {"cmd": ["a"], "command": ["b"]}}}, "groups.a.init.x: cmd and command both say what runs"),
        ({"init": {"x": {"env": {"A": "$(A)"}}}}, "groups.a.init.x.env.A: its value refers to itself"),
        ({"sidecars": {"x": {"native": False, "order": 1}}}, "groups.a.sidecars.x.order: 1, but native is false"),
        ({"container": PORT, "sidecars": {"x": PORT}}, "groups.a.sidecars.x.ports.http: groups.a.container.ports.http"),
        (
            {"container": PORT, "sidecars": {"x": {"ports": {"web": 80}}}},
            "groups.a.sidecars.x.ports.web: 80/TCP is also groups.a.container.ports.http; a Service offers",
        ),
        ({"sidecars": {"x": {"ports": {"web": {}}}}}, "groups.a.sidecars.x.ports.web: no containerPort; give its"),
    ],
)
def test_what_no_pod_could_hold_is_refused(chart4: Chart, group: Values, words: str) -> None:
    assert chart4.refusal(operation({"a": group})).startswith(words)


@pytest.mark.parametrize("field", ["livenessProbe", "readinessProbe", "startupProbe", "lifecycle"])
def test_an_init_container_has_no_probes_and_no_lifecycle(chart4: Chart, field: str) -> None:
    words = f"at '/groups/a/init/x': additional properties '{field}' not allowed"
    assert words in chart4.schema_refusal(operation({"a": {"init": {"x": {field: {}}}}}))
