"""Rendering takes time in proportion to what is rendered: nothing is copied or searched per group."""

from __future__ import annotations

import time

import pytest

from tests.chart.rendering import GPU, Chart, Values


def env(prefix: str) -> Values:
    return {f"{prefix}_{index:02d}": str(index) for index in range(20)}


def operation_of(count: int) -> Values:
    group = {"accelerators": 1, "presets": ["gpu"], "container": {"env": env("OWN"), "ports": {"http": 80}}}
    return {
        "defaults": {"container": {"image": "example/app:1", "env": env("SHARED")}},
        "presets": {"gpu": {**GPU, "container": {"env": env("OWN")}}},
        "groups": {f"g{index:04d}": group for index in range(count)},
    }


def seconds_per_megabyte(chart: Chart, count: int) -> float:
    values = operation_of(count)
    begun = time.monotonic()
    text = chart.text(values)
    return (time.monotonic() - begun) / (len(text) / 1e6)


@pytest.mark.timeout(120)
def test_a_thousand_groups_cost_as_much_per_byte_as_ten(chart4: Chart) -> None:
    few = min(seconds_per_megabyte(chart4, 10) for _ in range(3))
    assert seconds_per_megabyte(chart4, 1000) < 3 * few
