"""The real schedulers beside kube-scheduler: Volcano and KAI, on a control plane that runs already.

Volcano: scheduler and controller manager, without which no queue is ever open. KAI: scheduler and binder, which does
what the scheduler decides; its controllers of groups and queues only report, and are not here. No webhooks.
"""

from __future__ import annotations

import contextlib
import dataclasses
import json
from collections.abc import Callable, Iterator

from tests.cluster import processes, projects
from tests.cluster.api import ApiError, Json
from tests.cluster.components import Component
from tests.cluster.control_plane import ControlPlane, answers

PERIOD = "200ms"
# The actions of Volcano's own default configuration, and its plugins with network-topology-aware for localities.
ACTIONS = "enqueue, allocate, backfill"
PLUGINS = (
    "priority", "gang", "conformance",
    "overcommit", "drf", "predicates", "proportion", "nodeorder", "network-topology-aware",
)  # fmt: skip
FIRST_TIER = 3
# Where Volcano's chart keeps the configuration, for whoever may read it.
CONFIG_NAMESPACE, CONFIG_MAP, CONFIG_KEY = "volcano-system", "volcano-scheduler-configmap", "volcano-scheduler.conf"
VOLCANO_QUEUE = "/apis/scheduling.volcano.sh/v1beta1/queues/default"
# As KAI's chart makes them, but without limits: what a test does not ask about must not hold it.
KAI_PARENT, KAI_QUEUE = "default-parent-queue", "default-queue"
KAI_PRIORITIES = {"train": 50, "build-preemptible": 75, "build": 100, "inference": 125}


@dataclasses.dataclass(frozen=True)
class Scheduler:
    """A scheduler that runs, named as its backend: on which cluster, and as which program there.

    `pods` is what its pods' schedulerName says, `queue` a queue of it that is open and that nothing limits.
    """

    name: str
    cluster: ControlPlane
    program: str
    pods: str = ""
    queue: str = ""
    set_up: Callable[[str], None] = lambda _: None

    @property
    def placement(self) -> dict[str, str]:
        """The values under scheduling.placement for it."""
        return {"backend": self.name, **({"queue": self.queue} if self.queue else {})}

    def down(self) -> contextlib.AbstractContextManager[None]:
        """End the scheduler for the time of the block, and start it again after it."""
        return self.cluster.components.without(self.program)

    def without_gates(self) -> contextlib.AbstractContextManager[None]:
        """Run kube-scheduler with no feature gate switched on for the time of the block."""
        return self.cluster.components.changed(
            self.program, lambda line: [word for word in line if not str(word).startswith("--feature-gates=")]
        )

    @contextlib.contextmanager
    def configured(self, actions: str = ACTIONS, plugins: tuple[str, ...] = PLUGINS) -> Iterator[None]:
        """Run Volcano's scheduler with another configuration for the time of the block."""
        with self.down():
            self.set_up(volcano_conf(actions, plugins))
        try:
            yield
        finally:
            with self.down():
                self.set_up(volcano_conf())


def native(cluster: ControlPlane) -> Scheduler:
    """Return the kube-scheduler of a control plane."""
    return Scheduler("native", cluster, "kube-scheduler")


def volcano(cluster: ControlPlane) -> Scheduler:
    """Start Volcano's scheduler and controller manager; return when its default queue is open."""
    api, programs = cluster.api, projects.programs("volcano")
    ports = processes.free_ports(2)
    conf = cluster.folder / "volcano" / "scheduler.conf"
    conf.parent.mkdir()

    def set_up(text: str) -> None:
        conf.write_text(text)
        _keep_config_map(cluster, text)

    _once(cluster, {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": CONFIG_NAMESPACE}})
    set_up(volcano_conf())
    projects.add(api, projects.placeholder("bus.volcano.sh", "v1alpha1", "Command"))  # the controllers list them
    flags = [f"--kubeconfig={cluster.kubeconfig}", "--leader-elect=false", "--enable-healthz"]
    addresses = [f"127.0.0.1:{port}" for port in ports]
    scheduler = [
        programs["scheduler"], *flags, f"--healthz-address={addresses[0]}", "--scheduler-name=volcano",
        f"--scheduler-conf={conf}", f"--schedule-period={PERIOD}", "--feature-gates=ResourceTopology=false",
        "--cache-dumper=false", "--disable-default-scheduler-config", "-v=3",
    ]  # fmt: skip
    controllers = [
        programs["controller-manager"], *flags, f"--healthz-address={addresses[1]}",
        "--controllers=queue-controller,pg-controller", "--scheduler-name=volcano",
    ]  # fmt: skip

    def queue() -> Json:
        return api.find(VOLCANO_QUEUE) or {}

    def schedules() -> bool:
        return answers(f"http://{addresses[0]}", "/healthz") and bool(queue())

    def opens() -> bool:
        return answers(f"http://{addresses[1]}", "/healthz") and queue().get("status", {}).get("state") == "Open"

    env = {"DEBUG_SOCKET_DIR": str(conf.parent)}  # else the socket for its log level is in /tmp
    cluster.components.run(Component("volcano-scheduler", scheduler, schedules, env))
    cluster.components.run(Component("volcano-controller-manager", controllers, opens))
    return Scheduler("volcano", cluster, "volcano-scheduler", "volcano", "default", set_up)


def volcano_conf(actions: str = ACTIONS, plugins: tuple[str, ...] = PLUGINS) -> str:
    """Return a configuration of Volcano's scheduler (JSON is YAML) of two tiers of plugins."""
    tiers = [{"plugins": [{"name": name} for name in tier]} for tier in (plugins[:FIRST_TIER], plugins[FIRST_TIER:])]
    return json.dumps({"actions": actions, "tiers": [tier for tier in tiers if tier["plugins"]]}, indent=2)


def kai(cluster: ControlPlane) -> Scheduler:
    """Start KAI's scheduler and binder, with a leaf queue that nothing limits."""
    programs = projects.programs("kai")
    metrics, plugins, binder_metrics, binder_health = processes.free_ports(4)
    _once(cluster, {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "kai-scheduler"}})
    for name, value in KAI_PRIORITIES.items():
        kind = {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass"}
        _once(cluster, {**kind, "metadata": {"name": name}, "value": value})
    _once(cluster, kai_queue(KAI_PARENT))
    _once(cluster, kai_queue(KAI_QUEUE, KAI_PARENT))
    env = {"KUBECONFIG": str(cluster.kubeconfig)}
    scheduler = [
        programs["scheduler"], "--scheduler-name=kai-scheduler", f"--schedule-period={PERIOD}",
        f"--listen-address=127.0.0.1:{metrics}", f"--plugin-server-port={plugins}",
        "--namespace=kai-scheduler", "--v=3",
    ]  # fmt: skip
    binder = [
        programs["binder"], "--scheduler-name=kai-scheduler", f"--metrics-bind-address=127.0.0.1:{binder_metrics}",
        f"--health-probe-bind-address=127.0.0.1:{binder_health}", "--fake-gpu-nodes",
    ]  # fmt: skip

    def answering(port: int) -> Callable[[], bool]:
        return lambda: answers(f"http://127.0.0.1:{port}", "/metrics")

    cluster.components.begin(Component("kai-scheduler", scheduler, answering(metrics), env))
    cluster.components.begin(Component("kai-binder", binder, answering(binder_metrics), env))
    for name in ("kai-scheduler", "kai-binder"):
        cluster.components.wait(name)
    return Scheduler("kai", cluster, "kai-scheduler", "kai-scheduler", KAI_QUEUE)


START = {"volcano": volcano, "kai": kai}


def kai_queue(name: str, parent: str = "", *, gpus: int = -1) -> Json:
    """Return a queue of KAI; `gpus` is its quota and its limit, -1 for none."""
    free = {"quota": -1, "limit": -1, "overQuotaWeight": 1}
    resources = {"cpu": free, "memory": free, "gpu": {**free, "quota": gpus, "limit": gpus}}
    spec = {"resources": resources, **({"parentQueue": parent} if parent else {})}
    return {"apiVersion": "scheduling.run.ai/v2", "kind": "Queue", "metadata": {"name": name}, "spec": spec}


def _once(cluster: ControlPlane, manifest: Json) -> None:
    """Create an object of the whole cluster, unless a start before this one did."""
    try:
        cluster.api.create(manifest)
    except ApiError as error:
        if error.reason != "AlreadyExists":
            raise


def _keep_config_map(cluster: ControlPlane, text: str) -> None:
    name = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": CONFIG_MAP}}
    content: Json = {**name, "data": {CONFIG_KEY: text}}
    path = cluster.api.path("v1", "ConfigMap", CONFIG_NAMESPACE, CONFIG_MAP)
    if cluster.api.find(path) is None:
        cluster.api.create(content, CONFIG_NAMESPACE)
    else:
        cluster.api.patch(path, content)
