"""Random layers, composed by the chart and by the reference model, come out alike, whatever the order of the groups."""

from __future__ import annotations

import random
from typing import Any

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from tests.chart import layering, oracle
from tests.chart.rendering import Chart, Objects, Values

OPERATIONS = st.randoms(use_true_random=True).map(layering.operation)
UNHURRIED = settings(
    max_examples=20,
    deadline=None,
    phases=[Phase.explicit, Phase.reuse, Phase.generate],  # every step of a shrinking costs a start of Helm
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


def expected(values: Values, name: str) -> Any:
    """Return the labels and the spec that the group's pods should have, the chart's own labels left out."""
    group = values["groups"][name]
    presets = [values["presets"][preset] for preset in group["presets"]]
    composed = oracle.compose(values["defaults"], presets, group)
    labels = composed.get("environment", {}).pop("labels", {})
    return labels, oracle.pod(composed)


def found(objects: Objects, name: str) -> Any:
    labels = objects.workload(name)["spec"]["template"]["metadata"]["labels"]
    own = {
        key: value for key, value in labels.items() if not key.startswith(("app.kubernetes.io/", "helm-roster.dev/"))
    }
    return own, objects.pod(name)


@given(OPERATIONS)
@UNHURRIED
def test_random_layers_are_composed_as_the_readme_says(chart4: Chart, values: Values) -> None:
    objects = chart4.render(values)
    assert {name: found(objects, name) for name in values["groups"]} == {
        name: expected(values, name) for name in values["groups"]
    }


@given(OPERATIONS, st.randoms(use_true_random=True))
@settings(UNHURRIED, max_examples=5)
def test_the_order_in_which_groups_and_presets_are_written_never_matters(
    chart4: Chart, values: Values, chance: random.Random
) -> None:
    turned = {key: dict(chance.sample(list(values[key].items()), len(values[key]))) for key in ("presets", "groups")}
    assert chart4.text({**values, **turned}) == chart4.text(values)
