"""Cancel gives everything back in whatever state an operation is: ten of them, each made on the real control plane."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cluster import fates, interrupted, operations
from tests.cluster.api import Json, wait_for
from tests.cluster.namespaces import Namespace
from tests.support.roster import cli
from tests.support.runner import Runner

SLOW_END = 6


class Stage:
    """What brings an operation into a state: a gang of two learners and a web server, installed as it is asked for."""

    def __init__(self, namespace: Namespace, roster: Runner, folder: Path) -> None:
        self.namespace, self.roster, self.folder = namespace, roster, folder

    def values(self, *, gang: bool = True, fate: dict[str, str] | None = None, **more: Json) -> Path:
        """Write the values; without a gang the learners are placed one by one."""
        learner = operations.group(self.namespace, 2, gpus=1, fate=fate, workload="StatefulSet")
        groups = {"learner": learner, "web": operations.group(self.namespace, 1)}
        gangs = {"step": {"learner": {}}} if gang else None
        return operations.write(self.folder, operations.values(groups, gangs=gangs, **more))

    def install(self, *, nodes: int, **more: object) -> None:
        """Install on so many nodes of one accelerator each, and wait for all pods."""
        self.namespace.add_nodes(nodes)
        operations.install(self.roster, "op", self.values(**more))  # type: ignore[arg-type]
        wait_for(lambda: len(self.namespace.pods()), 60, "three pods", until=lambda seen: seen == 3)

    def until(self, look: Callable[[], object], what: str) -> None:
        """Wait until what is looked for is there."""
        wait_for(look, 60, what)

    def bound(self, count: int) -> None:
        """Wait until so many pods have a node."""
        wait_for(self.namespace.bound, 60, f"{count} pods bound", until=lambda seen: seen == count)


def gated(stage: Stage) -> None:
    gate = {"merge": {"spec": {"schedulingGates": [{"name": "example.com/quota"}]}}}
    stage.install(nodes=2, gang=False, patches={"learner": {"gate": gate}})
    held = "helm-roster.dev/group=learner"
    stage.until(lambda: all("schedulingGates" in pod["spec"] for pod in stage.namespace.pods(held)), "gated pods")


def pending(stage: Stage) -> None:
    stage.install(nodes=1)
    stage.bound(1)


def half_bound(stage: Stage) -> None:
    stage.install(nodes=1, gang=False)
    stage.bound(2)


def running(stage: Stage) -> None:
    stage.install(nodes=2)
    stage.until(lambda: all(pod["status"].get("phase") == "Running" for pod in stage.namespace.pods()), "running pods")


def crashing(stage: Stage) -> None:
    stage.install(nodes=2, fate=fates.annotate("failing"))
    stage.until(lambda: _reasons(stage) >= {"CrashLoopBackOff"}, "a crash")


def terminating_for_long(stage: Stage) -> None:
    stage.install(nodes=2, fate=fates.annotate(terminating_seconds=SLOW_END))
    stage.bound(3)
    stage.namespace.delete("v1", "Pod", "op-learner-0")


def never_installed_wholly(stage: Stage) -> None:
    with interrupted.helm(stage.roster, "install", stage.values()):
        stage.until(stage.namespace.pods, "pods")
    assert stage.namespace.items("v1", "Secret", "status=pending-install")
    stage.namespace.delete("apps/v1", "StatefulSet", "op-learner", propagationPolicy="Background")
    stage.namespace.delete("v1", "Service", "op-web")


def pending_upgrade(stage: Stage) -> None:
    stage.install(nodes=2)
    with interrupted.helm(stage.roster, "upgrade", stage.values(labels={"team": "b"})):
        stage.until(lambda: stage.namespace.items("v1", "Secret", "status=pending-upgrade"), "an upgrade that is on")


def objects_deleted_by_hand(stage: Stage) -> None:
    stage.install(nodes=2)
    stage.namespace.delete("apps/v1", "StatefulSet", "op-learner", propagationPolicy="Orphan")
    stage.namespace.delete("v1", "Service", "op-web")
    stage.namespace.delete("apps/v1", "Deployment", "op-web", propagationPolicy="Background")
    stage.until(lambda: len(stage.namespace.pods()) == 2, "orphans")


def namespace_terminating(stage: Stage) -> None:
    stage.install(nodes=2, fate=fates.annotate(terminating_seconds=SLOW_END))
    stage.bound(3)
    stage.namespace.api.delete(f"/api/v1/namespaces/{stage.namespace.name}")


STATES = (
    *(gated, pending, half_bound, running, crashing),
    *(terminating_for_long, never_installed_wholly, pending_upgrade, objects_deleted_by_hand, namespace_terminating),
)


@pytest.fixture
def roster_by_turns(request: pytest.FixtureRequest, state: Callable[[Stage], None]) -> Runner:
    """Our command line with Helm 3 and Helm 4 by turns: a state of each would cost minutes."""
    helm: Runner = request.getfixturevalue(("helm3", "helm4")[STATES.index(state) % 2])
    return cli(helm)


@pytest.mark.parametrize("state", STATES, ids=lambda state: state.__name__.replace("_", "-"))
def test_nothing_is_left(
    namespace: Namespace, roster_by_turns: Runner, tmp_path: Path, state: Callable[[Stage], None]
) -> None:
    state(Stage(namespace, roster_by_turns, tmp_path))
    done = roster_by_turns("cancel", "op")
    assert namespace.everything() == []
    assert done.stdout.endswith(" objects, nothing is left\n")


def _reasons(stage: Stage) -> set[str]:
    found = [status for pod in stage.namespace.pods() for status in pod["status"].get("containerStatuses", [])]
    return {status["state"].get("waiting", {}).get("reason") for status in found}
