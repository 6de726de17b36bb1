"""Groups of a job."""

from __future__ import annotations

from typing import Any

import pytest

from tests.chart.rendering import Chart, Values, operation


def job(group: dict[str, Any] | None = None, **fields: Any) -> Values:
    return operation({"a": group or {}}, operation={"kind": "job", **fields})


def test_a_group_of_a_job_is_an_indexed_job_with_an_index_for_each_replica(chart: Chart) -> None:
    spec = chart.render(job({"replicas": 4})).workload()["spec"]
    assert (spec["completionMode"], spec["completions"], spec["parallelism"]) == ("Indexed", 4, 4)


def test_its_pods_are_never_restarted_in_place(chart4: Chart) -> None:
    assert chart4.render(job()).pod()["restartPolicy"] == "Never"


def test_its_pods_are_found_by_name(chart4: Chart) -> None:
    objects = chart4.render(job())
    assert objects.get("Service", objects.pod()["subdomain"])["spec"]["publishNotReadyAddresses"] is True


def test_fields_of_the_job_are_passed_on(chart: Chart) -> None:
    given = {"backoffLimit": 0, "activeDeadlineSeconds": 1000000, "ttlSecondsAfterFinished": 5}
    assert chart.render(job(job=given)).workload()["spec"].items() >= given.items()


def test_a_job_is_never_deleted_by_default(chart4: Chart) -> None:
    assert "ttlSecondsAfterFinished" not in chart4.render(job()).workload()["spec"]


def test_another_run_has_another_name(chart: Chart) -> None:
    names = {run: chart.render(job(run=run)).workload()["metadata"]["name"] for run in ("", "2", "3")}
    assert names[""] == "rl-a"
    assert names["2"].startswith("rl-a-2-")
    assert names["3"].startswith("rl-a-3-")


def test_the_longest_run_is_still_told_apart_from_its_like(chart4: Chart) -> None:
    names = {chart4.render(job(run="r" * 19 + end)).workload()["metadata"]["name"] for end in "ab"}
    assert len(names) == 2
    assert all(name.startswith(f"rl-a-{'r' * 19}") for name in names)


@pytest.mark.parametrize(
    ("values", "words"),
    [
        (job(run=2), "operation.run: 2 is a number where Kubernetes wants text; quote it"),
        (job(run="A b"), 'operation.run: "A b" becomes part of names; at most 20 lower-case letters, digits and -'),
        (job(run="2-"), 'operation.run: "2-" becomes part of names'),
        (job(run="r" * 21), f'operation.run: "{"r" * 21}" becomes part of names; at most 20 lower-case letters'),
        (operation({"a": {}}, operation={"run": "2"}), 'operation.run: "2", but kind is service'),
        (operation({"a": {}}, operation={"job": {"backoffLimit": 1}}), "operation.job: given, but kind is service"),
        (
            job({"rollout": {"maxUnavailable": 1}}),
            "groups.a.rollout: a Job cannot be rolled out, its pods are immutable; leave it out, a lower layer's goes",
        ),
        (job({"router": True}), "groups.a.router: an operation of kind job has no router"),
    ],
)
def test_what_a_job_cannot_be_is_refused(chart4: Chart, values: Values, words: str) -> None:
    assert chart4.refusal(values).startswith(words)


def test_it_never_becomes_ready(chart4: Chart) -> None:
    assert chart4.render(job({"minReadySeconds": 0}))
    refusal = chart4.refusal(job({"minReadySeconds": 5}))
    assert refusal.startswith("groups.a.minReadySeconds: 5, but the group is a Job, whose pods end; leave it out")
