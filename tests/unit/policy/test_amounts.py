"""Quantities that are written in two ways, and what an upgrade from one to the other does."""

from __future__ import annotations

from typing import Any

import pytest

from helm_roster.manifests.walk import Manifest
from helm_roster.policy import changes
from helm_roster.policy.changes import Action

from tests.unit import builders

MAIN = "registry.example/engine:1"


def workload(kind: str, cpu: Any, size: Any) -> Manifest:
    """Return a workload of no group that says quantities wherever a pod or its claims do."""
    divisor = {"valueFrom": {"resourceFieldRef": {"resource": "limits.cpu", "divisor": cpu}}}
    container = {"name": "main", "image": MAIN, "env": [{"name": "CPUS", **divisor}],
                 "resources": {"limits": {"cpu": cpu, "memory": size}, "requests": {"cpu": cpu}}}  # fmt: skip
    pod = {"containers": [container], "volumes": [{"name": "shm", "emptyDir": {"sizeLimit": size}}]}
    claims = [{"metadata": {"name": "c"}, "spec": {"resources": {"requests": {"storage": size}}}}]
    spec = {"template": {"spec": pod}, **({"volumeClaimTemplates": claims} if kind == "StatefulSet" else {})}
    return {"apiVersion": builders.API_VERSIONS[kind], "kind": kind, "metadata": {"name": "x"}, "spec": spec}


def becomes(before: Manifest, after: Manifest) -> Action:
    (change,) = changes.compare([before], [after], changes.Ways("op")).objects
    return change.action


@pytest.mark.parametrize("kind", ["Deployment", "StatefulSet", "Job"])
@pytest.mark.parametrize("cpu", ["1.5", "1500m"])
def test_the_same_quantity_in_other_words_changes_nothing(kind: str, cpu: str) -> None:
    assert becomes(workload(kind, 1.5, "1Gi"), workload(kind, cpu, "1024Mi")) == "unchanged"


@pytest.mark.parametrize(
    ("kind", "action"), [("Deployment", "unchanged"), ("StatefulSet", "rolls"), ("Job", "unchanged")]
)
def test_the_same_bytes_in_another_notation_roll_a_stateful_set_alone(kind: str, action: Action) -> None:
    assert becomes(workload(kind, 1, "1Gi"), workload(kind, 1, 2**30)) == action


@pytest.mark.parametrize(("kind", "action"), [("Deployment", "rolls"), ("StatefulSet", "rolls"), ("Job", "refused")])
def test_another_quantity_is_a_change(kind: str, action: Action) -> None:
    assert becomes(workload(kind, 1.5, "1Gi"), workload(kind, "1501m", "1Gi")) == action


def test_what_is_no_quantity_is_compared_as_it_is() -> None:
    assert becomes(workload("Deployment", "1", "x"), workload("Deployment", 1, "y")) == "rolls"


def test_a_claim_of_the_same_size_is_unchanged() -> None:
    sized = [
        {
            "kind": "PersistentVolumeClaim",
            "metadata": {"name": "c"},
            "spec": {"resources": {"requests": {"storage": of}}},
        }
        for of in ("1Gi", 2**30)
    ]
    assert becomes(sized[0], sized[1]) == "unchanged"


def test_of_a_kind_that_is_not_known_a_number_is_no_text() -> None:
    things = [{"kind": "Thing", "metadata": {"name": "t"}, "spec": {"limits": {"cpu": cpu}}} for cpu in (1, "1")]
    assert becomes(things[0], things[1]) == "changed"
