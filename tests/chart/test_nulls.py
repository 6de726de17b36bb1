"""null at every key of the values: it renders, or it is refused in words.

All keys of a group are tried in one rendering, one group for each, since groups do not know each other.
"""

from __future__ import annotations

import copy
from typing import Any

import pytest
import yaml

from tests.chart import manual, schema
from tests.chart.rendering import Chart, Values
from tests.support.roster import CHART

SAMPLE: Values = manual.uncommented()  # type: ignore[assignment]
GROUP_PATHS = sorted({path[1:] for path, _ in schema.walk() if path[0] == "defaults" and len(path) > 1})
ROOT_PATHS = sorted({path for path, _ in schema.walk() if path[0] not in {"defaults", "groups", *schema.NOT_OURS}})
GANGS: Values = yaml.safe_load((CHART / "ci" / "gang-values.yaml").read_text())
WORDS = ("execution error at", "values don't meet the specifications")


def group_with_null(path: tuple[str, ...]) -> Values:
    """Return the manual's group with null at a path, cleared of what the manual shows side by side."""
    group: Values = copy.deepcopy(SAMPLE["defaults"])
    for field in ("cmd", "router", "unset"):
        if path[0] != field:
            del group[field]
    set_null(group, path)
    return group


def set_null(values: Values, path: tuple[str, ...]) -> None:
    node: Any = values
    for key in path[:-1]:
        node = node.setdefault(key, {})
    if isinstance(node, dict):
        node[path[-1]] = None


def test_null_at_every_field_of_a_group_counts_as_absent(chart: Chart) -> None:
    groups = {f"g-{index}": group_with_null(path) for index, path in enumerate(GROUP_PATHS)}
    values = {
        "presets": {"h200": SAMPLE["presets"]["h200"]},
        "defaults": {"container": {"image": "example/app:1"}, "replicas": 1},
        "groups": {name: group for name, group in groups.items() if not _is_image(group)},
    }
    assert len(chart.render(values).workloads()) == len(values["groups"]) > 50


def _is_image(group: Values) -> bool:
    container = group.get("container")
    return not container or container.get("image") is None


@pytest.mark.parametrize("path", ROOT_PATHS, ids=".".join)
def test_null_elsewhere_renders_or_is_refused_in_words(chart4: Chart, path: tuple[str, ...]) -> None:
    values = copy.deepcopy({**SAMPLE, "defaults": GANGS["defaults"]})
    values["groups"] = {"worker": {"replicas": 4}}
    values["scheduling"]["placement"]["backend"] = "native"
    values["operation"] = {"kind": "job", "job": {"backoffLimit": 1}}
    set_null(values, path)
    done = chart4.attempt(values)
    assert done.returncode == 0 or any(words in done.stderr for words in WORDS), done.stderr


@pytest.mark.parametrize("values", [{"groups": None}, {"groups": {"a": None}}])
def test_an_operation_without_groups_is_refused(chart: Chart, values: Values) -> None:
    assert chart.refusal(values).startswith("groups: none")
