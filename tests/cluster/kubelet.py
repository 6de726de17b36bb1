"""The part of a kubelet that simulated nodes lack, for the pods of one namespace: containers, probes, readiness.

The main container of a running pod runs as the API server has it, on the pod's address, which is one in 127.0.0.0/8:
a router is the real program (`containers.py`), anything else an `Engine` on the ports that its arguments name. Of a
router's pod another address is told, since no EndpointSlice may hold these; `address` returns where it listens. So the
Services of routers are filled by the real controllers, and those of engines stay empty.

The pods' nodes are added with `pod_cidr=addresses()`, and their fate is `PLAYED`, so that nobody else makes them ready.
Probes are asked at every look, a few times a second, and one answer counts.
"""

from __future__ import annotations

import http.client
import secrets
import threading
from pathlib import Path
from typing import Self

from tests.cluster import containers, fates, processes
from tests.cluster.api import ApiError, Json, wait_for
from tests.cluster.engines import Engine
from tests.cluster.namespaces import Namespace, pod_ready
from tests.cluster.processes import Record

LOOK = 0.25
GROUP = "helm-roster.dev/group"
# Annotations of the pods that are played here.
PLAYED = fates.annotate("never-ready")


def addresses() -> str:
    """Return a range of loopback addresses for the pods of one node; by chance no other node has it, in any process."""
    return f"127.{16 + secrets.randbelow(224)}.{secrets.randbelow(256)}.0/24"


class Kubelet:
    """Runs the namespace's pods while it is entered; logs of programs and their files are in `folder`.

    A program that ends is begun again. Engines of the groups in `loading` answer no probe until a test sets `healthy`.
    """

    def __init__(self, namespace: Namespace, folder: Path) -> None:
        self.namespace, self.folder = namespace, folder
        self.engines: dict[str, Engine] = {}
        self.programs: dict[str, Record] = {}
        self.loading: set[str] = set()
        self.addresses: dict[str, str] = {}
        self._started: set[str] = set()
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._work, daemon=True)
        self._failed: BaseException | None = None

    def __enter__(self) -> Self:
        """Begin to look, in a thread."""
        self.folder.mkdir(exist_ok=True)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        """End what runs; raises what went wrong in the thread."""
        self._ended.set()
        self._thread.join()
        for name in [*self.engines, *self.programs]:
            self._stop(name)
        if self._failed:
            raise self._failed

    def of(self, group: str) -> list[Engine]:
        """Return the engines of a group that run now, always in the same order."""
        return [engine for _, engine in sorted(self.engines.items()) if engine.group == group]

    def address(self, pod: Json) -> str:
        """Return where a pod's program or engine listens."""
        return wait_for(lambda: self.addresses.get(pod["metadata"]["uid"], ""), 30, f"{pod['metadata']['name']} to run")

    def look(self) -> None:
        """Start what should run, stop what should not, and set each pod's readiness by its probes."""
        pods = {pod["metadata"]["uid"]: pod for pod in self.namespace.pods() if _runs(pod)}
        dead = {uid for uid, record in self.programs.items() if not processes.alive(record)}
        for uid in dead | ({*self.engines, *self.programs} - pods.keys()):
            self._stop(uid)
        for uid, pod in pods.items():
            if uid not in self.engines and uid not in self.programs:
                self._start(uid, pod)
            if self._ready(uid, pod) != pod_ready(pod):
                self._turn(pod, ready=not pod_ready(pod))

    def _work(self) -> None:
        try:
            while not self._ended.wait(LOOK):
                self.look()
        except BaseException as error:  # noqa: BLE001 - raised where the block ends
            self._failed = error
        finally:
            self.namespace.api.close()

    def _start(self, uid: str, pod: Json) -> None:
        first, group = uid not in self.addresses, pod["metadata"]["labels"].get(GROUP, "")
        address = self.addresses.setdefault(uid, pod["status"]["podIP"])
        command = containers.command(pod, address)
        if program := containers.program(command):
            if first:
                self._report(pod, f"192.0.2.{len(self.addresses)}")
            env = containers.environment(pod) | containers.credentials(self.namespace, pod, self.folder)
            self.programs[uid] = processes.start(pod["metadata"]["name"], program, self.folder / "logs", env)
        else:
            ports, healthy = containers.ports(command), group not in self.loading
            self.engines[uid] = Engine(address, ports, group=group, healthy=healthy)

    def _stop(self, uid: str) -> None:
        self._started.discard(uid)
        if engine := self.engines.pop(uid, None):
            engine.stop()
        if record := self.programs.pop(uid, None):
            processes.stop([record])

    def _ready(self, uid: str, pod: Json) -> bool:
        """Ask the probes as a kubelet does: nothing counts before the start, readiness is asked ever after."""
        address = self.addresses[uid]
        if uid not in self._started and containers.answers(pod, address, "startupProbe"):
            self._started.add(uid)
        return uid in self._started and containers.answers(pod, address, "readinessProbe")

    def _turn(self, pod: Json, *, ready: bool) -> None:
        """Set the conditions and the containers' own word, which some routers read instead."""
        conditions = [{"type": kind, "status": str(ready)} for kind in ("Ready", "ContainersReady")]
        told = [{**status, "ready": ready} for status in pod["status"]["containerStatuses"]]
        self._tell(pod, {"conditions": conditions, "containerStatuses": told}, "strategic")

    def _report(self, pod: Json, address: str) -> None:
        """Tell another address of a pod than its program has: the API server takes no loopback for a Service's."""
        self._tell(pod, {"podIP": address, "podIPs": [{"ip": address}]}, "merge")

    def _tell(self, pod: Json, status: Json, kind: str) -> None:
        path = self.namespace.path("v1", "Pod", pod["metadata"]["name"])
        try:
            self.namespace.api.patch(f"{path}/status", {"status": status}, kind)
        except ApiError as error:
            if error.status != http.client.NOT_FOUND:
                raise


def _runs(pod: Json) -> bool:
    return pod["status"]["phase"] == "Running" and "deletionTimestamp" not in pod["metadata"]
