"""The real schedulers: they run, hold gangs without any of our code, and can be taken away."""

from __future__ import annotations

import pytest

from tests.cluster import processes, raw, schedulers
from tests.cluster.api import Json, stays, wait_for
from tests.cluster.namespaces import Namespace
from tests.cluster.schedulers import Scheduler

HELD = 2.0
BINDS = 60.0


def gang(scheduler: Scheduler, namespace: Namespace, minimum: int = 4) -> tuple[Json, Json]:
    """Return a gang's group object and a StatefulSet of that many pods with an accelerator each."""
    return raw.grouping(scheduler, namespace, "step", minimum), raw.member(scheduler, namespace, "step", minimum)


def test_a_gang_of_four_is_held_on_three_nodes_and_runs_on_four(placer: Scheduler, namespace: Namespace) -> None:
    namespace.add_nodes(3)
    namespace.create(*gang(placer, namespace))
    wait_for(namespace.pods, 30, "four pods", until=lambda pods: len(pods) == 4)
    stays(namespace.bound, HELD, "no bound pod", until=lambda count: count == 0)
    namespace.add_node()
    wait_for(namespace.bound, BINDS, "four bound pods", until=lambda count: count == 4)


def test_a_scheduler_that_is_down_places_nothing_and_does_so_when_it_is_back(
    placer: Scheduler, namespace: Namespace
) -> None:
    namespace.add_nodes(2)
    with placer.down():
        namespace.create(*gang(placer, namespace, 2))
        wait_for(namespace.pods, 30, "two pods", until=lambda pods: len(pods) == 2)
        stays(namespace.bound, HELD, "no bound pod", until=lambda count: count == 0)
    wait_for(namespace.bound, BINDS, "two bound pods", until=lambda count: count == 2)


def test_a_scheduler_that_has_died_is_told_with_the_end_of_its_log(placer: Scheduler) -> None:
    record = placer.cluster.components.record(placer.program)
    with placer.down():
        placer.cluster.records.append(record)
        told = rf"(?s)^{placer.program} \(pid {record.pid}\) has died; end of .*/logs/{placer.program}.log:\n"
        with pytest.raises(processes.ComponentError, match=told):
            placer.cluster.check()
        placer.cluster.records.remove(record)


def test_volcano_can_be_configured_otherwise_for_a_while(volcano: Scheduler, namespace: Namespace) -> None:
    namespace.add_nodes(2)
    with volcano.configured("enqueue, backfill"):
        namespace.create(*gang(volcano, namespace, 2))
        wait_for(namespace.pods, 30, "two pods", until=lambda pods: len(pods) == 2)
        stays(namespace.bound, HELD, "no bound pod without the action allocate", until=lambda count: count == 0)
    wait_for(namespace.bound, BINDS, "two bound pods", until=lambda count: count == 2)


def test_whoever_may_read_it_finds_volcanos_configuration(volcano: Scheduler) -> None:
    path = volcano.cluster.api.path("v1", "ConfigMap", schedulers.CONFIG_NAMESPACE, schedulers.CONFIG_MAP)
    text = volcano.cluster.api.get(path)["data"][schedulers.CONFIG_KEY]
    assert "network-topology-aware" in text


@pytest.mark.usefixtures("kai")
def test_objects_of_the_whole_cluster_go_with_the_namespace_that_made_them(
    volcano: Scheduler, namespace: Namespace
) -> None:
    api, name = namespace.api, namespace.name
    made = (
        {"apiVersion": "scheduling.volcano.sh/v1beta1", "kind": "Queue", "metadata": {"name": name}},
        schedulers.kai_queue(name, schedulers.KAI_PARENT),
        raw.hyper_node(name, 1, ["none"]),
        raw.topology(name, "rack", "kubernetes.io/hostname"),
    )
    namespace.create(*made, raw.grouping(volcano, namespace, "left", 2))
    paths = [api.path(item["apiVersion"], item["kind"], name, name) for item in made]
    assert all(map(api.find, paths))
    namespace.close()
    wait_for(lambda: [path for path in paths if api.find(path)], 30, "them to go", until=lambda left: not left)
    assert namespace.items("scheduling.volcano.sh/v1beta1", "PodGroup") == []
