"""ComputeDomains to NVIDIA's own definition, and before its own controller where that is here."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from tests.chart.rendering import Chart
from tests.cluster import device_objects, operations, processes, projects
from tests.cluster.api import ApiError, Json, wait_for
from tests.cluster.control_plane import ControlPlane
from tests.cluster.device_objects import CHANNELS, Devices
from tests.cluster.namespaces import Namespace
from tests.cluster.test_placement_claims import add_nodes
from tests.support.roster import cli
from tests.support.runner import Runner

PROJECT = "nvidia"
PROGRAM = "compute-domain-controller"
# Where the program looks for what it makes objects of, whatever it is told.
TEMPLATES = Path("/templates/compute-domain-workload-claim-template.tmpl.yaml")
VALUES = {
    "defaults": {"container": {"image": "example/app:1"}},
    "claims": {"imex": {"computeDomain": {"countNodes": True, "allocationMode": "All"}}},
    "groups": {"a": {"claims": ["imex"]}},
}


@pytest.fixture
def domains(second_cluster: ControlPlane) -> ControlPlane:
    """The control plane that serves NVIDIA's kinds."""
    files = sorted((projects.definitions_folder() / PROJECT).glob("*.yaml"))
    if not files:
        pytest.skip(f"no CRDs of NVIDIA's DRA driver are in {projects.definitions_folder() / PROJECT}")
    projects.add(second_cluster.api, *(yaml.load(file.read_text(), yaml.CSafeLoader) for file in files))
    return second_cluster


def test_our_objects_pass_strict_validation(domains: ControlPlane, helm4: Runner) -> None:
    found = [entry for entry in Chart(helm4).render(VALUES).all if entry["kind"] == "ComputeDomain"]
    for manifest in found:
        projects.validate(domains.api, manifest)
    wrong = {**found[0], "spec": {**found[0]["spec"], "nodes": 4}}
    with pytest.raises(ApiError, match=r'unknown field "spec.nodes"'):
        projects.validate(domains.api, wrong)


@contextlib.contextmanager
def controller(cluster: ControlPlane, folder: Path) -> Iterator[None]:
    """Run NVIDIA's controller for the time of the block."""
    program = projects.programs_folder() / PROJECT / PROGRAM
    if not (os.access(program, os.X_OK) and TEMPLATES.exists()):
        pytest.skip(f"no {program}, or its templates are not in {TEMPLATES.parent}")
    env = {
        "KUBECONFIG": str(cluster.kubeconfig), "POD_NAME": "controller", "NAMESPACE": "default",
        "IMAGE_NAME": "example/driver:1", "LOG_VERBOSITY_CD_DAEMON": "1", "LEADER_ELECTION_ENABLED": "false",
    }  # fmt: skip
    record = processes.start(PROGRAM, [str(program), "-v", "2"], folder, env)
    try:
        yield
    finally:
        processes.stop([record])


def test_the_real_controller_makes_the_template_that_pods_name_and_takes_it_away(
    domains: ControlPlane, second_cluster: ControlPlane, namespace: Namespace, helm4: Runner, tmp_path: Path
) -> None:
    del second_cluster  # `namespace` is there
    channels = Devices(CHANNELS.device_class, CHANNELS.driver, 4)
    namespace.create(channels.of_the_cluster())
    add_nodes(namespace, 2, channels)
    worker = operations.group(namespace, 2, claims=["imex"])
    values = operations.values(
        {"worker": worker}, gangs={"step": {"worker": {}}}, claims={"imex": {"computeDomain": {}}}
    )
    run = cli(helm4)
    with controller(domains, tmp_path / "logs"):
        run("install", "op", "-f", operations.write(tmp_path, values))
        wait_for(namespace.bound, 60, "the gang bound", until=lambda seen: seen == 2)
        made: list[Json] = namespace.items(device_objects.VERSION, "ResourceClaimTemplate")
        (domain,) = namespace.items(device_objects.DOMAIN, "ComputeDomain")
        assert [one["metadata"]["name"] for one in made] == [domain["metadata"]["name"]]
        run("cancel", "op", "--timeout", "60s")
        namespace.is_left_with()
