"""null and `unset` delete a list of Kubernetes objects whole, whichever layer says it and however it was written.

All cases are one rendering, a group for each, since groups do not know each other.
"""

from __future__ import annotations

from typing import Any

from tests.chart import schema, validity
from tests.chart.rendering import Chart, Objects, Values, nested, operation
from tests.chart.test_keyed import at
from tests.support.runner import Runner

Case = tuple[str, str, str, Values]
REPLACE = {"patchStrategy": "replace"}
POST = {"patchStrategy": "post_merge"}
# Each keyed list as a map and as a list.
LISTS: dict[str, tuple[Values, list[Any]]] = {
    "container.env": ({"A": "1"}, [{"name": "A", "value": "1"}]),
    "container.envFrom": ({"x": {"secretRef": {"name": "s"}}}, [{"secretRef": {"name": "s"}}]),
    "container.ports": ({"http": 80}, [{"name": "http", "containerPort": 80}]),
    "container.volumeMounts": ({"/m": "v"}, [{"mountPath": "/m", "name": "v"}]),
    "container.volumeDevices": ({"/dev/x": "v"}, [{"devicePath": "/dev/x", "name": "v"}]),
    "container.securityContext.capabilities.add": ({"X": {}}, ["X"]),
    "container.securityContext.capabilities.drop": ({"X": {}}, ["X"]),
    "environment.hostAliases": ({"10.0.0.1": ["a"]}, [{"ip": "10.0.0.1", "hostnames": ["a"]}]),
    "environment.imagePullSecrets": ({"x": {}}, [{"name": "x"}]),
    "environment.tolerations": ({"x": {"operator": "Exists"}}, [{"operator": "Exists"}]),
    "environment.topologySpreadConstraints": (
        {"x": {"topologyKey": "k", "whenUnsatisfiable": "DoNotSchedule", "maxSkew": 1, "labelSelector": {}}},
        [{"topologyKey": "k", "whenUnsatisfiable": "DoNotSchedule", "maxSkew": 1, "labelSelector": {}}],
    ),
    "volumes": ({"v": {"emptyDir": {}}}, [{"name": "v", "emptyDir": {}}]),
}
# The same lists in an init container and in a sidecar, which are such lists themselves.
LISTS |= {
    f"{outer}{path.removeprefix('container')}": forms
    for outer in ("init.prepare", "sidecars.proxy")
    for path, forms in list(LISTS.items())
    if path.startswith("container.")
}
LISTS |= {
    "init": ({"prepare": {"image": "x"}}, [{"name": "prepare", "image": "x"}]),
    "sidecars": ({"proxy": {"image": "x"}}, [{"name": "proxy", "image": "x"}]),
}


# Lists that a later layer replaces, though they may be written as a map.
REPLACED = {"autoscaling.metrics", "autoscaling.triggers"}


def giving(path: str, entries: Any) -> Values:
    """Return a layer with the entries at a path, and with the volume that they use."""
    volume = {"volumes": {"v": {"persistentVolumeClaim": {"claimName": "c"}}}}
    return nested(path, entries) | (volume if path.endswith(("volumeMounts", "volumeDevices")) else {})


def deletions(path: str) -> dict[str, tuple[Values, Values]]:
    """Return the ways to delete what is at a path: fields of a group, and of a preset that it lists last."""
    null, unset = nested(path, None), {"unset": [path]}
    image = {"container": {"image": "example/app:1", **null.get("container", {})}}
    outer = path.rpartition(".")[0]
    ways: dict[str, tuple[Values, Values]] = {
        "null": (null, {}),
        "unset": (unset, {}),
        "null in a preset": ({}, null),
        "unset in a preset": ({}, unset),
        "null in a preset over the group": ({}, {**null, **POST}),
        "unset in a preset over the group": ({}, {**unset, **POST}),
        "null in a preset that replaces": ({}, {**null, **REPLACE, **image}),
        "unset, and null": ({**null, **unset}, {}),
    }
    if outer not in {"", "container"}:
        ways |= {"null around it": (nested(outer, None), {}), "unset around it": ({"unset": [outer]}, {})}
    return ways


def cases() -> list[tuple[Case, Values, Values]]:
    """Return each case with its group and its presets."""
    found: list[tuple[Case, Values, Values]] = []
    for path, forms in LISTS.items():
        for form, lower in zip(("map", "list"), forms, strict=True):
            for way, (group, preset) in deletions(path).items():
                low, high = f"low-{len(found)}", f"high-{len(found)}"
                presets = {low: giving(path, lower), high: preset}
                found.append(((path, form, way, presets), {"presets": [low, high], **group}, presets))
    return found


def render(chart: Chart, kind: str) -> tuple[Objects, list[Case]]:
    found = cases()
    groups = {f"g-{index}": group for index, (_, group, _) in enumerate(found)}
    presets = {name: preset for _, _, more in found for name, preset in more.items()}
    values = operation(groups, presets=presets, operation={"kind": kind})
    return chart.render(values), [case for case, _, _ in found]


def test_every_keyed_list_has_a_case() -> None:
    keyed = {
        path[1:] for path, node in schema.walk() if path[0] == "defaults" and {"array", "object"} <= set(node["type"])
    }
    # They have tests of their own.
    apart = {
        path for path in keyed if path[-1] in {"claims", "connections", "files", "requireNodes"} or path[0] == "leader"
    }
    assert set(LISTS) == {".".join(path) for path in keyed - apart} - REPLACED


def test_a_deleted_list_is_gone(chart4: Chart) -> None:
    objects, found = render(chart4, "service")
    assert len(found) > 150
    assert [case for index, case in enumerate(found) if at(objects.pod(f"g-{index}"), case[0]) is not None] == []


def test_the_lists_of_the_cases_are_there_unless_deleted(chart4: Chart) -> None:
    presets = {f"{form}-{index}": giving(path, lower) for index, path in enumerate(LISTS) for form, lower in
               zip(("map", "list"), LISTS[path], strict=True)}  # fmt: skip
    objects = chart4.render(operation({name: {"presets": [name]} for name in presets}, presets=presets))
    for index, (path, (_, listed)) in enumerate(LISTS.items()):
        assert [at(objects.pod(f"{form}-{index}"), path) for form in ("map", "list")] == [listed, listed]


def test_what_is_left_of_a_job_is_what_kubernetes_accepts(helm3: Runner, helm4: Runner) -> None:
    objects, _ = render(Chart(helm4), "job")
    assert render(Chart(helm3), "job")[0] == objects
    validity.check(objects.all)
