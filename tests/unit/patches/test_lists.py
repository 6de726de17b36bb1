"""The keys of lists are those that the API itself declares; its schemas come with kubernetes-validate."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import kubernetes_validate
import pytest

from helm_roster.patches import lists, merge

SCHEMAS = Path(kubernetes_validate.__file__).parent / "kubernetes-json-schema" / "v1.37.0-local"
TYPES = ("podspec-v1", "container-v1", "servicespec-v1", "resourcerequirements-v1", "podsecuritycontext-v1")
# Kubernetes replaces these whole, and the chart's values merge them.
OURS = {"tolerations"}


def fields(name: str) -> Iterator[tuple[str, dict[str, Any]]]:
    properties = json.loads((SCHEMAS / f"{name}.json").read_text())["properties"]
    yield from ((field, schema) for field, schema in properties.items() if field not in OURS)


@pytest.mark.parametrize("name", TYPES)
def test_lists_have_the_keys_of_the_api(name: str) -> None:
    entries = {"ports": [{"containerPort": 1}] if name == "container-v1" else [{"port": 1}]}
    arrays = {field: schema for field, schema in fields(name) if "array" in str(schema.get("type"))}
    declared = {field: tuple(schema.get("x-kubernetes-list-map-keys") or ()) for field, schema in arrays.items()}
    assert {field: lists.keys(field, entries.get(field, [])) for field in arrays} == declared


@pytest.mark.parametrize("name", [*TYPES, "deploymentspec-apps-v1", "statefulsetspec-apps-v1", "jobspec-batch-v1"])
def test_only_stated_fields_are_kept_where_the_api_says_so(name: str) -> None:
    declared = {
        field for field, schema in fields(name) if "retainKeys" in schema.get("x-kubernetes-patch-strategy", "")
    }
    assert {field for field, _ in fields(name) if field in merge._RETAINED - {"env"}} == declared
