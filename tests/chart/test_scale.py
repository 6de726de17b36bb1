"""Rendering takes time in proportion to what is rendered: nothing is copied or searched per group."""

from __future__ import annotations

import resource
from collections.abc import Callable

import pytest

from tests.chart.rendering import GPU, Chart, Values
from tests.support.runner import Runner


def env(prefix: str) -> Values:
    return {f"{prefix}_{index:02d}": str(index) for index in range(20)}


def operation_of(count: int) -> Values:
    group = {"accelerators": 1, "presets": ["gpu"], "container": {"env": env("OWN"), "ports": {"http": 80}}}
    return {
        "defaults": {"container": {"image": "example/app:1", "env": env("SHARED")}},
        "presets": {"gpu": {**GPU, "container": {"env": env("OWN")}}},
        "groups": {f"g{index:04d}": group for index in range(count)},
    }


def connected_of(count: int) -> Values:
    """Return the same with what groups share besides: a connection of sidecar and init, files, required nodes."""
    values = operation_of(count)
    shared = {
        "sidecars": {"proxy": {"connections": ["cache"]}},
        "init": {"fetch": {"connections": ["cache"], "env": env("FETCH")}},
        "files": {"conf": "/etc/conf"},
        "environment": {"requireNodes": {"pool": {"key": "pool", "operator": "Exists"}}},
    }
    return {
        **values,
        "defaults": {**values["defaults"], **shared},
        "connections": {"cache": {"kind": "hostPath", "path": "/mnt", "mountPath": "/cache", "env": env("CACHE")}},
        "files": {"conf": {"content": {"a.yaml": "a: 1"}}},
    }


def cpu_seconds(chart: Chart, values: Values) -> float:
    """Return the processor time that rendering takes, which other work on the machine does not lengthen."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = chart.attempt(values)  # what `text` knows already costs nothing
    assert done.returncode == 0, done.stderr
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


@pytest.mark.timeout(180)
@pytest.mark.parametrize("made", [operation_of, connected_of], ids=["plain", "connected"])
def test_ten_times_the_groups_cost_about_ten_times_the_work(helm4: Runner, made: Callable[[int], Values]) -> None:
    start, few, many = (min(cpu_seconds(Chart(helm4), made(count)) for _ in range(2)) for count in (1, 40, 400))
    assert (many - start) / (few - start) < 20
