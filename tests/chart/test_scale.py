"""Rendering takes time in proportion to what is rendered: nothing is copied or searched per group."""

from __future__ import annotations

import resource

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


def cpu_seconds(chart: Chart, count: int) -> float:
    """Return the processor time that rendering takes, which other work on the machine does not lengthen."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    chart.text(operation_of(count))
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


@pytest.mark.timeout(120)
def test_ten_times_the_groups_cost_about_ten_times_the_work(chart4: Chart) -> None:
    start, few, many = (min(cpu_seconds(chart4, count) for _ in range(2)) for count in (1, 40, 400))
    assert (many - start) / (few - start) < 20
