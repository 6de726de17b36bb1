"""The page "From your manifest to values": complete over Kubernetes' fields, true to our schema, and its example."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import kubernetes_validate
import pytest
import yaml

from tests.chart import schema, validity
from tests.chart.rendering import Chart, Objects, operation
from tests.support import manifests, pages, shell
from tests.support.roster import ROOT, cli
from tests.support.runner import Runner

PAGE = (ROOT / "docs" / "from-manifests.md").read_text()
TABLE = pages.rows(PAGE)
MANIFEST, VALUES, PATCHES = pages.blocks(PAGE, "yaml")
SCHEMAS = Path(kubernetes_validate.__file__).parent / "kubernetes-json-schema"
KINDS = (
    "apps.v1.DeploymentSpec",
    "apps.v1.StatefulSetSpec",
    "batch.v1.JobSpec",
    "core.v1.PodSpec",
    "core.v1.Container",
)
BY = {"containers": "name", "initContainers": "name", "env": "name", "volumes": "name", "volumeMounts": "mountPath"}
# What a patch may say where no value does: of the pod, of its main container, of a Job's pod, and of each workload.
POD = {
    "evictionResponders": [{"name": "example.org/drain", "priority": 1000}],
    "hostPID": True,
    "hostUsers": False,
    "hostname": "here",
    "hostnameOverride": "here.example.org",
    "os": {"name": "linux"},
    "preemptionPolicy": "Never",
    "readinessGates": [{"conditionType": "example.org/linked"}],
    "resources": {"limits": {"memory": "8Gi"}},
    "schedulerName": "own-scheduler",
    "schedulingGates": [{"name": "example.org/quota"}],
    "setHostnameAsFQDN": True,
    "shareProcessNamespace": True,
}
JOB_POD = {"activeDeadlineSeconds": 3600}
CONTAINER = {
    "resizePolicy": [{"resourceName": "cpu", "restartPolicy": "NotRequired"}],
    "restartPolicyRules": [{"action": "Restart", "exitCodes": {"operator": "In", "values": [42]}}],
    "stdin": True,
    "stdinOnce": True,
    "terminationMessagePath": "/dev/note",
    "terminationMessagePolicy": "FallbackToLogsOnError",
    "tty": True,
}
WORKLOADS = {
    "Deployment": {"progressDeadlineSeconds": 3600, "revisionHistoryLimit": 1},
    "StatefulSet": {"ordinals": {"start": 1}, "persistentVolumeClaimRetentionPolicy": {"whenDeleted": "Delete"}},
    "Job": {"suspend": True},
}


def fields(*kinds: str) -> set[str]:
    """Return the fields of these kinds of Kubernetes 1.37."""
    known = json.loads((SCHEMAS / "v1.37.0-local-strict" / "_definitions.json").read_text())["$defs"]
    return {field for kind in kinds for field in known[f"io.k8s.api.{kind}"]["properties"]}


def explained() -> set[str]:
    return {token.partition(".")[0] for field, *_ in TABLE for token in pages.code(field)}


def said() -> list[str]:
    return [path for _, values, _ in TABLE for path in pages.code(values)]


def comparable(node: Any, key: str = "") -> Any:
    """Return a part of a pod with its lists as maps, and the main container under the name that the chart gives it."""
    if isinstance(node, dict):
        return {key: comparable(child, key) for key, child in node.items()}
    if isinstance(node, list) and key in BY:
        return {comparable(entry[BY[key]]): comparable(entry) for entry in node}
    return "main" if node == "vllm" else node


def test_the_tables_name_every_field_of_a_pod_and_of_its_workload() -> None:
    assert fields(*KINDS) - explained() == set()


def test_the_tables_name_no_field_that_kubernetes_does_not_know() -> None:
    assert explained() - fields(*KINDS) - {"metadata"} == set()


@pytest.mark.parametrize("path", sorted(set(said())))
def test_a_path_of_the_tables_is_one_of_the_values(path: str) -> None:
    assert schema.exists(path, schema.SCHEMA["$defs"]["group"]) or schema.exists(path, schema.SCHEMA)


@pytest.mark.parametrize("definition", ["group", "environment", "container", "autoscaling", "expose", "rollout"])
def test_the_tables_leave_out_no_value(definition: str) -> None:
    prefix = "" if definition == "group" else f"{definition}."
    # They have no counterpart in a manifest.
    apart = {"presets", "unset", "router", "serves", "serving", "rollout.coordinated"}
    known = {f"{prefix}{key}" for key in schema.SCHEMA["$defs"][definition]["properties"]} - apart
    assert [path for path in sorted(known) if not any(f"{one}.".startswith(f"{path}.") for one in said())] == []


def test_the_values_make_the_pods_of_the_manifest(helm: Runner) -> None:
    before = yaml.safe_load(MANIFEST)["spec"]
    after = Chart(helm).render(yaml.safe_load(VALUES), release="chat").workload("engine")["spec"]
    assert comparable(after["template"]["spec"]) == comparable(before["template"]["spec"])
    assert after["replicas"] == before["replicas"]
    assert after["strategy"]["rollingUpdate"] == before["strategy"]["rollingUpdate"]


def test_the_command_and_the_patches_of_the_page_work(helm4: Runner, tmp_path: Path) -> None:
    run = shell.make(helm4, tmp_path)
    (run.folder / "values.yaml").write_text(VALUES + PATCHES)
    (command,) = pages.commands(PAGE)
    rendered = run(command).stdout
    assert "shareProcessNamespace: true" in rendered
    assert "progressDeadlineSeconds: 3600" in rendered


def test_what_the_tables_leave_to_patches_is_tried_below() -> None:
    left = {token for field, *words in TABLE if any("patch" in cell for cell in words) for token in pages.code(field)}
    assert left == {*POD, *JOB_POD, *CONTAINER, *(key for spec in WORKLOADS.values() for key in spec)}


@pytest.mark.parametrize("kind", WORKLOADS)
def test_what_no_value_says_can_be_patched(helm4: Runner, tmp_path: Path, kind: str) -> None:
    only = JOB_POD if kind == "Job" else {}
    pod = {"merge": {"spec": {**POD, **only, "containers": [{"name": "main", **CONTAINER}]}}}
    patches = {"a": {"pod": pod, "workload": {"target": "workload", "merge": {"spec": WORKLOADS[kind]}}}}
    made = operation(
        {"a": {"workload": kind}}, operation={"kind": "job" if kind == "Job" else "service"}, patches=patches
    )
    (tmp_path / "values.yaml").write_text(json.dumps(made))
    objects = manifests.read(cli(helm4)("template", "rl", "-f", tmp_path / "values.yaml").stdout)
    validity.check(objects)
    workload = Objects(objects).workload()
    found = workload["spec"]["template"]["spec"]
    assert (POD | only).items() <= found.items()
    assert CONTAINER.items() <= found["containers"][0].items()
    assert WORKLOADS[kind].items() <= workload["spec"].items()
