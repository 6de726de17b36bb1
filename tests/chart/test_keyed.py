"""Lists of Kubernetes objects, which merge by key over the layers and may be written as lists or maps."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.chart.rendering import Chart, Values, layered, nested, operation

CASES = yaml.load((Path(__file__).parent / "merges.yaml").read_text(), yaml.CSafeLoader)


def test_entries_of_the_layers_merge_by_key(chart4: Chart) -> None:
    presets = {f"{form}-{i}": nested(case["at"], case.get(form)) for form in ("lower", "middle") for i, case in all_()}
    groups = {f"g-{i}": group(i, case) for i, case in all_()}
    objects = chart4.render(operation(groups, presets=presets))
    found = {i: at(objects.pod(f"g-{i}"), case["at"]) for i, case in all_()}
    assert [(case, found[i]) for i, case in all_() if found[i] != case["expected"]] == []


def all_() -> list[tuple[int, dict[str, Any]]]:
    assert len(CASES) > 50
    return list(enumerate(CASES))


def group(index: int, case: dict[str, Any]) -> Values:
    """Return the group of a case, which lists the presets of its lower layers."""
    lower = [f"{form}-{index}" for form in ("lower", "middle") if form in case]
    mounted = {"volumes": {"a": {}, "b": {}}} if case["at"].endswith("volumeMounts") else {}
    return {"presets": lower, "unset": case.get("unset"), **mounted, **nested(case["at"], case["upper"])}


def at(pod: dict[str, Any], path: str) -> Any:
    """Return what the pod has at the path of a group's field, None if nothing."""
    outer, _, inner = path.partition(".")
    if outer in {"init", "sidecars"}:
        name, _, inner = inner.partition(".")
        listed = [{**entry} for entry in pod.get("initContainers") or []]
        for entry in listed:
            entry.pop("restartPolicy", None)  # The chart's own sign of a native sidecar.
        node = next((entry for entry in listed if entry["name"] == name), None) if name else listed or None
    else:
        node = pod["containers"][0] if outer == "container" else pod
        inner = inner if outer in {"container", "environment"} else path
    for key in inner.split(".") if inner else ():
        node = node.get(key) if node else None
    return node


def test_both_majors_merge_alike(chart: Chart) -> None:
    upper = {"container": {"env": {"A": "2", "B": None}}}
    lower = {"container": {"env": [{"name": "B", "value": "1"}, {"name": "A", "value": "1"}]}}
    assert chart.render(layered(upper, defaults=lower)).env() == {"A": "2"}


def test_a_volume_twice_at_one_path_is_refused(chart4: Chart) -> None:
    twice = {"volumes": {"v": {"emptyDir": {}}}, "container": {"volumeMounts": {"/x": "v", "/x/": "v"}}}
    values = operation({"a": twice})
    assert chart4.refusal(values) == 'groups.a.container: volume "v" is mounted twice at /x; keep one'


@pytest.mark.parametrize(
    ("upper", "words"),
    [
        ({"env": [{"value": "x"}]}, 'groups.a.container.env: an entry has no "name"'),
        ({"env": [{"name": "A"}, {"name": "A"}]}, 'groups.a.container.env: "A" stands twice in one list; keep one'),
        ({"env": {"@order": "1"}}, 'groups.a.container.env: the key "@order" begins with @, and no name does; choose'),
        ({"ports": {"http": {"name": "web", "containerPort": 1}}}, 'groups.a.container.ports.http: name is "web"'),
    ],
)
def test_entries_without_a_clear_key_are_refused(chart4: Chart, upper: Values, words: str) -> None:
    assert chart4.refusal(layered({"container": upper})).startswith(words)


def test_an_entry_that_is_nothing_is_refused(chart4: Chart) -> None:
    assert chart4.refusal(layered({"init": [None]})).startswith("groups.a.init: null is no entry of this list; each")


def test_an_entry_of_volumes_with_a_number_for_a_name_is_refused(chart4: Chart) -> None:
    refusal = chart4.refusal(layered({"volumes": {"v": {"name": 1, "emptyDir": {}}}}))
    assert refusal.startswith("groups.a.volumes.v.name: 1 is a number where Kubernetes wants text")


def test_what_one_group_unsets_in_an_entry_stays_in_another(chart4: Chart) -> None:
    defaults = {"env": {"A": {"valueFrom": {"fieldRef": {"fieldPath": "x", "apiVersion": "v1"}}}}}
    values = layered({"unset": ["container.env.A.valueFrom.fieldRef.apiVersion"]}, defaults={"container": defaults})
    values["groups"]["b"] = {"presets": ["image"]}
    assert chart4.render(values).env("b")["A"]["fieldRef"] == {"fieldPath": "x", "apiVersion": "v1"}
