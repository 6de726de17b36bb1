"""The real Kueue, on a control plane that runs already: its definitions, webhooks and manager, out of the cluster.

All of it comes from Kueue's Go module. Its webhooks fail closed: while it is down, nobody can create a pod; so no other
test is to be on its cluster. The API server's own certificate is Kueue's too: self-signed, for 127.0.0.1.
"""

from __future__ import annotations

import base64
import contextlib
import dataclasses
import fcntl
import functools
import json
import os
import ssl
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import yaml

from tests.cluster import binaries, kueue_objects, nodes, processes, projects
from tests.cluster import schedulers as placers
from tests.cluster.api import Json, wait_for
from tests.cluster.components import Component, configuration
from tests.cluster.control_plane import ControlPlane, answers
from tests.cluster.namespaces import Namespace
from tests.cluster.schedulers import Scheduler

PROGRAM = "kueue"
QUEUE = "team"
# Where the program looks for a certificate of its metrics, whatever its configuration says of metrics.
CERTIFICATES = Path("/etc/kueue/metrics/certs")
GATES = "VisibilityOnDemand=false,MultiKueue=false"
FRAMEWORKS = ("pod", "statefulset", "deployment", "batch/job")
# The ends of the paths of the webhooks that are in use: a framework's kind, and Kueue's own.
HOOKS = {"pod": "--v1-pod", "statefulset": "-apps-v1-statefulset", "deployment": "-apps-v1-deployment"}
HOOKS |= {"batch/job": "-batch-v1-job", "jobset.x-k8s.io/jobset": "-jobset-x-k8s-io-v1alpha2-jobset"}
OWN_HOOKS = ("workload", "clusterqueue", "resourceflavor", "cohort")
# What the queue of a person's cluster has.
GPUS = 8
UNMANAGED = ("kube-system", "kueue-system")


@dataclasses.dataclass(frozen=True)
class Kueue:
    """Kueue, running; the helpers make and read what belongs to one test's namespace."""

    cluster: ControlPlane
    set_up: Callable[[Json], None]
    beside: dict[str, Scheduler] = dataclasses.field(default_factory=dict)

    def scheduler(self, name: str) -> Scheduler:
        """Return a scheduler on Kueue's cluster, started if it does not run yet."""
        if name not in self.beside:
            kube = Scheduler(name, self.cluster, "kube-scheduler")
            self.beside[name] = placers.START[name](self.cluster) if name in placers.START else kube
        return self.beside[name]

    def down(self) -> contextlib.AbstractContextManager[None]:
        """End Kueue for the time of the block, and start it again after it."""
        return self.cluster.components.without(PROGRAM)

    @contextlib.contextmanager
    def configured(self, **changes: object) -> Iterator[None]:
        """Run Kueue with other keys of its configuration for the time of the block."""
        with self.down():
            self.set_up(changes)
        try:
            yield
        finally:
            with self.down():
                self.set_up({})

    def queue(
        self,
        namespace: Namespace,
        name: str = QUEUE,
        *,
        gpus: int,
        more: Mapping[str, str] | None = None,
        node_labels: Mapping[str, str] | None = None,
        levels: tuple[str, ...] = (),
        **spec: object,
    ) -> str:
        """Make a LocalQueue with a ClusterQueue and a ResourceFlavor of its own, and wait until it is open.

        `more` is quota of other resources, of which there is enough (an empty quantity: none is asked for);
        `node_labels` are the flavor's, `levels` its topology's, and `spec` is what the ClusterQueue has besides, in
        Kueue's words: `stopPolicy="Hold"`. Returns the LocalQueue's name.
        """
        whole = self.of_the_cluster(namespace, name)
        if levels:
            namespace.create(kueue_objects.topology(whole, *levels))
            node_labels = node_labels or namespace.node_selector  # a flavor with a topology must have some
        namespace.create(kueue_objects.flavor(whole, node_labels, whole if levels else ""))
        flavors = {whole: kueue_objects.quota(gpus, more)}
        namespace.create(kueue_objects.cluster_queue(whole, flavors, **spec), kueue_objects.local_queue(name, whole))
        seen = functools.partial(self.local_queue, namespace, name)
        expected = "False" if spec.get("stopPolicy", "None") != "None" else "True"
        wait_for(
            lambda: kueue_objects.condition(seen(), "Active"), 30, f"LocalQueue {name} to be known",
            until=lambda found: found["status"] == expected,
        )  # fmt: skip
        return name

    def local_queue(self, namespace: Namespace, name: str = QUEUE) -> Json:
        """Read a LocalQueue."""
        return namespace.get(kueue_objects.VERSION, "LocalQueue", name) or {}

    def of_the_cluster(self, namespace: Namespace, name: str = QUEUE) -> str:
        """Return the name of the ClusterQueue, the ResourceFlavor and the Topology of a LocalQueue."""
        return f"{namespace.name}-{name}"

    def change(self, namespace: Namespace, name: str = QUEUE, **spec: object) -> None:
        """Change a ClusterQueue: `stopPolicy="HoldAndDrain"`."""
        self.cluster.api.patch(self._cluster_queue(namespace, name), {"spec": spec})

    def set_quota(
        self, namespace: Namespace, gpus: int, name: str = QUEUE, *, more: Mapping[str, str] | None = None
    ) -> None:
        """Change a queue's quota."""
        flavors = {self.of_the_cluster(namespace, name): kueue_objects.quota(gpus, more)}
        groups = kueue_objects.cluster_queue("", flavors)["spec"]["resourceGroups"]
        self.change(namespace, name, resourceGroups=groups)

    def priorities(self, namespace: Namespace, **values: int) -> dict[str, str]:
        """Make WorkloadPriorityClasses; return their names by the words given."""
        made = {word: self.of_the_cluster(namespace, word) for word in values}
        namespace.create(*(kueue_objects.priority(made[word], value) for word, value in values.items()))
        return made

    def usage(self, namespace: Namespace, name: str = QUEUE) -> int:
        """Return how many accelerators a queue has given away; it lags by seconds."""
        flavors = self.local_queue(namespace, name).get("status", {}).get("flavorsReservation") or []
        found = (resource for flavor in flavors for resource in flavor["resources"])
        return sum(int(resource["total"]) for resource in found if resource["name"] == nodes.GPU)

    def uses(self, namespace: Namespace, gpus: int, name: str = QUEUE, *, within: float = 30) -> None:
        """Wait until a queue has given away so many accelerators."""
        wait_for(
            functools.partial(self.usage, namespace, name), within, f"{gpus} accelerators of the quota in use",
            until=lambda seen: seen == gpus,
        )  # fmt: skip

    def workloads(self, namespace: Namespace) -> list[Json]:
        """Return the Workloads of a namespace."""
        return namespace.items(kueue_objects.VERSION, "Workload")

    def workload(self, namespace: Namespace, name: str) -> Json:
        """Read one Workload; empty if there is none."""
        return namespace.get(kueue_objects.VERSION, "Workload", name) or {}

    def _cluster_queue(self, namespace: Namespace, name: str) -> str:
        whole = self.of_the_cluster(namespace, name)
        return self.cluster.api.path(kueue_objects.VERSION, "ClusterQueue", "", whole)


def why_no_certificate() -> str | None:
    """Return why the program cannot have the certificate that it looks for, or None."""
    if is_pair(CERTIFICATES):
        return None
    try:
        CERTIFICATES.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        return f"Kueue looks for a certificate in {CERTIFICATES}, which cannot be made: {error.strerror}"
    if not os.access(CERTIFICATES, os.W_OK):
        return f"Kueue looks for a certificate in {CERTIFICATES}, which cannot be written"
    return None


def define(cluster: ControlPlane) -> None:
    """Give the API server Kueue's kinds in the one version that stays, and wait until it serves them."""
    definitions = []
    for path in sorted((binaries.source("sigs.k8s.io/kueue", PROGRAM) / "config/components/crd/bases").glob("*.yaml")):
        found = yaml.load(path.read_text(), yaml.CSafeLoader)
        spec = found["spec"]
        spec["versions"] = [version for version in spec["versions"] if kueue_objects.VERSION.endswith(version["name"])]
        if spec["versions"]:
            definitions.append(found)
    projects.add(cluster.api, *definitions)


def start(cluster: ControlPlane, frameworks: tuple[str, ...] = FRAMEWORKS) -> Kueue:
    """Start Kueue where its kinds are served, and return when its webhooks answer."""
    program = binaries.build(PROGRAM)[PROGRAM]
    folder = cluster.folder / PROGRAM
    folder.mkdir(exist_ok=True)
    cluster.lay_certificate(folder)
    certify(cluster)
    health, hooks = processes.free_ports(2)
    conf = folder / "config.json"

    def set_up(changes: Json) -> None:
        made = {**_config(health, hooks, folder), "integrations": {"frameworks": list(frameworks)}, **changes}
        conf.write_text(json.dumps(made, indent=2))

    set_up({})
    for hook in _webhooks(cluster, hooks, frameworks):
        cluster.api.create(hook)
    flags = [f"--config={conf}", f"--kubeconfig={cluster.kubeconfig}", f"--feature-gates={GATES}", "--zap-log-level=2"]
    ready = functools.partial(answers, f"http://127.0.0.1:{health}", "/readyz")
    cluster.components.run(Component(PROGRAM, [program, *flags], ready))
    return Kueue(cluster, set_up)


def for_a_person() -> tuple[Json, ...]:
    """Return a queue for the namespace default, with all that it needs."""
    flavors = {QUEUE: kueue_objects.quota(GPUS)}
    return (
        kueue_objects.flavor(QUEUE),
        kueue_objects.cluster_queue(QUEUE, flavors),
        kueue_objects.local_queue(QUEUE, QUEUE),
    )


def _config(health: int, hooks: int, folder: Path) -> Json:
    """Return Kueue's configuration: its shipped one as far as it decides anything, on ports of our own."""
    return {
        **configuration("config.kueue.x-k8s.io/v1beta2", health, hooks, folder),
        "controller": {"groupKindConcurrency": {"Job.batch": 5, "Pod": 5, "Workload.kueue.x-k8s.io": 5}},
        "clientConnection": {"qps": 50, "burst": 100},
    }


def _webhooks(cluster: ControlPlane, port: int, frameworks: tuple[str, ...]) -> Iterator[Json]:
    """Yield the configurations of the webhooks in use, led to the program on this machine."""
    kinds = {end: name for name, end in HOOKS.items() if name in frameworks}
    own = tuple(f"-kueue-x-k8s-io-v1beta2-{name}" for name in OWN_HOOKS)
    authority = base64.b64encode(cluster.certificate.read_bytes()).decode()
    file = binaries.source("sigs.k8s.io/kueue", PROGRAM) / "config/components/webhook/manifests.yaml"
    elsewhere = {"key": "kubernetes.io/metadata.name", "operator": "NotIn", "values": list(UNMANAGED)}
    for shipped in yaml.load_all(file.read_text(), yaml.CSafeLoader):
        hooks = []
        for hook in shipped["webhooks"]:
            path = hook["clientConfig"]["service"]["path"]
            end = path.removeprefix("/mutate").removeprefix("/validate")
            if end in kinds:
                hook["namespaceSelector"] = {"matchExpressions": [elsewhere]}
            if end in kinds or end in own:
                hook["clientConfig"] = {"url": f"https://127.0.0.1:{port}{path}", "caBundle": authority}
                hooks.append(hook)
        yield {**shipped, "webhooks": hooks}


def certify(cluster: ControlPlane) -> None:
    """Lay the API server's pair where Kueue looks for one of its metrics, unless a whole one is there."""
    with (binaries.cache_root() / "kueue-certificates.lock").open("w") as lock:  # Other test sessions do the same.
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not is_pair(CERTIFICATES):
            cluster.lay_certificate(CERTIFICATES)


def is_pair(folder: Path) -> bool:
    """Tell whether a folder holds a certificate and the key of it."""
    try:
        ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(folder / "tls.crt", folder / "tls.key")
    except OSError:  # ssl.SSLError is one.
        return False
    return True
