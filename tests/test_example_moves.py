"""Examples that move by one preset, or by one count: what follows, and that nothing else does."""

from __future__ import annotations

import json
from typing import Any

from tests.support import manifests
from tests.support.roster import EXAMPLES, cli, given
from tests.support.runner import Runner

FOLDER = EXAMPLES / "19-wide-expert-parallelism"
HERE = given(FOLDER / "values.yaml")
GKE = (*HERE, "-f", str(FOLDER / "gke.yaml"))
NETWORKS = [{"interfaceName": "eth0", "network": "default"}]
NETWORKS += [{"interfaceName": f"eth{index + 2}", "network": f"rdma-{index}"} for index in range(8)]
OLDER_NAMES = {f"networking.gke.io.networks/rdma-{index}": 0 for index in range(8)}
VARIABLES = {"DEEP_EP_DEVICE_TO_HCA_MAPPING", "NVSHMEM_DISABLED_GDRCOPY"}
CACHES = "/mnt/stateful_partition/kube-ephemeral-ssd/shared_disk/"


def rendered(helm: Runner, files: tuple[str, ...]) -> list[dict[str, Any]]:
    return manifests.read(cli(helm)("template", "wide", *files).stdout)


def undo(template: dict[str, Any]) -> None:
    """See in a pod template all that the preset adds, and take it back."""
    annotations, spec = template["metadata"].pop("annotations"), template["spec"]
    assert json.loads(annotations.pop("networking.gke.io/interfaces")) == NETWORKS
    assert annotations == {"networking.gke.io/default-interface": "eth0"}
    (main,) = spec["containers"]
    assert main["securityContext"].pop("privileged") is True
    for side in main["resources"].values():
        assert {name: side.pop(name) for name in OLDER_NAMES} == OLDER_NAMES
    assert {entry["name"] for entry in main["env"]} >= VARIABLES
    main["env"] = [entry for entry in main["env"] if entry["name"] not in VARIABLES]
    for volume in (volume for volume in spec["volumes"] if volume["name"] in {"downloads", "kernels"}):
        assert volume.pop("hostPath")["path"].startswith(CACHES)
        volume["emptyDir"] = {}


def test_one_preset_adds_eight_networks_host_caches_and_rights_and_nothing_else(helm4: Runner) -> None:
    before, after = rendered(helm4, HERE), rendered(helm4, GKE)
    sets = [entry["spec"]["leaderWorkerTemplate"] for entry in after if entry["kind"] == "LeaderWorkerSet"]
    templates = [entry[role] for entry in sets for role in ("leaderTemplate", "workerTemplate")]
    assert len(templates) == 4
    for template in templates:
        undo(template)
    assert after == before


def test_the_preset_leaves_every_sum_of_the_plan_as_it_is(helm4: Runner) -> None:
    before, after = (json.loads(cli(helm4)("plan", *files, "-o", "json").stdout) for files in (HERE, GKE))
    for moment in ("groups", "totals", "minimumToStart", "rolloutPeak"):
        assert after[moment] == before[moment]


def test_network_cards_and_their_annotation_follow_the_count_of_gpus(helm4: Runner) -> None:
    example = given(EXAMPLES / "26-nics-by-count" / "values.yaml")
    three = manifests.read(cli(helm4)("template", "nics", *example, "--set", "groups.decode.accelerators=3").stdout)
    found = {}
    for deployment in (entry for entry in three if entry["kind"] == "Deployment"):
        template = deployment["spec"]["template"]
        (main,) = template["spec"]["containers"]
        cards = main["resources"]["limits"]["nvidia.com/rdma-vf"]
        entries = template["metadata"]["annotations"]["k8s.v1.cni.cncf.io/networks"].split(",")
        found[deployment["metadata"]["name"]] = (main["resources"]["limits"]["amd.com/gpu"], cards, entries)
    card = "default/rdma-vf"
    assert found == {"nics-decode": (3, 3, [card] * 3), "nics-prefill": (1, 1, [card])}
