"""Fields that the API does not know, and values that it would not take."""

from __future__ import annotations

import re
from typing import Any

import pytest

from helm_roster import errors
from helm_roster.patches import fields

from tests.unit.patches.objects import POD, WORKLOAD, changed, op, patch

Json = dict[str, Any]
IN_MAIN = "/spec/containers/main"
NOT_TAKEN: list[tuple[Json, str]] = [
    (op("add", "/spec/hostPid", value=True), '/spec/hostPid is no field of Kubernetes there; did you mean "hostPID"?'),
    (op("add", f"{IN_MAIN}/imagePullPolcy", "Always"), "/main/imagePullPolcy is no field of Kubernetes there"),
    (op("add", "/spec/hostPID", "yes"), '/spec/hostPID is "yes", which is neither true nor false'),
    (op("add", "/spec/terminationGracePeriodSeconds", "30"), '"30", which is no whole number'),
    (op("add", "/spec/terminationGracePeriodSeconds", 0.5), "is 0.5, which is no whole number"),
    (op("add", "/spec/terminationGracePeriodSeconds", float("inf")), "which is no whole number"),
    (op("add", "/spec/terminationGracePeriodSeconds", value=True), "is true, which is no whole number"),
    (op("add", "/spec/priorityClassName", 5), "/spec/priorityClassName is 5, which is no text: quote it"),
    (op("add", "/spec/dnsConfig", []), "/spec/dnsConfig is [], which is no mapping"),
    (op("add", "/spec/dnsConfig", {"searches": "x"}), '/spec/dnsConfig/searches is "x", which is no list'),
    (op("add", "/spec/dnsConfig", {"searches": [1]}), "/spec/dnsConfig/searches/0 is 1, which is no text"),
    (op("add", f"{IN_MAIN}/resources", {"limits": {"cpu": True}}), "/limits/cpu is true, which is no quantity"),
    (op("add", f"{IN_MAIN}/livenessProbe", {"httpGet": {"port": 1.5}}), "/httpGet/port is 1.5, which is neither a"),
    (op("add", "/spec/securityContext", {"runAsUser": "0"}), '/runAsUser is "0", which is no whole number'),
    (op("add", "/spec/volumes/-", {"name": "v", "csi": {"volumeAttributes": {"a": 1}}}), "/a is 1, which is"),
]


@pytest.mark.parametrize(("operation", "words"), NOT_TAKEN)
def test_what_the_api_does_not_take_is_named_by_its_path(operation: Json, words: str) -> None:
    with pytest.raises(errors.BadInputError, match=r"^patches\.decode\.x: /spec/template.*" + re.escape(words)):
        changed(patch("json", [operation]))


TAKEN = [
    op("add", "/spec/terminationGracePeriodSeconds", 30.0),
    op("add", "/spec/hostPID", value=False),
    op("add", "/spec/dnsConfig", None),
    op("add", f"{IN_MAIN}/resources", {"limits": {"cpu": 1.5, "memory": "2Gi"}}),
    op("add", f"{IN_MAIN}/livenessProbe", {"httpGet": {"port": "http"}}),
    op("add", "/spec/fieldOfTomorrow", {"a": 1}),
]


@pytest.mark.parametrize("operation", TAKEN)
def test_what_the_api_takes_or_a_newer_one_may_is_taken(operation: Json) -> None:
    assert changed(patch("json", [operation])) != WORKLOAD


def test_what_was_misspelt_before_the_patch_is_not_its_fault() -> None:
    before = WORKLOAD | {"spec": {**WORKLOAD["spec"], "template": {**POD, "spec": {**POD["spec"], "hostPid": True}}}}
    assert changed(patch("json", [op("add", "/spec/hostPID", value=True)]), before) != before


@pytest.mark.parametrize(
    ("data", "words"),
    [
        ({"apiVersion": "v1", "kind": "ConfigMap", "data": {"a": 1}}, "/data/a is 1, which is no text: quote it"),
        ({"apiVersion": "v1", "kind": "Service", "spec": {"sessionAffinty": "x"}}, 'did you mean "sessionAffinity"?'),
        ({"apiVersion": "apps/v1", "kind": "StatefulSet", "spec": {"minReadySeconds": "5"}}, "no whole number"),
        ({"apiVersion": "autoscaling/v2", "kind": "HorizontalPodAutoscaler", "spec": {"metric": []}}, '"metrics"?'),
        ({"apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "spec": {"minAvailable": [1]}}, "/minAvailable is"),
    ],
    ids=lambda value: value["kind"] if isinstance(value, dict) else "",
)
def test_companions_of_a_group_are_looked_at_too(data: Json, words: str) -> None:
    (fault,) = fields.faults(data)
    assert words in fault


def test_kinds_that_the_table_does_not_know_are_left_to_the_api() -> None:
    assert list(fields.faults({"apiVersion": "example.org/v1", "kind": "Deployment", "spec": 5})) == []
