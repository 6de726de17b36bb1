"""One operation under one of the schedulers, told and asked in the same words for all: what tests of placement take.

What differs by scheduler (objects that a cluster's people make, such as topologies and queues) stands in
`placing_adapters`; tests name no scheduler.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from tests.cluster import operations, raw
from tests.cluster.api import Json, stays, wait_for
from tests.cluster.namespaces import Namespace
from tests.cluster.placing_adapters import ADAPTERS, RACK, levels
from tests.cluster.schedulers import Scheduler
from tests.support.roster import CHART, PlainHelm, cli
from tests.support.runner import Done, Runner

BINDS = 60.0
# After the scheduler has said that a pod has no node; its next looks come every 200 ms, or with the next change.
HELD = 1.0
GANG, FOREIGN = "step", "foreign"
GROUP = "helm-roster.dev/group"
Count = int | Mapping[str, Any]


class Placing:
    """The operation `op` in the test's namespace; `plain` is Helm with our post-renderer, `roster` our command line."""

    def __init__(self, scheduler: Scheduler, namespace: Namespace, helm: Runner, folder: Path) -> None:
        self.scheduler, self.namespace, self.folder = scheduler, namespace, folder
        self.plain, self.roster = PlainHelm(helm), cli(helm)
        self.adapter = ADAPTERS[scheduler.name]
        self.admission: Json = {}

    def values(self, groups: Mapping[str, Count], members: Json | None = None, **more: Any) -> Path:
        """Write values: a count is of one-accelerator pods, a map the fields of such a group.

        `gang` is what the gang has beside its members, and `called` its name; `topology` the levels, `placement` what
        that has beside the scheduler's own; other words are root keys of the values. `self.admission` goes in as it is.
        """
        gang, kind = {**self.adapter.gang, **more.pop("gang", {})}, more.pop("kind", "service")
        called = more.pop("called", GANG)
        placement, levels = {**self.scheduler.placement, **more.pop("placement", {})}, more.pop("topology", {})
        made = {name: self._group(count) for name, count in groups.items()}
        found = operations.values(made, kind=kind, **more)
        found["scheduling"] = {
            "placement": placement,
            "gangs": {called: {"members": members, **gang}} if members else {},
            **({"topology": {"levels": levels}} if levels else {}),
            **({"admission": self.admission} if self.admission else {}),
        }
        return operations.write(self.folder, found)

    def _group(self, count: Count) -> Json:
        given = {"replicas": count} if isinstance(count, int) else dict(count)
        gpus = given.pop("gpus", 1)
        made = operations.group(self.namespace, given.pop("replicas"), gpus=gpus, fate=given.pop("fate", None))
        for key, value in given.items():
            made[key] = {**made[key], **value} if isinstance(made.get(key), dict) else value
        return made

    def install(self, groups: Mapping[str, Count], members: Json | None = None, name: str = "op", **more: Any) -> None:
        """Install by plain Helm and wait for all pods."""
        self.plain("install", name, CHART, "-f", self.values(groups, members, **more))
        asked = sum(count if isinstance(count, int) else count["replicas"] for count in groups.values())
        of = f"app.kubernetes.io/instance={name}"
        wait_for(lambda: len(self.namespace.pods(of)), 30, f"{asked} pods", until=lambda seen: seen == asked)

    def plain_upgrade(self, groups: Mapping[str, Count], members: Json | None = None, **more: Any) -> None:
        """Upgrade by plain Helm, and wait until the API server has the objects."""
        self.plain("upgrade", "op", CHART, "-f", self.values(groups, members, **more))

    def upgrade(
        self, groups: Mapping[str, Count], members: Json | None = None, *, recreate: bool = False, **more: Any
    ) -> Done:
        """Upgrade by our command line, which may refuse."""
        flags = ("--recreate", "--timeout", "60s") if recreate else ()
        return self.roster.attempt("upgrade", "op", "-f", self.values(groups, members, **more), *flags)

    def pods(self, group: str = "", name: str = "op") -> list[Json]:
        """Return the pods that are not being deleted, in order of name."""
        selector = f"app.kubernetes.io/instance={name}" + (f",{GROUP}={group}" if group else "")
        found = self.namespace.pods(selector)
        active = (pod for pod in found if "deletionTimestamp" not in pod["metadata"])
        return sorted(active, key=lambda pod: str(pod["metadata"]["name"]))

    def bound(self, group: str = "", name: str = "op") -> int:
        """Count the pods that have a node."""
        return sum(has_node(pod) for pod in self.pods(group, name))

    def binds(self, count: int, group: str = "", name: str = "op", *, within: float = BINDS) -> None:
        """Wait until so many pods have a node."""
        wait_for(
            lambda: self.bound(group, name), within, f"{count} bound pods of {group or name}",
            until=lambda seen: seen == count,
        )  # fmt: skip

    def holds(self, count: int, name: str = "op", *, seconds: float = HELD) -> None:
        """Wait until the scheduler has looked at all pods, and see that so many have a node, no more and no less."""
        wait_for(
            lambda: [pod for pod in self.pods(name=name) if not (has_node(pod) or said(pod))], 30,
            "a word on every pod without a node", until=lambda left: not left,
        )  # fmt: skip
        stays(lambda: self.bound(name=name), seconds, f"{count} bound pods", until=lambda seen: seen == count)

    def racks(self, **nodes: int) -> Json:
        """Make racks of so many nodes, and what tells the scheduler of them; return the levels for the values.

        Nodes of one rack do not follow each other: a scheduler may take them in their order where it has no choice.
        """
        self.namespace.create(*self.adapter.topology(self.namespace, nodes))
        for place in range(max(nodes.values())):
            for rack in (rack for rack, count in nodes.items() if place < count):
                self.add_to_rack(rack)
        return levels(self.namespace)

    def add_to_rack(self, rack: str) -> str:
        """Add a node to a rack; return its name."""
        return self.namespace.add_node(labels={RACK: rack})

    def rack_of(self, pod: Json) -> str:
        """Return the rack of a pod that has a node."""
        node = self.namespace.api.get(f"/api/v1/nodes/{pod['spec']['nodeName']}")
        return str(node["metadata"]["labels"][RACK])

    def uids(self, group: str = "") -> dict[str, str]:
        """Return the uids of pods that have a node, by name."""
        return {pod["metadata"]["name"]: pod["metadata"]["uid"] for pod in self.pods(group) if has_node(pod)}

    def template(self, group: str) -> Json:
        """Return the pod template of a group that is a StatefulSet."""
        found = self.namespace.get("apps/v1", "StatefulSet", f"op-{group}")
        assert found
        template: Json = found["spec"]["template"]
        return template

    def delete(self, pod: str) -> None:
        """Delete a pod at once."""
        self.namespace.delete("v1", "Pod", pod, gracePeriodSeconds=0)

    def status(self) -> Json:
        """Return what our status says."""
        return operations.status(self.roster, "op")

    def foreign(self, name: str = FOREIGN, *, gpus: int = 1) -> None:
        """Make a pod of the same scheduler in no gang, which wants an accelerator of the pool and was tried in vain."""
        made = raw.member(self.scheduler, self.namespace, name, 1, gpus=gpus)
        self.namespace.create(*self.adapter.outside(made, raw.grouping(self.scheduler, self.namespace, name, 1)))
        wait_for(lambda: self.namespace.pod(f"{name}-0"), 30, "a word on it", until=lambda pod: pod and said(pod))

    def priorities(self) -> tuple[str, ...]:
        """Return two PriorityClasses, the lower first; made for the test where the scheduler brings none."""
        if self.adapter.priorities:
            return self.adapter.priorities
        made = {f"{self.namespace.name}-{name}": value for name, value in (("low", 10), ("high", 20))}
        for name, value in made.items():
            kind = {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": name}}
            self.namespace.create({**kind, "value": value})
        return tuple(made)

    @contextlib.contextmanager
    def untouched(self, group: str, *, grows: bool = False) -> Iterator[None]:
        """See that no pod of a group that has a node goes in the block; nor, unless it grows, another comes."""
        before = self.uids(group)
        yield
        after = self.uids(group)
        assert (before.items() <= after.items()) if grows else (before == after), (before, after)


def has_node(pod: Json) -> bool:
    """Tell whether the pod has a node."""
    return "nodeName" in pod["spec"]


def said(pod: Json) -> str:
    """Return why the pod has no node, in the scheduler's words."""
    conditions = pod["status"].get("conditions", [])
    found = (str(item.get("message", "")) for item in conditions if item["type"] == "PodScheduled")
    return next(found, "")
