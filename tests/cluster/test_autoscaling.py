"""Autoscaled groups on the real control plane: whose word on replicas counts, and what turning it on does."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import pytest

from tests.cluster import operations
from tests.cluster.api import Json
from tests.cluster.namespaces import Namespace
from tests.support.roster import CHART
from tests.support.runner import Runner

LOAD = {"type": "Pods", "pods": {"metric": {"name": "load"}, "target": {"type": "AverageValue", "averageValue": "1"}}}
OWNERS = {"hpa": {"owner": "hpa", "max": 8, "metrics": [LOAD]}, "external": {"owner": "external", "max": 8}}


def values(namespace: Namespace, **web: Any) -> Json:
    group = operations.group(namespace, 3)
    del group["replicas"]
    return operations.values({"web": {**group, **web}})


def changed(made: Json) -> Json:
    found = copy.deepcopy(made)
    found["groups"]["web"]["container"]["image"] = "registry.example/engine:2"
    return found


def replicas(namespace: Namespace) -> int:
    deployment = namespace.get("apps/v1", "Deployment", "op-web")
    assert deployment is not None
    return int(deployment["spec"]["replicas"])


def revisions(namespace: Namespace) -> int:
    return len(namespace.items("v1", "Secret", "owner=helm"))


@pytest.mark.parametrize("owner", OWNERS)
def test_an_upgrade_keeps_what_an_autoscaler_set(  # noqa: PLR0917
    namespace: Namespace, helm: Runner, roster4: Runner, kubectl: Runner, tmp_path: Path, owner: str
) -> None:
    made = values(namespace, autoscaling=OWNERS[owner])
    helm("install", "op", CHART, "-f", operations.write(tmp_path, made))
    kubectl("scale", "deployment/op-web", "--replicas=5")
    helm("upgrade", "op", CHART, "-f", operations.write(tmp_path, changed(made)))
    assert (replicas(namespace), revisions(namespace)) == (5, 2)
    assert operations.health(operations.status(roster4, "op"), "web")["desired"] == 5


def test_turning_autoscaling_on_is_refused_for_a_group_that_runs(
    namespace: Namespace, roster: Runner, tmp_path: Path
) -> None:
    operations.install(roster, "op", operations.write(tmp_path, values(namespace, replicas=3)))
    scaled = operations.write(tmp_path, values(namespace, autoscaling=OWNERS["external"]))
    done = roster.attempt("upgrade", "op", "-f", scaled)
    assert done.returncode == 1
    assert 'group "web": autoscaling takes "replicas: 3" out of Deployment op-web' in done.stderr
    assert (replicas(namespace), revisions(namespace)) == (3, 1)


def test_what_the_refusal_says_is_true(namespace: Namespace, roster: Runner, tmp_path: Path) -> None:
    operations.install(roster, "op", operations.write(tmp_path, values(namespace, replicas=3)))
    scaled = operations.write(tmp_path, values(namespace, autoscaling=OWNERS["external"]))
    roster("upgrade", "op", "-f", scaled, "--hand-over-replicas")
    assert replicas(namespace) == 1
    roster(
        "upgrade", "op", "-f", operations.write(tmp_path, changed(values(namespace, autoscaling=OWNERS["external"])))
    )


def test_turning_autoscaling_off_sets_the_replicas(
    namespace: Namespace, helm: Runner, kubectl: Runner, tmp_path: Path
) -> None:
    made = values(namespace, autoscaling=OWNERS["external"])
    helm("install", "op", CHART, "-f", operations.write(tmp_path, made))
    kubectl("scale", "deployment/op-web", "--replicas=5")
    helm("upgrade", "op", CHART, "-f", operations.write(tmp_path, values(namespace, replicas=3)))
    assert replicas(namespace) == 3


def test_a_plan_against_the_release_foretells_the_refusal(
    namespace: Namespace, roster4: Runner, tmp_path: Path
) -> None:
    operations.install(roster4, "op", operations.write(tmp_path, values(namespace, replicas=3)))
    scaled = operations.write(tmp_path, values(namespace, autoscaling=OWNERS["external"]))
    done = roster4("plan", "--against", "op", "-f", scaled)
    assert 'helm roster upgrade will refuse this: group "web": autoscaling takes' in " ".join(done.stdout.split())


def test_all_that_stands_beside_the_pods_is_accepted_and_goes_with_a_cancel(
    namespace: Namespace, roster4: Runner
) -> None:
    operations.install(roster4, "op", CHART / "ci" / "objects-values.yaml")
    kinds = {name.partition("/")[0] for name in namespace.everything()}
    assert kinds >= {"HorizontalPodAutoscaler", "PodDisruptionBudget", "ServiceAccount", "Role", "RoleBinding"}
    roster4("cancel", "op")
    assert namespace.everything() == []
