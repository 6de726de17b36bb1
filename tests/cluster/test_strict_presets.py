"""Pods and claims under the presets of the library are what the real API server takes, expressions and all."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from tests.chart import library
from tests.chart.rendering import Chart, Values
from tests.cluster.api import Json
from tests.support.runner import Runner

Strict = Callable[[Iterable[Json]], None]


def pods(chart: Chart, values: Values) -> Iterator[Json]:
    """Yield a pod of each group, and the templates of its claims."""
    objects = chart.render(values)
    yield from (entry for entry in objects.all if entry["kind"] == "ResourceClaimTemplate")
    for group in values["groups"]:
        template = objects.template(group)
        metadata = {"name": group, "namespace": "default", **template["metadata"]}
        yield {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": template["spec"]}


def test_pods_and_claims_under_each_preset_pass_strict_validation(strict: Strict, helm4: Runner) -> None:
    chart = Chart(helm4)
    judged = [entry for values in library.models(library.KNOWN) for entry in pods(chart, values)]
    assert len([entry for entry in judged if entry["kind"] == "Pod"]) >= len(library.KNOWN)
    strict(judged)
