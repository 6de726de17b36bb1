"""The examples whose replicas span pods, with the real LeaderWorkerSet controller: what their READMEs tell to run."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest

from tests.cluster import device_objects, operations
from tests.cluster.api import wait_for
from tests.cluster.device_objects import CHANNELS
from tests.cluster.namespaces import Namespace
from tests.cluster.schedulers import Scheduler
from tests.cluster.spanning import Spanning
from tests.cluster.test_examples_run import Case, play, spans_pods
from tests.support import pages, shell
from tests.support.roster import EXAMPLES
from tests.support.runner import Runner

WHOLE_NODE = {"cpu": "192", "memory": "2Ti", "ephemeral-storage": "2Ti"}
RACK = "22-nvlink-rack"
CASES = {
    "16-sglang-leader-and-workers": Case(nodes=6, gpus=8, node={**WHOLE_NODE, "model": "NVIDIA-H800"}),
    "17-leader-without-accelerators": Case(
        nodes=4,
        gpus=0,
        node={**WHOLE_NODE, "google.com/tpu": "4"},
        labels={
            "cloud.google.com/gke-tpu-accelerator": "tpu-v6e-slice",
            "cloud.google.com/gke-tpu-topology": "2x4",
            "cloud.google.com/machine-family": "n2",
        },
    ),
    "19-wide-expert-parallelism": Case(nodes=4, gpus=8, node=WHOLE_NODE),
    # The rack; its processors have room for the frontends, too.
    RACK: Case(
        nodes=18,
        gpus=4,
        node={**WHOLE_NODE, "model": ""},
        labels={
            "cloud.google.com/gke-accelerator": "nvidia-gb200",
            "kubernetes.io/arch": "arm64",
            "nvidia.com/gpu.clique": "rack.0",
        },
        devices=(CHANNELS,),
    ),
    "20-replicas-in-a-gang": Case(nodes=6, gpus=8, node={**WHOLE_NODE, "model": "NVIDIA-H100-80GB-HBM3"}),
}


def test_all_examples_whose_replicas_span_pods_run_here() -> None:
    assert {path.parent.name for path in EXAMPLES.glob("*/expected.yaml") if spans_pods(path.parent.name)} == set(CASES)


@pytest.mark.parametrize("example", CASES)
@pytest.mark.parametrize("placer", ["native"], indirect=True)
def test_an_example_of_them_runs_as_its_readme_says_and_is_cancelled(  # noqa: PLR0917
    lws: Spanning, placer: Scheduler, namespace: Namespace, helm4: Runner, kubectl: Runner, tmp_path: Path, example: str
) -> None:
    del lws
    play(CASES[example], example, placer, namespace, helm4, kubectl, tmp_path)


@pytest.mark.parametrize("placer", ["native"], indirect=True)
def test_a_model_is_kept_in_one_nvlink_rack_where_its_gang_says_so(  # noqa: PLR0917
    lws: Spanning, placer: Scheduler, namespace: Namespace, helm4: Runner, kubectl: Runner, tmp_path: Path
) -> None:
    del lws, placer
    case, folder = CASES[RACK], EXAMPLES / RACK
    for clique, count in ("rack.1", 3), ("rack.2", 4):
        labels = {**case.labels, "nvidia.com/gpu.clique": clique}
        dataclasses.replace(case, nodes=count, labels=labels).prepare(namespace)
    kept = {"defaults": {"environment": {"nodeSelector": namespace.node_selector}}}
    # The counts of the example take 18 nodes of a rack.
    fewer = {"groups": {"prefill": {"replicas": 1}, "decode": {"podsPerReplica": 2}}, **kept}
    (install,) = (line for line in pages.commands((folder / "README.md").read_text()) if " install " in line)
    run = shell.make(helm4, tmp_path, kubectl=kubectl.program)
    run(f"{install} -f {folder}/one-rack.yaml -f {operations.write(tmp_path, fewer)}")
    device_objects.open_channels(namespace)
    engines = "helm-roster.dev/group in (prefill,decode)"
    wait_for(lambda: namespace.bound(engines), 60, "four engines with nodes", until=lambda count: count == 4)
    cliques = {node["metadata"]["name"]: node["metadata"]["labels"] for node in namespace.api.items("/api/v1/nodes")}
    found = {cliques[pod["spec"]["nodeName"]]["nvidia.com/gpu.clique"] for pod in namespace.pods(engines)}
    assert found == {"rack.2"}
