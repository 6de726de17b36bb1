"""The examples on the real control plane: what the README of each tells to run is run, and becomes true there."""

from __future__ import annotations

import dataclasses
import functools
import json
import re
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

import pytest

from helm_roster.manifests import door, walk

from tests.cluster import device_objects, operations, projects, raw
from tests.cluster.api import Json, wait_for
from tests.cluster.device_objects import CHANNELS, Devices
from tests.cluster.namespaces import Namespace
from tests.cluster.schedulers import Scheduler
from tests.support import pages, shell
from tests.support.roster import EXAMPLES, cli
from tests.support.runner import Runner


@dataclasses.dataclass(frozen=True)
class Case:
    """The nodes that an example needs, what else must be there, and the verdict on it then.

    ``placer`` is the scheduler that it runs on, where that is one of its own; it is run in that one's own queue.
    """

    nodes: int
    gpus: int = 1
    node: Mapping[str, str] = dataclasses.field(default_factory=dict)
    labels: Mapping[str, str] = dataclasses.field(default_factory=dict)
    taints: tuple[str, ...] = ()
    devices: tuple[Devices, ...] = ()
    claim: str = ""
    topology: tuple[str, ...] = ()
    tier: int = 0
    placer: str = "native"
    verdict: str = "Ready"

    def prepare(self, namespace: Namespace) -> None:
        """Make what must be there."""
        made = namespace.add_nodes(self.nodes, gpus=self.gpus, labels=self.labels, taints=self.taints, **self.node)
        namespace.create(*device_objects.manifests(namespace.api, made, *self.devices))
        if CHANNELS in self.devices:
            device_objects.define(namespace.api)
        if self.claim:
            add_claim(namespace, self.claim)
        if self.topology:
            namespace.create(raw.topology(*self.topology))
        if self.tier:
            namespace.create(raw.hyper_node(namespace.name, self.tier, made))


SCHEDULERS = {"default", "native", *projects.NAMES}
INSTALLS = re.compile(r"helm(?:[ -]roster)? install (\S+)")
# Chips and network cards of one group of devices.
ALIGNED = {"resource.aws.com/devicegroup16_id": "group-1"}
CASES = {
    "01-sglang-disaggregated": Case(nodes=12),
    "02-gang-training": Case(nodes=4, verdict="Running"),
    "03-rl-separated": Case(nodes=12),
    "06-patches": Case(nodes=4, node={"hugepages-2Mi": "16Gi"}),
    "08-prefill-decode": Case(nodes=6, gpus=8, node={"cpu": "192", "memory": "2Ti", "ephemeral-storage": "2Ti"}),
    "09-fine-tune": Case(
        nodes=4,
        gpus=4,
        node={"model": "NVIDIA-L40S", "vpc.amazonaws.com/efa": "1"},
        claim="checkpoints",
        verdict="Running",
    ),
    "10-chat-service": Case(
        nodes=4,
        gpus=2,
        node={"model": "NVIDIA-H100-80GB-HBM3", "ephemeral-storage": "100Gi"},
        labels={"example.org/local-nvme": ""},
        claim="model-store",
    ),
    "12-rl-in-a-queue": Case(
        nodes=12,
        labels={"topology.example.com/rack": "r1"},
        topology=("cluster-topology", "topology.example.com/rack", "kubernetes.io/hostname"),
        placer="kai",
    ),
    "13-serving-in-one-rack": Case(nodes=8, gpus=4, tier=1, placer="volcano"),
    "18-two-deployments": Case(nodes=14, gpus=8, node={"cpu": "192", "memory": "2Ti"}),
    "21-service-with-a-cache": Case(nodes=2),
    "23-tpu-slice": Case(
        nodes=64,
        gpus=0,
        node={"cpu": "224", "memory": "1Ti", "google.com/tpu": "4"},
        labels={"cloud.google.com/gke-tpu-accelerator": "tpu7x", "cloud.google.com/gke-tpu-topology": "4x8x8"},
        taints=("google.com/tpu=present:NoSchedule",),
        verdict="Running",
    ),
    "25-gpudirect-tcpxo": Case(
        nodes=2,
        gpus=8,
        node={"cpu": "208", "memory": "1800Gi", "model": ""},
        labels={"cloud.google.com/gke-accelerator": "nvidia-h100-mega-80gb"},
        taints=("nvidia.com/gpu=present:NoSchedule",),
        verdict="Running",
    ),
    # One node, which is full then.
    "26-nics-by-count": Case(
        nodes=1,
        gpus=8,
        node={"cpu": "112", "memory": "2Ti", "resource": "amd.com/gpu", "model": "", "nvidia.com/rdma-vf": "8"},
        labels={"node.kubernetes.io/instance-type": "BM.GPU.MI300X.8"},
        taints=("amd.com/gpu=present:NoSchedule",),
    ),
    "27-trainium": Case(
        nodes=6,
        gpus=0,
        node={"cpu": "192", "memory": "2Ti"},
        labels={"node.kubernetes.io/instance-type": "trn2.48xlarge"},
        taints=("aws.amazon.com/neuron=true:NoSchedule",),
        devices=(
            Devices("neuron.aws.com", "neuron.aws.com", 16, {"instanceType": "trn2.48xlarge", **ALIGNED}),
            Devices("efa.networking.k8s.aws", "efa.networking.k8s.aws", 16, ALIGNED),
        ),
        claim="models",
    ),
}


def given(namespace: Namespace, case: Case) -> Counter[str]:
    """Return what the scheduler gave to pods of extended resources, and of devices by their class."""
    classes = {devices.driver: devices.device_class for devices in case.devices if devices != CHANNELS}
    found = Counter(device["driver"] for device in device_objects.given(namespace))
    sums = Counter({classes[driver]: count for driver, count in found.items() if driver in classes})
    for pod in (pod for pod in namespace.pods() if "nodeName" in pod["spec"]):
        for container in pod["spec"]["containers"]:
            asked = container.get("resources", {}).get("requests", {})
            sums.update({name: int(amount) for name, amount in asked.items() if "/" in name})
    return sums


def fits(planned: Json, sums: Counter[str]) -> bool:
    """Return whether these are the sums of a plan, which calls accelerators by their model."""
    named = {name: int(amount) for name, amount in planned["other"].items()}
    left = sums - Counter(named)
    return named.items() <= sums.items() and left.total() == sum(planned["accelerators"].values())


def add_claim(namespace: Namespace, name: str) -> None:
    """Create a claim that all nodes may write, and its volume."""
    both = {"accessModes": ["ReadWriteMany"], "storageClassName": ""}
    volume = {"capacity": {"storage": "1Ti"}, "hostPath": {"path": "/x"}}
    claim = {"resources": {"requests": {"storage": "1Ti"}}, "volumeName": f"{namespace.name}-{name}"}
    for kind, called, spec in (
        ("PersistentVolume", claim["volumeName"], volume),
        ("PersistentVolumeClaim", name, claim),
    ):
        namespace.create({"apiVersion": "v1", "kind": kind, "metadata": {"name": called}, "spec": {**both, **spec}})


def placement(example: str) -> str:
    """Return the backend that the example's values name."""
    values = door.load((EXAMPLES / example / "values.yaml").read_text())
    return str(walk.get(values, "scheduling", "placement", "backend", default="default"))


def asks_for_quota(example: str) -> bool:
    """Return whether somebody admits the example: it runs in `test_kueue_example`."""
    values = door.load((EXAMPLES / example / "values.yaml").read_text())
    return walk.get(values, "scheduling", "admission", "backend") is not None


def spans_pods(example: str) -> bool:
    """Return whether replicas of the example are several pods: it runs in `test_lws_examples`."""
    return "kind: LeaderWorkerSet" in (EXAMPLES / example / "expected.yaml").read_text()


def test_every_example_that_renders_runs_here_unless_its_scheduler_or_its_queue_does_not() -> None:
    rendered = {path.parent.name for path in EXAMPLES.glob("*/expected.yaml") if not asks_for_quota(path.parent.name)}
    here = {name for name in rendered if placement(name) in SCHEDULERS and not spans_pods(name)}
    assert here == set(CASES)


@pytest.mark.parametrize(
    ("placer", "example"), [(case.placer, name) for name, case in CASES.items()], indirect=["placer"]
)
def test_an_example_runs_as_its_readme_says_and_is_cancelled(  # noqa: PLR0917
    placer: Scheduler, namespace: Namespace, helm4: Runner, kubectl: Runner, tmp_path: Path, example: str
) -> None:
    play(CASES[example], example, placer, namespace, helm4, kubectl, tmp_path)


def play(  # noqa: PLR0917  (what a test of an example has)
    case: Case, example: str, placer: Scheduler, namespace: Namespace, helm: Runner, kubectl: Runner, tmp_path: Path
) -> None:
    """Run what the example's README tells to, see that it becomes true, and cancel it."""
    run, name, before = shell.make(helm, tmp_path, kubectl=kubectl.program), "", [""]
    channels: list[str] = []
    case.prepare(namespace)
    queue = {"scheduling": {"placement": {"queue": placer.queue}}} if placer.queue else {}
    pool = operations.write(tmp_path, {"defaults": {"environment": {"nodeSelector": namespace.node_selector}}, **queue})
    for command in pages.commands((EXAMPLES / example / "README.md").read_text()):
        if found := INSTALLS.match(command):
            name, before = found[1], namespace.everything()
        run(f"{command} -f {pool}" if found else command)
        channels = device_objects.open_channels(namespace) if found and CHANNELS in case.devices else channels
    wait_for(
        lambda: operations.status(cli(helm), name)["verdict"],
        60,
        case.verdict,
        until=lambda seen: seen == case.verdict,
    )
    if case.taints or case.devices:
        told = pages.commands((EXAMPLES / example / "README.md").read_text())
        plan = run(f"{next(command for command in told if ' plan ' in command)} -o json")
        planned = json.loads(plan.stdout)["totals"]
        wait_for(lambda: given(namespace, case), 20, f"{planned} to be given", until=functools.partial(fits, planned))
    run(f"helm roster cancel {name}")
    for channel in channels:
        namespace.delete(device_objects.VERSION, "ResourceClaimTemplate", channel)
    namespace.is_left_with(before)
