"""Claims of devices without a gang, on the real API server and scheduler; of gangs: test_placement_claims.py."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.cluster import device_objects, operations
from tests.cluster.api import Json, wait_for
from tests.cluster.device_objects import CHANNELS, Devices
from tests.cluster.namespaces import Namespace
from tests.cluster.test_placement_claims import H200, PRESETS, add_nodes, allocated
from tests.support.roster import cli
from tests.support.runner import Runner

TEMPLATES = (device_objects.VERSION, "ResourceClaimTemplate")
DOMAINS = (device_objects.DOMAIN, "ComputeDomain")


def names(namespace: Namespace, kind: tuple[str, str]) -> list[str]:
    return [found["metadata"]["name"] for found in namespace.items(*kind)]


def write(namespace: Namespace, folder: Path, groups: dict[str, Json], **more: Any) -> Path:
    """Write the values of groups of the test's own nodes."""
    made = {name: operations.group(namespace, fields.pop("replicas"), **fields) for name, fields in groups.items()}
    values = operations.values(made, **more)
    return operations.write(folder, {**values, "presets": PRESETS})


def waits_for(namespace: Namespace, counts: list[int]) -> None:
    """Wait until pods hold so many devices each."""
    wait_for(
        lambda: sorted(map(len, allocated(namespace).values())), 60, f"{counts} devices",
        until=lambda seen: seen == counts,
    )  # fmt: skip


def test_another_count_is_another_template_and_gives_all_pods_new_claims(
    namespace: Namespace, helm4: Runner, tmp_path: Path
) -> None:
    """Before that, doctor names the class that is not there, and pods are placed one by one; then nothing is left."""
    run = cli(helm4)

    def values(accelerators: int) -> Path:
        return write(namespace, tmp_path, {"web": {"replicas": 3, "presets": ["h200"], "accelerators": accelerators}})

    found = json.loads(run.attempt("doctor", "-f", values(1), "-o", "json").stdout)
    (told,) = (check for check in found["checks"] if check["check"] == "references")
    assert told["found"].startswith(f'there is no DeviceClass {H200.device_class}, which group "web" names')
    assert told["remedy"] == "install the driver that brings it, or correct the name"
    namespace.create(H200.of_the_cluster())
    add_nodes(namespace, 2, H200)
    run("install", "op", "-f", values(2))
    waits_for(namespace, [2, 2])
    wait_for(
        lambda: run("status", "op").stdout, 30, "a word on the pod that waits",
        until=lambda seen: "1 pod of web waits: 0/2 nodes are available: 2 cannot allocate all claims" in seen,
    )  # fmt: skip
    add_nodes(namespace, 1, H200)
    waits_for(namespace, [2, 2, 2])
    (before,) = names(namespace, TEMPLATES)
    run("upgrade", "op", "-f", values(1))
    waits_for(namespace, [1, 1, 1])
    (after,) = names(namespace, TEMPLATES)
    assert after != before
    run("cancel", "op", "--timeout", "60s")
    namespace.is_left_with()


def test_to_scale_a_group_whose_pods_a_domain_counts_replaces_all_that_use_it_when_told_so(
    namespace: Namespace, helm4: Runner, tmp_path: Path
) -> None:
    run = cli(helm4)
    device_objects.define(namespace.api)
    channels = Devices(CHANNELS.device_class, CHANNELS.driver, 8)
    namespace.create(channels.of_the_cluster())
    add_nodes(namespace, 2, channels)
    user = {"claims": ["imex"]}
    one = {"devices": {"requests": [{"name": "one", "exactly": {"deviceClassName": CHANNELS.device_class}}]}}
    claims = {"imex": {"computeDomain": {"countNodes": True}}, "pool": {"spec": one, "shared": True}}
    groups = {"a": {"replicas": 1, **user}, "b": {"replicas": 2, **user}, "c": {"replicas": 2, "claims": ["pool"]}}
    run("install", "op", "-f", write(namespace, tmp_path, groups, claims=claims))
    device_objects.open_channels(namespace)
    wait_for(namespace.bound, 60, "all pods bound", until=lambda seen: seen == 5)
    kept = {pod["metadata"]["uid"] for pod in namespace.pods("helm-roster.dev/group=c")}
    assert len({node_of(pod) for pod in namespace.pods("helm-roster.dev/group=c")}) == 1, "they share a device"
    (before,) = namespace.items(*DOMAINS)
    refused = run.attempt("scale", "op", "a=2")
    assert refused.returncode == 1
    assert "a and b depend on these counts (a reads a (computeDomain); b reads a (computeDomain))" in refused.stderr
    run("scale", "op", "a=2", "--with-dependents")
    (after,) = namespace.items(*DOMAINS)
    assert (before["spec"]["numNodes"], after["spec"]["numNodes"]) == (3, 4)
    device_objects.open_channels(namespace)
    wait_for(
        lambda: {pod["spec"]["resourceClaims"][0]["resourceClaimTemplateName"] for pod in users(namespace)}, 60,
        "all pods in the new domain", until=lambda seen: seen == {after["metadata"]["name"]},
    )  # fmt: skip
    assert {pod["metadata"]["uid"] for pod in namespace.pods("helm-roster.dev/group=c")} == kept
    run("cancel", "op", "--timeout", "60s")
    assert names(namespace, DOMAINS) == names(namespace, (device_objects.VERSION, "ResourceClaim")) == []


def node_of(pod: Json) -> str:
    return str(pod["spec"]["nodeName"])


def users(namespace: Namespace) -> list[Json]:
    """Return the pods of the groups that use the domain, without those that end."""
    found = namespace.pods("helm-roster.dev/group in (a, b)")
    return [pod for pod in found if "deletionTimestamp" not in pod["metadata"]]
