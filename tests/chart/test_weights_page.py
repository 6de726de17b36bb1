"""The values of docs/weights.md, as they stand there."""

from __future__ import annotations

import yaml

from tests.chart.rendering import Chart, Values
from tests.support import pages
from tests.support.roster import ROOT

SHARED, EACH = (yaml.safe_load(block) for block in pages.blocks((ROOT / "docs" / "weights.md").read_text(), "yaml"))


def spanning(values: Values) -> Values:
    return {**values, "groups": {name: {**group, "podsPerReplica": 2} for name, group in values["groups"].items()}}


def test_prefill_and_decode_read_engine_files_of_their_own_and_weights_of_one_job(chart4: Chart) -> None:
    objects = chart4.render(SHARED)
    (job,) = (entry for entry in objects.all if entry["kind"] == "Job")
    texts = {}
    for group in ("prefill", "decode"):
        volumes = {volume["name"]: volume for volume in objects.pod(group)["volumes"]}
        found = objects.get("ConfigMap", volumes[f"file-{group}"]["configMap"]["name"])
        (texts[group],) = found["data"].values()
        mounts = {mount["mountPath"]: mount for mount in objects.container(group)["volumeMounts"]}
        assert mounts["/etc/engine"]["name"] == f"file-{group}"
        assert (mounts["/models"]["readOnly"], "readOnly" in mounts["/cache"]) == (True, False)
        (waiter,) = objects.pod(group)["initContainers"]
        assert waiter["command"][4] == job["spec"]["template"]["spec"]["containers"][0]["command"][4]
    assert "max-num-batched-tokens" in texts["prefill"]
    assert "max-num-seqs" in texts["decode"]


def test_a_file_that_changes_leaves_the_other_group_alone(chart4: Chart) -> None:
    files = {**SHARED["files"], "decode": {"content": {"engine.yaml": "other"}}}
    before, after = chart4.render(SHARED), chart4.render({**SHARED, "files": files})
    assert before.workload("prefill") == after.workload("prefill")
    assert before.workload("decode") != after.workload("decode")


def test_every_pod_fetches_before_it_starts_also_of_replicas_that_span_pods(chart4: Chart) -> None:
    plain, several = chart4.render(EACH), chart4.render(spanning(EACH))
    for objects, leader in ((plain, True), (several, True), (several, False)):
        (fetch,) = objects.pod("engine", leader=leader)["initContainers"]
        assert fetch["volumeMounts"] == [{"name": "node", "mountPath": "/models"}]
        assert objects.container("engine", leader=leader)["volumeMounts"][0]["readOnly"]
