"""One operation that Kueue admits and one of the schedulers places, in the words of `placing`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.cluster import admission, kueue_objects
from tests.cluster.admission import Kueue
from tests.cluster.api import Json, stays, wait_for
from tests.cluster.namespaces import Namespace
from tests.cluster.placing import BINDS, HELD, Placing
from tests.cluster.schedulers import Scheduler
from tests.support.runner import Runner


class Admitted(Placing):
    """The operation `op`, in the LocalQueue of the test's namespace; it has quota as soon as `quota` is called."""

    def __init__(self, kueue: Kueue, scheduler: Scheduler, namespace: Namespace, helm: Runner, folder: Path) -> None:
        super().__init__(scheduler, namespace, helm, folder)
        self.kueue = kueue
        self.admission = {"backend": "kueue", "queue": admission.QUEUE}

    def quota(self, gpus: int, **more: Any) -> None:
        """Make the queue, in the words of `Kueue.queue`, or give the one that is there other quota."""
        if self.kueue.local_queue(self.namespace):
            self.kueue.set_quota(self.namespace, gpus, **more)
        else:
            self.kueue.queue(self.namespace, gpus=gpus, **more)

    def uses(self, gpus: int) -> None:
        """Wait until the queue has given away so many accelerators."""
        self.kueue.uses(self.namespace, gpus)

    def workloads(self) -> list[Json]:
        """Return the Workloads of the namespace, in order of name."""
        return sorted(self.kueue.workloads(self.namespace), key=lambda found: str(found["metadata"]["name"]))

    def binds(self, count: int, group: str = "", name: str = "op", *, within: float = BINDS) -> None:
        """Wait until so many pods have a node; else tell what Kueue says of each Workload."""
        try:
            super().binds(count, group, name, within=within)
        except AssertionError as error:
            error.add_note("\n".join([f"{self.gated()} pods of {len(self.pods())} are gated", *self._told()]))
            raise

    def _told(self) -> Iterator[str]:
        for found in self.workloads():
            said = [
                f"{item['type']}={item['status']}/{item['reason']}: {item['message']}"
                for item in found.get("status", {}).get("conditions", [])
            ]
            yield f"{found['metadata']['name']}, priority {found['spec'].get('priority')}: {'; '.join(said)}"

    def gated(self, group: str = "", name: str = "op") -> int:
        """Count the pods that Kueue holds back."""
        return kueue_objects.gated(self.pods(group, name))

    def gates(self, count: int, group: str = "", name: str = "op", *, seconds: float = HELD) -> None:
        """Wait until Kueue has said what holds back so many pods, and see that it holds them back for some time."""
        wait_for(
            lambda: self.gated(group, name), 30, f"{count} gated pods of {group or name}",
            until=lambda seen: seen == count,
        )  # fmt: skip
        wait_for(self._unanswered, 30, "a word of Kueue on every Workload", until=lambda left: not left)
        stays(lambda: self.gated(group, name), seconds, f"{count} gated pods", until=lambda seen: seen == count)

    def _unanswered(self) -> list[str]:
        found = (
            (item["metadata"]["name"], kueue_objects.condition(item, "QuotaReserved")) for item in self.workloads()
        )
        return [name for name, condition in found if not condition["status"]]
