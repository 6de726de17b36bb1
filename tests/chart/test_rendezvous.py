"""What torchrun needs to find its peers."""

from __future__ import annotations

from typing import Any

import pytest

from tests.chart.rendering import GPU, Chart, Values, operation


def job(group: dict[str, Any], **root: Any) -> Values:
    return operation({"a": group}, operation={"kind": "job"}, **root)


def test_pods_of_a_job_know_the_first_one_and_their_number(chart: Chart) -> None:
    env = chart.render(job({"replicas": 4})).env()
    assert env["MASTER_ADDR"] == env["PET_MASTER_ADDR"] == "rl-a-0.rl-a"
    assert env["MASTER_PORT"] == env["PET_MASTER_PORT"] == "29500"
    assert (env["PET_NNODES"], env["PET_NPROC_PER_NODE"]) == ("4", "1")


def test_the_rank_is_the_index_of_the_pod(chart4: Chart) -> None:
    field = "metadata.annotations['batch.kubernetes.io/job-completion-index']"
    assert chart4.render(job({})).env()["PET_NODE_RANK"] == {"fieldRef": {"fieldPath": field}}


def test_a_port_called_rendezvous_is_the_meeting_point(chart: Chart) -> None:
    env = chart.render(job({"container": {"ports": {"rendezvous": 29400}}})).env()
    assert (env["MASTER_PORT"], env["PET_MASTER_PORT"]) == ("29400", "29400")


def test_one_process_runs_for_each_accelerator(chart4: Chart) -> None:
    values = job({"accelerators": 8, "presets": ["gpu"]}, presets={"gpu": GPU})
    assert chart4.render(values).env()["PET_NPROC_PER_NODE"] == "8"


@pytest.mark.parametrize("value", ["1:4", {"configMapKeyRef": {"name": "x", "key": "y"}}])
def test_a_variable_of_the_user_wins(chart: Chart, value: object) -> None:
    entry = value if isinstance(value, str) else {"valueFrom": value}
    assert chart.render(job({"container": {"env": {"PET_NNODES": entry}}})).env()["PET_NNODES"] == value


def test_a_variable_can_be_deleted(chart4: Chart) -> None:
    assert "MASTER_ADDR" not in chart4.render(job({"container": {"env": {"MASTER_ADDR": None}}})).env()


def test_all_variables_can_be_deleted(chart4: Chart) -> None:
    assert "env" not in chart4.render(job({"unset": ["container.env"]})).container()


def test_a_preset_that_replaces_the_container_leaves_them(chart4: Chart) -> None:
    preset = {"patchStrategy": "replace", "container": {"image": "example/other:1"}}
    objects = chart4.render(job({"presets": ["other"]}, presets={"other": preset}))
    assert objects.env()["PET_NNODES"] == "1"


def test_the_users_own_values_may_refer_to_them(chart4: Chart) -> None:
    names = list(chart4.render(job({"container": {"env": {"A": "$(MASTER_ADDR)"}}})).env())
    assert names.index("MASTER_ADDR") < names.index("A")


def test_pods_of_a_service_get_none_of_them(chart4: Chart) -> None:
    assert "env" not in chart4.render(operation({"a": {}})).container()
