"""Random layers, composed by the chart and by a plain second composition, come out alike."""

from __future__ import annotations

import random

import pytest

from tests.chart import oracle
from tests.chart.rendering import Chart, Values
from tests.chart.test_keyed import at

GROUPS = 60


def tree(layer: oracle.Layer) -> Values:
    """Return a layer as a person writes it."""
    found: Values = {}
    for path, value in layer.items():
        outer, _, inner = path.rpartition(".")
        (found.setdefault(outer, {}) if outer else found)[inner] = value
    if isinstance(layer.get("volumes"), dict):
        found["volumes"] = {key: value and {"emptyDir": value} for key, value in layer["volumes"].items()}
    return found


def presets_of(chance: random.Random) -> list[oracle.Layer]:
    return [{**oracle.layer(chance), "patchStrategy": chance.choice(oracle.STRATEGIES)} for _ in range(3)]


@pytest.mark.parametrize("seed", range(4))
def test_random_layers_are_composed_as_the_readme_says(chart4: Chart, seed: int) -> None:
    chance = random.Random(seed)  # noqa: S311 - nothing secret
    defaults = oracle.layer(chance)
    layers = [(oracle.layer(chance), presets_of(chance)) for _ in range(GROUPS)]
    presets = {f"p{i}-{j}": tree(preset) for i, (_, own) in enumerate(layers) for j, preset in enumerate(own)}
    groups = {
        f"g{i}": {**tree(group), "presets": [f"p{i}-{j}" for j in range(3)]} for i, (group, _) in enumerate(layers)
    }
    objects = chart4.render({"defaults": tree(defaults), "presets": presets, "groups": groups})
    for i, (group, own) in enumerate(layers):
        expected = oracle.compose(defaults, own, group)
        found = {path: at(objects.pod(f"g{i}"), path) for path in oracle.FIELDS}
        assert found == {path: expected.listed(path) for path in oracle.FIELDS}, (defaults, own, group)
