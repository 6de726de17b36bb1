"""The keys of lists are those that the API itself declares; its schemas come with kubernetes-validate."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import kubernetes_validate
import pytest

from helm_roster.manifests import lists
from helm_roster.manifests.lists import Field
from helm_roster.patches import merge

SCHEMAS = Path(kubernetes_validate.__file__).parent / "kubernetes-json-schema" / "v1.37.0-local"
# The API's types, and the fields in which they stand.
TYPES = {
    "podspec-v1": ("spec",),
    "container-v1": lists.CONTAINERS,
    "servicespec-v1": ("spec",),
    "resourcerequirements-v1": ("resources",),
    "podsecuritycontext-v1": ("securityContext",),
    "serviceaccount-v1": ("",),
}
WORKLOADS = dict.fromkeys(["deploymentspec-apps-v1", "statefulsetspec-apps-v1", "jobspec-batch-v1"], ("spec",))
# Kubernetes replaces these whole, and the chart's values merge them.
OURS = {"tolerations"}


def fields(name: str) -> Iterator[tuple[str, dict[str, Any]]]:
    properties = json.loads((SCHEMAS / f"{name}.json").read_text())["properties"]
    yield from ((field, schema) for field, schema in properties.items() if field not in OURS)


@pytest.mark.parametrize(("name", "parent"), [(name, parent) for name in TYPES for parent in TYPES[name]])
def test_lists_have_the_keys_of_the_api(name: str, parent: str) -> None:
    arrays = {field: schema for field, schema in fields(name) if "array" in str(schema.get("type"))}
    declared = {field: tuple(schema.get("x-kubernetes-list-map-keys") or ()) for field, schema in arrays.items()}
    assert {field: lists.keys(Field(parent, field)) for field in arrays} == declared


@pytest.mark.parametrize("name", [*TYPES, *WORKLOADS])
def test_only_stated_fields_are_kept_where_the_api_says_so(name: str) -> None:
    declared = {
        field for field, schema in fields(name) if "retainKeys" in schema.get("x-kubernetes-patch-strategy", "")
    }
    ours = merge._RETAINED - {Field(container, "env") for container in lists.CONTAINERS}
    parents = (TYPES | WORKLOADS)[name]
    assert {field for field, _ in fields(name) for parent in parents if Field(parent, field) in ours} == declared


def test_a_list_is_known_by_where_it_stands_and_not_by_its_name_alone() -> None:
    assert lists.keys(Field("data", "env")) == lists.keys(Field("metadata", "volumes")) == ()
    assert list(lists.faults({"data": {"env": "A=1", "args": "x"}})) == []


def test_the_pods_of_a_workload_and_a_pod_template_have_the_same_fields() -> None:
    pod = {"spec": {"containers": [{"name": "a", "env": [1]}]}}
    assert list(lists.faults(pod)) == ["/spec/containers/a/env/0 is 1, which is no mapping"]
    (fault,) = lists.faults({"spec": {"template": pod}})
    assert fault.startswith("/spec/template/spec/containers/a/env/0 is")
