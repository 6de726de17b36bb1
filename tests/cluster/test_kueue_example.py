"""The examples that ask for quota, on the real Kueue: the commands of their READMEs, the objects of Kueue's page."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from helm_roster.manifests import door

from tests.cluster import device_objects, kueue_objects, operations, raw
from tests.cluster.admission import Kueue
from tests.cluster.api import Json, wait_for
from tests.cluster.device_objects import CHANNELS, Devices
from tests.cluster.namespaces import Namespace
from tests.cluster.schedulers import Scheduler
from tests.cluster.test_examples_run import asks_for_quota
from tests.support import pages, shell
from tests.support.roster import EXAMPLES, ROOT, cli
from tests.support.runner import Runner

EXAMPLE, PRETRAINING = "15-rl-with-quota", "24-pretraining-under-quota"
# Of 128 pods: the example is the same with fewer.
FEWER, OURS = 8, "app.kubernetes.io/instance=pretraining"
BLOCK = "cloud.google.com/gce-topology-block"
NICS = Devices("mrdma.google.com", "dra.net", 8)
PAGE = ROOT / "docs" / "backends" / "kueue.md"


def asked_for(namespace: Namespace) -> list[Json]:
    """Return the manifests of the page on Kueue, for this namespace."""
    (block,) = (text for text in pages.blocks(PAGE.read_text(), "yaml") if "kind: ClusterQueue" in text)
    found: list[Json] = [door.to_plain(manifest) for manifest in door.load_all(block)]
    for manifest in found:
        if "namespace" in manifest["metadata"]:
            manifest["metadata"]["namespace"] = namespace.name
    return found


def test_all_examples_that_ask_for_quota_run_here() -> None:
    found = [path.parent.name for path in EXAMPLES.glob("*/expected.yaml")]
    assert [name for name in found if asks_for_quota(name)] == [EXAMPLE, PRETRAINING]


@pytest.mark.parametrize("kueue_placer", ["native"], indirect=True)
def test_the_example_runs_as_its_readme_says_in_the_queue_of_its_page(  # noqa: PLR0917
    kueue: Kueue, kueue_placer: Scheduler, namespace: Namespace, helm4: Runner, kubectl: Runner, tmp_path: Path
) -> None:
    del kueue_placer
    namespace.create(*asked_for(namespace))
    namespace.add_nodes(12)
    run = shell.make(helm4, tmp_path, kubectl=kubectl.program)
    pool = operations.write(tmp_path, {"defaults": {"environment": {"nodeSelector": namespace.node_selector}}})
    for command in pages.commands((EXAMPLES / EXAMPLE / "README.md").read_text()):
        run(f"{command} -f {pool}" if " install " in command else command)
    wait_for(
        lambda: operations.status(cli(helm4), "rl-quota")["verdict"], 60, "Ready", until=lambda seen: seen == "Ready"
    )
    kueue.uses(namespace, 8, "team-a")
    run("helm roster cancel rl-quota")
    kueue.uses(namespace, 0, "team-a")


@pytest.mark.parametrize("kueue_placer", ["default"], indirect=True)
def test_pretraining_waits_suspended_and_gets_quota_nodes_of_one_block_and_devices(  # noqa: PLR0917
    kueue: Kueue, kueue_placer: Scheduler, namespace: Namespace, helm4: Runner, kubectl: Runner, tmp_path: Path
) -> None:
    del kueue_placer
    device_objects.define(namespace.api)
    namespace.create(CHANNELS.of_the_cluster(), NICS.of_the_cluster())
    _, second = (block_of_nodes(namespace, block, FEWER - 1) for block in ("b1", "b2"))
    kueue.queue(namespace, "pretraining", gpus=4 * FEWER, levels=(BLOCK, "kubernetes.io/hostname"))
    namespace.add_node(labels={BLOCK: "b3"})
    other = raw.stateful_set("other", 1, raw.pod_spec(namespace.node_selector, gpus=1))
    namespace.create(kueue_objects.single(other, "pretraining"))
    kueue.uses(namespace, 1, "pretraining")
    run = shell.make(helm4, tmp_path, kubectl=kubectl.program)
    fewer = {"groups": {"worker": {"replicas": FEWER, "environment": {"nodeSelector": namespace.node_selector}}}}
    small = operations.write(tmp_path, fewer)
    for command in pages.commands((EXAMPLES / PRETRAINING / "README.md").read_text()):
        run(f"{command} -f {small}" if " install " in command else command)
    channels = device_objects.open_channels(namespace)
    assert (verdict(helm4), namespace.pods(OURS)) == ("WaitingForQuota", [])
    namespace.delete("apps/v1", "StatefulSet", "other")
    few = f"allows to fit only {FEWER - 1} out of {FEWER} pod(s)"
    wait_for(lambda: kueue.workloads(namespace), 60, "no block to do", until=lambda found: few in json.dumps(found))
    second += block_of_nodes(namespace, "b2", 1)
    wait_for(lambda: verdict(helm4), 60, "Running", until=lambda seen: seen == "Running")
    assert {pod["spec"]["nodeName"] for pod in namespace.pods(OURS)} == set(second)
    devices = Counter(device["driver"] for device in device_objects.given(namespace))
    assert devices == {CHANNELS.driver: FEWER, NICS.driver: 8 * FEWER}
    kueue.uses(namespace, 4 * FEWER, "pretraining")
    run("helm roster suspend pretraining")
    assert (namespace.pods(OURS), verdict(helm4)) == ([], "Suspended")
    run("helm roster cancel pretraining")
    kueue.uses(namespace, 0, "pretraining")
    assert (len(channels), namespace.items(device_objects.DOMAIN, "ComputeDomain")) == (1, [])


def block_of_nodes(namespace: Namespace, block: str, count: int) -> list[str]:
    """Add nodes of four GB300 with their devices to a block of GKE's network."""
    labels = {
        BLOCK: block,
        "cloud.google.com/gke-accelerator": "nvidia-gb300",
        "kubernetes.io/arch": "arm64",
        "nvidia.com/gpu.clique": f"{block}.0",
    }
    taints = ["nvidia.com/gpu=present:NoSchedule", "kubernetes.io/arch=arm64:NoSchedule"]
    made = namespace.add_nodes(count, gpus=4, labels=labels, taints=taints, model="", cpu="144", memory="960Gi")
    namespace.create(*(devices.of_node(node) for node in made for devices in (CHANNELS, NICS)))
    return made


def verdict(helm: Runner) -> str:
    return str(operations.status(cli(helm), "pretraining")["verdict"])
