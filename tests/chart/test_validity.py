"""Rendered objects of built-in kinds are what the API server of Kubernetes accepts, to its strict schema."""

from __future__ import annotations

from pathlib import Path

import pytest
from kubernetes_validate import ValidationError

from tests.chart import validity
from tests.chart.rendering import RENDERING_FILES, Chart, operation


@pytest.mark.parametrize("file", RENDERING_FILES, ids=lambda file: f"{file.parent.name}-{file.stem}")
def test_objects_meet_the_strict_schema(chart4: Chart, file: Path) -> None:
    validity.check(chart4.render(file).all)


def test_one_unknown_field_among_many_objects_is_found(chart4: Chart) -> None:
    objects = chart4.render(operation({"a": {}, "b": {}}))
    objects.pod("b")["@tolerations"] = []
    with pytest.raises(ValidationError, match="@tolerations"):
        validity.check(objects.all)
