"""What the KAI backend renders, before the real API server; what KAI does with it, on the real scheduler."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest

from helm_roster import constants
from helm_roster.backends import kai as backend

from tests.cluster import fates, operations, schedulers
from tests.cluster.api import Json, stays, wait_for
from tests.cluster.namespaces import Namespace
from tests.cluster.schedulers import Scheduler
from tests.support.runner import Runner
from tests.unit import builders
from tests.unit.builders import gang, group

Strict = Callable[[Iterable[Json]], None]
GROUPS = {"learner": group(4, accelerators=1), "actor": group(8, accelerators=1), "router": group(1, kind="Deployment")}
HELD, BINDS = 2.0, 60.0
RACK = {"within": "rack", "label": "example.com/rack", "topology": "cluster"}


@pytest.mark.parametrize(
    "more",
    [
        {},
        {"locality": RACK},
        {"locality": RACK | {"required": False}},
        {"stalenessGracePeriod": 90},
        {"stalenessGracePeriod": -1, "preemption": "gang"},
    ],
    ids=str,
)
def test_every_pod_group_passes_strict_validation(strict: Strict, more: dict[str, Any]) -> None:
    step = gang(learner=(4, False), actor=(2, True)) | more
    step["members"]["actor"]["locality"] = RACK
    strict(backend.objects(builders.plan(GROUPS, {"step": step}, backend="kai", queue="research")))


class Operation:
    """An operation that KAI places, as plain Helm installs it, and its pods by group."""

    def __init__(self, kai: Scheduler, namespace: Namespace, run: Runner, folder: Path) -> None:
        self.kai, self.namespace, self.run, self.folder = kai, namespace, run, folder

    def install(self, groups: Json, *, gang: Json | None = None, name: str = "rl", **more: Any) -> Path:
        """Install groups, those that ``gang`` (its settings) names in a gang; ``more`` is scheduling's."""
        gangs = {"gangs": {"step": gang}} if gang else {}
        placement = {"scheduling": {"placement": self.kai.placement, **gangs}}
        values = operations.write(self.folder, operations.values(groups, **placement, **more))
        operations.install(self.run, name, values)
        return values

    def upgrade(self, values: Json) -> None:
        """Upgrade by our command line."""
        self.run("upgrade", "rl", "-f", operations.write(self.folder, values))

    def bound(self, group: str) -> dict[str, str]:
        """Return the uids of the group's pods that have a node."""
        pods = self.namespace.pods(f"{constants.GROUP_LABEL}={group}")
        return {pod["metadata"]["name"]: pod["metadata"]["uid"] for pod in pods if "nodeName" in pod["spec"]}

    def wait(self, **counts: int) -> None:
        """Wait until so many pods of these groups have a node."""
        wait_for(
            lambda: {name: len(self.bound(name)) for name in counts},
            BINDS,
            str(counts),
            until=lambda seen: seen == counts,
        )


@pytest.fixture
def operation(kai: Scheduler, namespace: Namespace, roster4: Runner, tmp_path: Path) -> Operation:
    return Operation(kai, namespace, roster4, tmp_path)


def test_order_decides_where_not_every_node_fits_every_member(operation: Operation) -> None:
    namespace = operation.namespace
    namespace.add_nodes(2, labels={"disk": "fast"})
    namespace.add_nodes(2)
    groups = {name: operations.group(namespace, 2, gpus=1) for name in ("any", "picky")}
    groups["picky"]["environment"]["nodeSelector"]["disk"] = "fast"
    operation.install(groups, gang={"members": {"any": {"order": 1}, "picky": {}}})
    operation.wait(any=2, picky=2)


def test_a_gang_below_its_minimum_runs_on_where_its_grace_period_never_ends(operation: Operation) -> None:
    namespace = operation.namespace
    namespace.add_node()
    lost = namespace.add_node()
    operation.install(
        {"worker": operations.group(namespace, 2, gpus=1)},
        gang={"stalenessGracePeriod": "never", "members": {"worker": {}}},
    )
    operation.wait(worker=2)
    (gone,) = [pod["metadata"]["name"] for pod in namespace.pods() if pod["spec"]["nodeName"] == lost]
    namespace.remove_node(lost)
    namespace.delete("v1", "Pod", gone, gracePeriodSeconds=0)
    wait_for(lambda: namespace.pod(gone), BINDS, "a new pod", until=lambda pod: pod and "nodeName" not in pod["spec"])
    stays(lambda: len(operation.bound("worker")), HELD, "the survivor", until=lambda count: count == 1)
    namespace.add_node()
    operation.wait(worker=2)


def test_groups_outside_gangs_are_placed_one_by_one_go_to_nothing_and_come_back(operation: Operation) -> None:
    namespace = operation.namespace
    namespace.add_nodes(2)
    groups = {"web": operations.group(namespace, 3, gpus=1)}
    values = operations.values(groups, scheduling={"placement": operation.kai.placement})
    operations.install(operation.run, "rl", operations.write(operation.folder, values))
    operation.wait(web=2)
    for replicas in (0, 2):
        groups["web"]["replicas"] = replicas
        operation.upgrade(values)
        operation.wait(web=replicas)


def test_the_pods_of_a_job_in_a_gang_begin_together_and_complete(operation: Operation) -> None:
    operation.namespace.add_nodes(2)
    groups = {"worker": operations.group(operation.namespace, 2, gpus=1, fate=fates.annotate("completes"))}
    operation.install(groups, gang={"members": {"worker": {}}}, kind="job")
    wait_for(
        lambda: operations.status(operation.run, "rl")["verdict"],
        BINDS,
        "the end",
        until=lambda seen: seen == "Complete",
    )


def test_a_gang_of_higher_priority_takes_pods_above_the_minimum_first_and_then_the_whole_gang(
    operation: Operation,
) -> None:
    namespace = operation.namespace
    namespace.add_nodes(3)
    low = {"low": operations.group(namespace, 3, gpus=1)}
    operation.install(low, gang={"members": {"low": {"min": 2}}})
    operation.wait(low=3)
    for name, count, left in (("one", 1, 2), ("two", 2, 0)):
        high = operations.group(namespace, count, gpus=1)
        high["environment"]["priorityClassName"] = "build"
        operation.install({name: high}, gang={"members": {name: {}}}, name=name)
        operation.wait(**{name: count, "low": left})


def test_install_stops_at_a_queue_that_has_queues_below_it(operation: Operation) -> None:
    groups = {"web": operations.group(operation.namespace, 1)}
    placement = {**operation.kai.placement, "queue": schedulers.KAI_PARENT}
    values = operations.write(operation.folder, operations.values(groups, scheduling={"placement": placement}))
    refused = operation.run.attempt("install", "rl", "-f", values)
    assert refused.returncode == 1
    assert f'KAI places nothing in queue "{schedulers.KAI_PARENT}", which has queues below it' in refused.stderr
    assert operation.namespace.everything() == []


def test_status_names_what_keeps_kai_from_a_queue_whose_words_say_nothing(operation: Operation) -> None:
    namespace = operation.namespace
    queues = {namespace.name: schedulers.KAI_PARENT, f"{namespace.name}-below": namespace.name}
    namespace.create(*(schedulers.kai_queue(name, parent) for name, parent in queues.items()))
    namespace.add_nodes(2)
    placement = {**operation.kai.placement, "queue": namespace.name}
    groups = {"worker": operations.group(namespace, 2, gpus=1)}
    gangs = {"step": {"members": {"worker": {}}}}
    values = operations.values(groups, scheduling={"placement": placement, "gangs": gangs})
    operations.install(operation.run, "rl", operations.write(operation.folder, values))
    wait_for(
        lambda: [found["message"] for found in operations.status(operation.run, "rl")["gangs"]],
        BINDS,
        "the reason",
        until=lambda told: any(f'places nothing in queue "{namespace.name}"' in message for message in told),
    )
