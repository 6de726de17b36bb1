"""Autoscaled groups on the real control plane: whose word on replicas counts, and what turning it on does."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest

from tests.cluster import operations
from tests.cluster.api import Json, wait_for
from tests.cluster.namespaces import Namespace
from tests.support.roster import CHART, PlainHelm
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
    namespace: Namespace, roster4: Runner, tmp_path: Path
) -> None:
    operations.install(roster4, "op", operations.write(tmp_path, values(namespace, replicas=3)))
    scaled = operations.write(tmp_path, values(namespace, autoscaling=OWNERS["external"]))
    done = roster4.attempt("upgrade", "op", "-f", scaled)
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


def gang(namespace: Namespace, **work: Any) -> Json:
    """Return a gang of four, placed natively."""
    group = operations.group(namespace, 4, gpus=1)
    del group["replicas"]
    return operations.values({"work": {**group, **work}}, gangs={"g": {"work": {"min": 4, "elastic": True}}})


def asked(namespace: Namespace) -> int:
    found = namespace.get("apps/v1", "StatefulSet", "op-work")
    return int(found["spec"]["replicas"]) if found else 0


def test_a_new_gang_waits_whole_for_its_autoscaler(namespace: Namespace, roster4: Runner, tmp_path: Path) -> None:
    namespace.add_nodes(4)
    scaled = gang(namespace, autoscaling={**OWNERS["external"], "min": 4})
    operations.install(roster4, "op", operations.write(tmp_path, scaled))
    seen = operations.status(roster4, "op")
    assert (asked(namespace), namespace.bound(), seen["verdict"]) == (1, 0, "WaitingForPlacement")


def test_a_new_gang_starts_once_its_autoscaler_without_metrics_has_raised_it(
    namespace: Namespace, roster4: Runner, tmp_path: Path
) -> None:
    namespace.add_nodes(4)
    scaled = gang(namespace, autoscaling={**OWNERS["hpa"], "min": 4})
    operations.install(roster4, "op", operations.write(tmp_path, scaled))
    wait_for(namespace.bound, 60, "the whole gang is bound", until=lambda bound: bound == 4)


def test_plain_helm_resets_a_gang_whose_autoscaling_begins(namespace: Namespace, helm: Runner, tmp_path: Path) -> None:
    """The HorizontalPodAutoscaler raises it again, but within seconds three of the four pods are gone."""
    plain = PlainHelm(helm)
    plain("install", "op", CHART, "-f", operations.write(tmp_path, gang(namespace, replicas=4)))
    scaled = gang(namespace, autoscaling={**OWNERS["external"], "min": 4})
    plain("upgrade", "op", CHART, "-f", operations.write(tmp_path, scaled))
    assert asked(namespace) == 1


def test_on_helm_4_replicas_that_somebody_else_applied_too_outlive_the_hand_over(
    namespace: Namespace, roster4: Runner, kubectl: Runner, tmp_path: Path
) -> None:
    operations.install(roster4, "op", operations.write(tmp_path, gang(namespace, replicas=4)))
    own = {"apiVersion": "apps/v1", "kind": "StatefulSet", "metadata": {"name": "op-work"}, "spec": {"replicas": 4}}
    (tmp_path / "own.yaml").write_text(json.dumps(own))
    kubectl("apply", "--server-side", "--field-manager=hand-over", "-f", tmp_path / "own.yaml")
    scaled = operations.write(tmp_path, gang(namespace, autoscaling={**OWNERS["external"], "min": 4}))
    roster4("upgrade", "op", "-f", scaled, "--hand-over-replicas")
    assert asked(namespace) == 4


def test_turning_autoscaling_off_sets_the_replicas(
    namespace: Namespace, helm: Runner, kubectl: Runner, tmp_path: Path
) -> None:
    made = values(namespace, autoscaling=OWNERS["external"])
    helm("install", "op", CHART, "-f", operations.write(tmp_path, made))
    kubectl("scale", "deployment/op-web", "--replicas=5")
    helm("upgrade", "op", CHART, "-f", operations.write(tmp_path, values(namespace, replicas=3)))
    assert replicas(namespace) == 3


@pytest.mark.parametrize(("owner", "held", "running", "refused"), [("hpa", 1, 3, True), ("external", 3, 1, False)])
def test_a_plan_against_the_release_foretells_by_what_runs_whether_upgrade_refuses(  # noqa: PLR0917
    namespace: Namespace, roster4: Runner, kubectl: Runner, tmp_path: Path,
    owner: str, held: int, running: int, refused: bool,  # noqa: FBT001
) -> None:  # fmt: skip
    operations.install(roster4, "op", operations.write(tmp_path, values(namespace, replicas=held)))
    kubectl("scale", "deployment/op-web", f"--replicas={running}")
    scaled = operations.write(tmp_path, values(namespace, autoscaling=OWNERS[owner]))
    plan = json.loads(roster4("plan", "--against", "op", "-f", scaled, "-o", "json").stdout)
    foretold = any('plain helm upgrade would do it: group "web": autoscaling' in line for line in plan["warnings"])
    done = roster4.attempt("upgrade", "op", "-f", scaled, "--force-conflicts")
    assert (foretold, done.returncode) == (refused, int(refused))


def test_all_that_stands_beside_the_pods_is_accepted_and_goes_with_a_cancel(
    namespace: Namespace, roster4: Runner
) -> None:
    operations.install(roster4, "op", CHART / "ci" / "objects-values.yaml")
    kinds = {name.partition("/")[0] for name in namespace.everything()}
    assert kinds >= {"HorizontalPodAutoscaler", "PodDisruptionBudget", "ServiceAccount", "Role", "RoleBinding"}
    roster4("cancel", "op")
    assert namespace.everything() == []


def test_where_keda_is_not_served_nothing_is_applied(namespace: Namespace, roster4: Runner, tmp_path: Path) -> None:
    queue = {"type": "prometheus", "metadata": {"query": "queued", "threshold": "10"}}
    scaled = values(namespace, autoscaling={"owner": "keda", "max": 8, "triggers": {"queue": queue}})
    done = roster4.attempt("install", "op", "-f", operations.write(tmp_path, scaled))
    said = (
        "the cluster does not serve ScaledObject (keda.sh/v1alpha1), of which these values make an object: install "
        'KEDA 2 (https://keda.sh), or set autoscaling.owner: hpa of group "web"'
    )
    assert (done.returncode, done.stderr, namespace.everything()) == (1, f"Error: {said}\n", [])
