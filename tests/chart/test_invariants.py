"""What holds for every rendering: of all examples, all ci values and, where it matters, on both majors of Helm."""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
import yaml

from helm_roster import constants

from tests.chart import schema
from tests.chart.rendering import RENDERING_FILES, Chart, Objects, Values, group_of, operation, written
from tests.support.roster import CHART
from tests.support.runner import Runner

SELECTING = {"Deployment", "PodDisruptionBudget", "Service", "StatefulSet"}
# What the values themselves bring, as extraObjects.
EXTRA = {"chat-engines", "engine-settings"}
OF_THE_OPERATION = {"ComputeDomain", "PersistentVolumeClaim", "ResourceClaim", "ResourceClaimTemplate"}
CARRIERS = {constants.CARRIER_KIND, constants.RESOLVED_KIND}
every_file = pytest.mark.parametrize("file", RENDERING_FILES, ids=lambda file: f"{file.parent.name}-{file.stem}")


def served(objects: Objects) -> list[dict[str, Any]]:
    return [entry for entry in objects.all if entry["kind"] not in CARRIERS]


def test_there_are_values_of_both_sorts() -> None:
    assert {path.parent.name for path in RENDERING_FILES} >= {"ci", "01-sglang-disaggregated"}


@every_file
def test_both_majors_give_equal_objects(helm3: Runner, helm4: Runner, file: Path) -> None:
    assert Chart(helm3).render(file).all == Chart(helm4).render(file).all


@every_file
def test_names_are_good_for_services_and_pods(chart4: Chart, file: Path) -> None:
    names = [(entry["kind"], entry["metadata"]["name"]) for entry in served(chart4.render(file))]
    assert len(names) == len(set(names))
    assert all(re.fullmatch(r"[a-z]([-a-z0-9]{0,61}[a-z0-9])?", name) for _, name in names)
    assert max(len(name) for kind, name in names if kind != "Service") <= 47


@every_file
def test_every_object_and_pod_carries_the_labels_of_its_group(chart4: Chart, file: Path) -> None:
    objects = chart4.render(file)
    whose = {constants.INSTANCE_LABEL, constants.OPERATION_LABEL}
    labels = [(entry, entry["metadata"]["labels"]) for entry in served(objects)]
    labels += [
        (entry, objects.template(group_of(entry), leader=leader)["metadata"]["labels"])
        for entry in objects.workloads()
        for leader in (True, False)
    ]
    for entry, found in labels:
        name = entry["metadata"]["name"]
        shared = entry["kind"] in OF_THE_OPERATION or name in EXTRA or "-fill-" in name
        assert set(found) >= whose | (set() if shared else {constants.GROUP_LABEL})
        assert max(map(len, found.values())) <= 63


@every_file
def test_selectors_hold_release_and_group_and_never_overlap(chart4: Chart, file: Path) -> None:
    objects = chart4.render(file)
    selecting = [entry for entry in served(objects) if entry["kind"] in SELECTING]
    for entry in selecting:
        selector = entry["spec"]["selector"]
        expected = {constants.INSTANCE_LABEL: "rl", constants.GROUP_LABEL: group_of(entry)}
        spans = objects.workload(group_of(entry))["kind"] == "LeaderWorkerSet"
        if spans and entry["metadata"]["name"].endswith("-svc"):
            expected |= {constants.LEADER_LABEL: "true"}
        assert selector.get("matchLabels", selector) == expected
    groups = [group_of(entry) for entry in objects.workloads()]
    assert len(groups) == len(set(groups))


@every_file
def test_rendering_twice_gives_the_same_bytes(chart4: Chart, file: Path) -> None:
    once, again = chart4.text(file), chart4.attempt(file)
    assert (again.returncode, again.stdout) == (0, once)


@every_file
def test_no_number_is_printed_as_a_float(chart4: Chart, file: Path) -> None:
    numbers = [value for value in _leaves(chart4.render(file).all) if isinstance(value, float)]
    assert numbers == []
    assert "e+0" not in chart4.text(file)


def _leaves(node: Any) -> list[Any]:
    children = node.values() if isinstance(node, dict) else node if isinstance(node, list) else None
    return [node] if children is None else [leaf for child in children for leaf in _leaves(child)]


@every_file
def test_the_order_of_groups_never_matters(chart4: Chart, file: Path) -> None:
    values = written(file)
    turned = {**values, "groups": dict(reversed(values["groups"].items()))}
    assert list(turned["groups"]) == list(reversed(values["groups"]))
    assert chart4.text(turned) == chart4.text(file)


def by_group(text: str, group: str, *, others: bool = False) -> list[str]:
    """Return the documents of a group, or all others."""
    parts = [part.strip() for part in re.split(r"(?m)^---$", text)]
    return [part for part in parts if (f'{constants.GROUP_LABEL}: "{group}"' in part) != others]


ROOT: Values = {
    "connections": {"c": {"kind": "hostPath", "path": "/c", "mountPath": "/c", "init": {"fill": {"cmd": "fill /c"}}}},
    "files": {"f": {"content": {"f.txt": "text"}}},
    "patches": {"b": {"p": {"merge": {"spec": {"hostIPC": True}}}}},
    "presets": {"p": {"environment": {"nodeSelector": {"pool": "p"}}, "sidecars": {"log": {"connections": ["c"]}}}},
}
OBJECTS = {
    "autoscaling": {"owner": "hpa", "max": 4, "metrics": {"m": {"type": "Pods", "pods": {}}}},
    "connections": ["c"],
    "disruptionBudget": {"minAvailable": 1},
    "environment": {"serviceAccount": {"rules": [{"verbs": ["get"]}]}},
    "expose": {"port": "http", "annotations": {"x": "y"}},
    "files": {"f": "/f"},
    "init": {"warm": {"cmd": "warm", "connections": ["c"]}},
    "lifecycle": "auxiliary",
    "presets": ["p"],
    "rollout": {"partition": 1},
    "workload": "StatefulSet",
}
GROUPS = {"a": {"replicas": 2}, "b": {"container": {"ports": {"http": 80}}, **OBJECTS}, "c": {}}


@pytest.mark.parametrize(
    "groups",
    [
        {**GROUPS, "aa": {}},
        {key: GROUPS[key] for key in ("b", "c")},
        {**{key: GROUPS[key] for key in ("b", "c")}, "z": GROUPS["a"]},
        {**GROUPS, "a": {"replicas": 99, "container": {"env": {"X": "1"}}}},
        {**GROUPS, "a": OBJECTS | {"expose": None}},
        {**GROUPS, "a": None},
    ],
    ids=["added", "removed", "renamed", "changed", "with objects", "null"],
)
def test_what_happens_to_one_group_leaves_every_byte_of_the_others(chart: Chart, groups: Values) -> None:
    before, after = chart.text(operation(GROUPS, **ROOT)), chart.text(operation(groups, **ROOT))
    assert len(by_group(before, "b")) == 9
    assert by_group(before, "b") == by_group(after, "b")
    assert by_group(before, "c") == by_group(after, "c")


def rolls_with_others(values: Values, name: str) -> bool:
    """Tell whether a group is rolled out together with others, by itself or by a preset."""
    group = values["groups"][name] or {}
    layers = [group, *(values.get("presets", {}).get(preset) or {} for preset in group.get("presets") or ())]
    return any((layer.get("rollout") or {}).get("coordinated") for layer in layers)


@every_file
def test_a_new_image_of_one_group_changes_that_groups_objects_alone(chart4: Chart, file: Path) -> None:
    values = written(file)
    name = min(name for name in values["groups"] if not rolls_with_others(values, name))
    group = values["groups"][name] or {}
    changed = {**group, "container": {**(group.get("container") or {}), "image": "example/new:9"}}
    before, after = chart4.text(file), chart4.text({**values, "groups": {**values["groups"], name: changed}})
    assert by_group(before, name) != by_group(after, name)
    assert by_group(before, name, others=True) == by_group(after, name, others=True)


def test_the_chart_knows_no_scheduler() -> None:
    text = "".join(path.read_text() for path in CHART.glob("**/*.tpl")) + (CHART / "values.schema.json").read_text()
    found = re.findall(r"volcano|kueue|kai\.|scheduling\.k8s\.io|schedulerName|backend\W+native", text, re.IGNORECASE)
    assert found == []


def test_the_chart_reads_nothing_that_changes_between_two_renderings() -> None:
    text = "".join(path.read_text() for path in CHART.glob("**/templates/*.*"))
    assert not re.findall(r"\blookup\b|\brand|\bnow\b|\.Revision|\.IsInstall|\.IsUpgrade|genCA|uuidv4", text)
    assert text.count(".Capabilities") == 1


def test_values_of_ci_show_every_field_of_a_group_and_of_what_groups_use() -> None:
    found = {path for file in RENDERING_FILES for path in schema.shown(yaml.load(file.read_text(), yaml.CSafeLoader))}
    fields = {path[1:] if path[0] == "defaults" else path[2:] for path in found if path[0] in schema.GROUPS}
    asked = [path for path in schema.documented() if path[0] in {"connections", "defaults", "files"}]
    assert len(asked) > 100
    left = [path for path in sorted(asked) if path not in found and path[1:] not in fields]
    # What only few backends know is held by the tests of those, and by test_admission.
    admission = [("defaults", "admission", field) for field in ("maxRunTime", "queue")]
    assert left == [*admission, ("defaults", "locality", "segment")]


TEMPLATES = sorted(path for path in CHART.glob("**/templates/*") if path.is_file())


def test_every_define_says_what_it_is_for() -> None:
    lines = [(before, line) for path in TEMPLATES for before, line in pairwise(["", *path.read_text().splitlines()])]
    defines = [(before, line) for before, line in lines if "{{- define " in line]
    assert len(defines) > 40
    assert [line for before, line in defines if not re.fullmatch(r"\{\{/\* [A-Z].*[.] \*/\}\}", before)] == []
