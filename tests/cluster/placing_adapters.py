"""What the schedulers do not do alike, and what a cluster's people make for them: by scheduler, for `placing`."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Mapping

from tests.cluster import raw, schedulers
from tests.cluster.api import Json, wait_for
from tests.cluster.namespaces import Namespace
from tests.cluster.nodes import GPU, POOL

RACK = "helm-roster.test/rack"


@dataclasses.dataclass(frozen=True)
class Adapter:
    """One scheduler.

    It takes `two_elastic` members in a gang or refuses them; a running gang of it `loses_members` without a restart or
    not; below its minimum it `evicts` the gang or not. A foreign pod that waits `takes` the place of the first member
    that is replaced, or may come too late. `gang` is what shortens a test of its gangs. `outside` makes pods in no gang
    of a StatefulSet and its grouping object: of both, where the scheduler takes no pod without the latter.

    `topology` makes the objects that tell it of racks, whose kind is `racks`; `queue` makes a queue that nothing
    limits, `small_queue` one of so many accelerators, `bad_queues` such as hold back whatever is in them, each by what
    is wrong with it. `priorities` are two PriorityClasses that the cluster has, the lower first; without them a test
    makes its own.
    """

    two_elastic: bool = True
    loses_members: bool = True
    evicts: bool = False
    takes: bool = True
    gang: Json = dataclasses.field(default_factory=dict)
    outside: Callable[[Json, Json], list[Json]] = lambda made, grouping: [grouping, made]
    racks: str = ""
    topology: Callable[[Namespace, Iterable[str]], list[Json]] = lambda _, __: []
    queue: Callable[[Namespace], list[Json]] = lambda _: []
    small_queue: Callable[[Namespace, int], list[Json]] = lambda _, __: []
    bad_queues: Mapping[str, Callable[[Namespace], None]] = dataclasses.field(default_factory=dict)
    priorities: tuple[str, ...] = ()


def _hyper_nodes(namespace: Namespace, racks: Iterable[str]) -> list[Json]:
    labels = ({POOL: namespace.name, RACK: rack} for rack in racks)
    selectors = ({"labelMatch": {"matchLabels": found}} for found in labels)
    members = ([{"type": "Node", "selector": selector}] for selector in selectors)
    return [
        raw.hyper_node(f"{namespace.name}-{number}", 1, []) | {"spec": {"tier": 1, "members": found}}
        for number, found in enumerate(members)
    ]


def _topology(namespace: Namespace, racks: Iterable[str]) -> list[Json]:
    del racks
    return [raw.topology(namespace.name, RACK)]


def _bare(made: Json, grouping: Json) -> list[Json]:
    del grouping
    made["spec"]["template"]["spec"].pop("schedulingGroup")
    return [made]


def _queue(namespace: Namespace) -> list[Json]:
    kind = {"apiVersion": "scheduling.volcano.sh/v1beta1", "kind": "Queue", "metadata": {"name": namespace.name}}
    return [{**kind, "spec": {"weight": 1}}]


def _capable(namespace: Namespace, gpus: int) -> list[Json]:
    """Return a queue that may use so many accelerators, and of all else what it likes."""
    (queue,) = _queue(namespace)
    return [{**queue, "spec": {**queue["spec"], "capability": {GPU: str(gpus)}}}]


def _closed(namespace: Namespace) -> None:
    namespace.create(*_queue(namespace))
    path = namespace.path("scheduling.volcano.sh/v1beta1", "Queue", namespace.name)
    wait_for(lambda: namespace.api.get(path).get("status"), 30, "the queue to open")
    namespace.api.patch(f"{path}/status", {"status": {"state": "Closed"}})


def _limited(namespace: Namespace, gpus: int) -> list[Json]:
    return [schedulers.kai_queue(namespace.name, schedulers.KAI_PARENT, gpus=gpus)]


def _leaf(namespace: Namespace) -> list[Json]:
    return [schedulers.kai_queue(namespace.name, schedulers.KAI_PARENT)]


def _parent(namespace: Namespace) -> None:
    name = namespace.name
    namespace.create(schedulers.kai_queue(name), schedulers.kai_queue(f"{name}-leaf", name))


ADAPTERS = {
    "default": Adapter(),
    "native": Adapter(two_elastic=False, loses_members=False, outside=_bare),
    "volcano": Adapter(
        racks="HyperNode",
        topology=_hyper_nodes,
        queue=_queue,
        small_queue=_capable,
        bad_queues={"is Closed": _closed},
    ),
    "kai": Adapter(
        evicts=True,
        takes=False,
        gang={"stalenessGracePeriod": "3s"},
        racks="Topology",
        topology=_topology,
        queue=_leaf,
        small_queue=_limited,
        bad_queues={"has queues below it": _parent},
        priorities=("train", "build"),
    ),
}


def levels(namespace: Namespace) -> Json:
    """Return the values of scheduling.topology.levels for racks, for all schedulers."""
    return {"rack": {"label": RACK, "tier": 1, "topology": namespace.name}}
