"""`helm-roster presets check` on the real control plane, with labelled and tainted nodes and published devices."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.cluster import rights
from tests.cluster.api import Json
from tests.cluster.namespaces import Namespace
from tests.support.runner import Runner

DRA = "resource.k8s.io/v1"
MODEL, NIC = "example.org/model", "example.org/nic"


def presets(namespace: Namespace) -> Json:
    """Return presets of nodes that are this test's own."""
    pool = dict(namespace.node_selector)
    gpu = {"model": "NVIDIA H200", "resource": "nvidia.com/gpu", "perNode": 8}
    known = {"tolerations": {"gpu": {"key": "nvidia.com/gpu", "operator": "Exists"}}}
    claim = {"deviceClassName": f"{namespace.name}.example.org", "selectors": ["device.driver != ''"]}
    return {
        "team/h200": {
            "accelerator": gpu, "environment": {"nodeSelector": pool | {MODEL: "h200"}, **known},
            "devices": {NIC: {"perAccelerator": 1}},
        },
        "team/l4": {
            "accelerator": {"model": "NVIDIA L4", "resource": "nvidia.com/gpu"},
            "environment": {"nodeSelector": pool | {MODEL: "l4"}},
        },
        "team/nics": {"devices": {NIC: {"perAccelerator": 1}}, "environment": {"nodeSelector": pool}},
        "team/absent": {"environment": {"nodeSelector": pool | {MODEL: "absent"}}},
        "team/dra": {
            "accelerator": {"model": "NVIDIA H200", "claim": claim},
            "environment": {"nodeSelector": pool | {MODEL: "dra"}},
        },
        "team/no-class": {
            "accelerator": {"model": "NVIDIA H200", "claim": {"deviceClassName": "absent.example.org"}},
            "environment": {"nodeSelector": pool | {MODEL: "dra"}},
        },
    }  # fmt: skip


def publish(namespace: Namespace, node: str) -> None:
    """Publish three devices of a node, in a class of the test's own."""
    driver = f"{namespace.name}.example.org"
    selector = {"cel": {"expression": f"device.driver == '{driver}'"}}
    pool = {"name": node, "generation": 1, "resourceSliceCount": 1}
    devices = [{"name": f"gpu-{at}"} for at in range(3)]
    namespace.create(
        {"apiVersion": DRA, "kind": "DeviceClass", "metadata": {"name": driver}, "spec": {"selectors": [selector]}},
        {
            "apiVersion": DRA, "kind": "ResourceSlice", "metadata": {"name": node},
            "spec": {"driver": driver, "nodeName": node, "pool": pool, "devices": devices},
        },
    )  # fmt: skip


def checked(roster: Runner, *arguments: str | Path, code: int = 0) -> dict[str, dict[str, Any]]:
    done = roster.attempt("presets", "check", *arguments, "-o", "json")
    assert done.returncode == code, done.stderr
    return {entry["name"]: entry for entry in json.loads(done.stdout)["presets"]}


def test_check_tells_which_nodes_presets_mean_and_what_keeps_pods_away(
    namespace: Namespace, roster4: Runner, tmp_path: Path
) -> None:
    known, closed = "nvidia.com/gpu=present:NoSchedule", "example.org/closed:NoSchedule"
    namespace.add_node(gpus=8, labels={MODEL: "h200"}, taints=[known], **{NIC: "8"})
    namespace.add_node(gpus=8, labels={MODEL: "h200"}, taints=[known, closed], **{NIC: "8"})
    namespace.add_node(gpus=4, labels={MODEL: "h200"}, taints=[known])
    namespace.add_node(gpus=1, labels={MODEL: "l4"}, taints=[known])
    publish(namespace, namespace.add_node(gpus=0, labels={MODEL: "dra"}))
    file = tmp_path / "own.yaml"
    file.write_text(json.dumps({"presets": presets(namespace)}))

    found = checked(roster4, "-f", file)
    assert {name for name in found if name.startswith("team/")} == {
        "team/h200",
        "team/l4",
        "team/dra",
        "team/no-class",
        "team/nics",
    }
    h200 = found["team/h200"]
    assert (h200["matching"], h200["usable"], h200["fewer"]) == (3, 1, 1)
    assert h200["taints"] == [{"taint": closed, "nodes": 1}]
    assert h200["lacking"] == [{"resource": NIC, "nodes": 1}]
    assert {"resource": "nvidia.com/gpu", "nodes": 2, "each": "8"} in h200["offers"]
    l4 = found["team/l4"]
    assert (l4["fits"], l4["usable"], l4["taints"]) == (False, 0, [{"taint": known, "nodes": 1}])
    dra = found["team/dra"]
    driver = f"{namespace.name}.example.org"
    assert (dra["usable"], dra["unserved"]) == (1, [])
    assert dra["classes"] == [{"name": driver, "exists": True, "driver": driver, "devices": 3, "nodes": 1}]
    assert (found["team/no-class"]["fits"], found["team/no-class"]["classes"][0]["exists"]) == (False, False)

    assert checked(roster4, "team/h200", "-f", file)["team/h200"] == h200
    nics = checked(roster4, "team/nics", "-f", file)["team/nics"]
    assert (nics["usable"], nics["takesOthers"], nics["taints"][0]) == (2, True, {"taint": known, "nodes": 4})
    both = checked(roster4, "team/h200", "team/nics", "-f", file)["team/h200+team/nics"]
    assert (both["matching"], both["usable"], both["examples"][closed]) == (3, 1, h200["examples"][closed])
    assert checked(roster4, "team/l4+team/nics", "-f", file, code=1)["team/l4+team/nics"]["usable"] == 0
    absent = checked(roster4, "team/absent", "-f", file, code=1)["team/absent"]
    assert (absent["matching"], absent["unmet"]) == (0, [f"{MODEL}=absent"])
    said = roster4.attempt("presets", "check", "team/l4", "team/dra", "roster/http", "-f", file).stdout
    assert f"team/l4: 1 node keeps its pods off by {known}" in said
    assert f"3 devices of {driver} on 1 node" in said
    assert "roster/http: it selects no nodes" in said
    user = rights.user(namespace, but=set())
    refused = roster4.attempt("presets", "check", "--kube-as-user", user)
    assert (refused.returncode, refused.stderr.startswith("Error: you may not list nodes: ")) == (4, True)
