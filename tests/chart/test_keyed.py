"""Lists of Kubernetes objects, which merge by key over the layers and may be written as lists or maps."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.chart.rendering import Chart, Values, layered

TOLERATION = {"key": "gpu", "operator": "Exists"}
CASES = yaml.safe_load((Path(__file__).parent / "merges.yaml").read_text())


def container(upper: Values) -> Values:
    return layered({"container": upper})


def nested(path: str, value: Any) -> Values:
    """Return a map with the value at a path of one or two keys."""
    outer, _, inner = path.partition(".")
    return {outer: {inner: value} if inner else value}


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["at"])
def test_entries_of_two_layers_merge_by_key(chart4: Chart, case: dict[str, Any]) -> None:
    at = case["at"]
    values = layered(nested(at, case["upper"]), defaults=nested(at, case["lower"]))
    pod = chart4.render(values).pod()
    found = pod["containers"][0] if at.startswith("container.") else pod
    assert found.get(at.rpartition(".")[2]) == case["expected"]


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
def test_entries_without_a_clear_key_are_refused(chart4: Chart, upper: Values, words: str) -> None:
    assert chart4.refusal(container(upper)).startswith(words)
