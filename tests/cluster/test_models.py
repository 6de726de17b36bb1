"""Models of accelerators on the real scheduler: nodes with the labels and taints of each, and who lands where.

The nodes are labelled and tainted as the platforms do it, by hand and not from the presets.
"""

from __future__ import annotations

import dataclasses
import json
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

from helm_roster.manifests import quantities

from tests.cluster import device_objects, operations
from tests.cluster.api import Json, wait_for
from tests.cluster.device_objects import Devices
from tests.cluster.namespaces import Namespace
from tests.support.roster import CHART, PRESETS, cli
from tests.support.runner import Runner

GROUP = "helm-roster.dev/group"
NVIDIA, AMD, TPU = "nvidia.com/gpu:NoSchedule", "amd.com/gpu:NoSchedule", "google.com/tpu=present:NoSchedule"
GFD, ROCM = "nvidia.com/gpu.product", "amd.com/gpu.product-name"
DRIVER = "gpu.nvidia.com"
# A node of GPUs without a taint, as some clusters have them.
UNTAINTED = {"nvidia.com/gpu.present": "true"}
# What nobody tolerates.
CLOSED = "example.org/maintenance:NoSchedule"


@dataclasses.dataclass(frozen=True)
class Model:
    """What plan calls it, what a node offers, a resource with how many or devices, and its labels and taint."""

    words: str
    offered: tuple[str, int] | Devices
    labels: Mapping[str, str]
    taint: str = NVIDIA

    def add(self, namespace: Namespace, *more: str) -> str:
        """Add a node of it, with more taints than its own."""
        resource, count = ("", 0) if isinstance(self.offered, Devices) else self.offered
        node = namespace.add_node(
            gpus=count, resource=resource, model="", labels=self.labels, taints=[self.taint, *more]
        )
        if isinstance(self.offered, Devices):
            namespace.create(self.offered.of_node(node))
        return node


MODELS = {
    "roster/h200": Model("NVIDIA H200", ("nvidia.com/gpu", 8), {GFD: "NVIDIA-H200"}),
    "roster/h200-dra": Model("NVIDIA H200", Devices(DRIVER, DRIVER, 8, {"productName": "NVIDIA H200"}), {}),
    "roster/l4-dra": Model("NVIDIA L4", Devices(DRIVER, DRIVER, 8, {"productName": "NVIDIA L4"}), {}),
    "roster/l4": Model("NVIDIA L4", ("nvidia.com/gpu", 8), {GFD: "NVIDIA-L4"}),
    "roster/mi300x": Model("AMD Instinct MI300X", ("amd.com/gpu", 8), {ROCM: "AMD_Instinct_MI300X_OAM"}, AMD),
    "roster/mig-h100-1g-10gb": Model(
        "NVIDIA H100 MIG 1g.10gb", ("nvidia.com/mig-1g.10gb", 7), {GFD: "NVIDIA-H100-80GB-HBM3"}
    ),
    # Shared, by the resource alone and by the product alone.
    "roster/time-sliced-l4": Model("NVIDIA L4 shared", ("nvidia.com/gpu.shared", 8), {GFD: "NVIDIA-L4"}),
    "roster/time-sliced-l40s-product": Model("NVIDIA L40S shared", ("nvidia.com/gpu", 8), {GFD: "NVIDIA-L40S-SHARED"}),
    "roster/tpu-v6e-1x1": Model(
        "Google TPU v6e",
        ("google.com/tpu", 8),
        {"cloud.google.com/gke-tpu-accelerator": "tpu-v6e-slice", "cloud.google.com/gke-tpu-topology": "1x1"},
        TPU,
    ),
}
CPU = "roster/cpu"
FILES = ("cpu", "h200", "l4", "mi300x", "mig", "time-sliced", "tpu-v6e")
LIBRARY = [word for file in FILES for word in ("-f", str(PRESETS / f"{file}.yaml"))]
RESOURCES = {model.offered[0] for model in MODELS.values() if isinstance(model.offered, tuple)}


class Fleet:
    """An operation on nodes of every model, of which others are closed, and one of GPUs without a taint."""

    def __init__(self, namespace: Namespace, helm: Runner, folder: Path) -> None:
        self.namespace, self.helm, self.folder = namespace, helm, folder
        namespace.create(Devices(DRIVER, DRIVER, 0).of_the_cluster())
        self.models = {model.add(namespace): name for name, model in MODELS.items()}
        self.models[namespace.add_node(gpus=0)] = CPU
        namespace.add_node(gpus=8, model="NVIDIA-B200", labels=UNTAINTED)
        for model in MODELS.values():
            model.add(namespace, CLOSED)

    def values(self, decode: str) -> Path:
        """Write values in which decode has that preset, and a group has each of them."""
        groups = {
            "router": operations.router(self.namespace, "decode") | {"presets": [CPU]},
            "store": operations.group(self.namespace, 4, presets=[CPU]),
            "decode": operations.group(self.namespace, 3, presets=[decode], accelerators=1),
            **{slug(name): operations.group(self.namespace, 2, presets=[name], accelerators=1) for name in MODELS},
        }
        return operations.write(self.folder, operations.values(groups, presets={}))

    def run(self, decode: str) -> Json:
        """Install it, or move decode to the preset, and wait until all pods have nodes and none is left over.

        Returns the sums of plan.
        """
        values = self.values(decode)
        self.helm("upgrade", "op", CHART, *LIBRARY, "-f", values, "--install", "--disable-openapi-validation")
        plan = cli(self.helm)("plan", *LIBRARY, "-f", values, "-o", "json")
        totals: Json = json.loads(plan.stdout)["totals"]
        wait_for(
            lambda: [group for group, _ in self.places()], 60, f"{totals['pods']} pods on nodes, decode's on {decode}",
            until=lambda seen: len(seen) == totals["pods"] and self.where("decode") == {decode},
        )  # fmt: skip
        return totals

    def places(self) -> list[tuple[str, Json]]:
        """Return the pods that have a node, by their group."""
        found = self.namespace.pods("app.kubernetes.io/instance=op")
        return [(pod["metadata"]["labels"][GROUP], pod) for pod in found if "nodeName" in pod["spec"]]

    def where(self, group: str) -> set[str]:
        """Return the models of the nodes on which a group's pods are; of a closed node its name."""
        nodes = {pod["spec"]["nodeName"] for name, pod in self.places() if name == group}
        return {self.models.get(node, node) for node in nodes}

    def allocated(self) -> Counter[str]:
        """Return how many accelerators the scheduler gave away, by the models of the nodes."""
        given = Counter(self._words(device["pool"]) for device in device_objects.given(self.namespace))
        for _, pod in self.places():
            for container in pod["spec"]["containers"]:
                asked = container.get("resources", {}).get("requests", {})
                for resource in RESOURCES & asked.keys():
                    given[self._words(pod["spec"]["nodeName"])] += int(quantities.parse(asked[resource]))
        return given

    def _words(self, node: str) -> str:
        return MODELS[self.models[node]].words


def slug(name: str) -> str:
    """Return a group's name for a preset's."""
    return name.removeprefix("roster/").replace(".", "-")


def test_one_word_moves_a_group_to_another_model_and_nobody_lands_on_a_wrong_node(
    namespace: Namespace, helm4: Runner, tmp_path: Path
) -> None:
    fleet = Fleet(namespace, helm4, tmp_path)
    kept: set[str] = set()
    for decode in ("roster/h200", "roster/mi300x", "roster/h200-dra", "roster/tpu-v6e-1x1"):
        planned = fleet.run(decode)["accelerators"]
        assert {name: fleet.where(slug(name)) for name in MODELS} == {name: {name} for name in MODELS}
        assert (fleet.where("router"), fleet.where("store")) == ({CPU}, {CPU})
        wait_for(fleet.allocated, 20, f"{planned} to be given away", until=planned.__eq__)
        others = {pod["metadata"]["uid"] for group, pod in fleet.places() if group != "decode"}
        assert kept in (set(), others)
        kept = others
