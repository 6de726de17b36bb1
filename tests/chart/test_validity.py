"""Rendered objects of built-in kinds are what the API server of Kubernetes accepts, to its strict schema."""

from __future__ import annotations

from pathlib import Path

import kubernetes_validate
import pytest

from tests.chart.rendering import RENDERING_FILES, Chart

BUILT_IN = {"Deployment", "StatefulSet", "Job", "Service"}


@pytest.mark.parametrize("file", RENDERING_FILES, ids=lambda file: f"{file.parent.name}-{file.stem}")
def test_objects_meet_the_strict_schema(chart4: Chart, file: Path) -> None:
    objects = [entry for entry in chart4.render(file).all if entry["kind"] in BUILT_IN]
    assert objects
    for entry in objects:
        kubernetes_validate.validate(entry, "1.37", strict=True)
