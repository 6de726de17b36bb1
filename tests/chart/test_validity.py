"""Rendered objects are what the API server of Kubernetes accepts, to its strict schema."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from kubernetes_validate import SchemaNotFoundError, ValidationError

from tests.chart import validity
from tests.chart.rendering import RENDERING_FILES, Chart, operation
from tests.support import manifests
from tests.support.roster import EXAMPLES

OTHERS = re.compile(r"scheduling\.(volcano\.sh|run\.ai|x-k8s\.io)/")
EXPECTED = sorted(EXAMPLES.glob("*/expected.yaml"))


@pytest.mark.parametrize("file", RENDERING_FILES, ids=lambda file: f"{file.parent.name}-{file.stem}")
def test_objects_meet_the_strict_schema(chart4: Chart, file: Path) -> None:
    validity.check(chart4.render(file).all)


@pytest.mark.parametrize("file", EXPECTED, ids=lambda file: file.parent.name)
def test_what_the_renderer_makes_of_examples_meets_it_too(file: Path) -> None:
    """Kinds of other projects are held to their own definitions, on the API server."""
    objects = manifests.read(file.read_text())
    validity.check([entry for entry in objects if not OTHERS.match(entry["apiVersion"])])


def test_grouping_objects_are_among_them() -> None:
    kinds = {entry["kind"] for file in EXPECTED for entry in manifests.read(file.read_text())}
    assert kinds >= {"CompositePodGroup", "PodGroup", "Workload"}


def test_one_unknown_field_among_many_objects_is_found(chart4: Chart) -> None:
    objects = chart4.render(operation({"a": {}, "b": {}}))
    objects.pod("b")["@tolerations"] = []
    with pytest.raises(ValidationError, match="@tolerations"):
        validity.check(objects.all)


def test_an_object_of_an_unknown_kind_is_found(chart4: Chart) -> None:
    extra = {"apiVersion": "no.such/v1", "kind": "Herd", "metadata": {"name": "x"}}
    with pytest.raises(SchemaNotFoundError):
        validity.check(chart4.render(operation({"a": {}}, extraObjects=[extra])).all)
