"""Groups of a job."""

from __future__ import annotations

from typing import Any

import pytest

from tests.chart import validity
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


CODES = {"operator": "In", "values": [42]}
RULES = "operation.job.podFailurePolicy.rules.0"
SUCCESS = "operation.job.successPolicy.rules.0"


def failing(action: str = "FailJob", **rule: Any) -> Values:
    return {"podFailurePolicy": {"rules": [{"action": action, "onExitCodes": CODES, **rule}]}}


def succeeding(**rule: Any) -> Values:
    return {"successPolicy": {"rules": [rule]}}


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"maxFailedIndexes": 1}, "operation.job.maxFailedIndexes: 1, but only backoffLimitPerIndex lets a single"),
        (
            {"maxFailedIndexes": 4, "backoffLimitPerIndex": 1},
            'operation.job.maxFailedIndexes: 4, but group "a" has 3 indexes, counted from 0; the fields of',
        ),
        (
            {**failing(), "podReplacementPolicy": "TerminatingOrFailed"},
            "operation.job.podReplacementPolicy: TerminatingOrFailed, but a podFailurePolicy looks at a pod once",
        ),
        (failing("FailIndex"), f"{RULES}.action: FailIndex, but only backoffLimitPerIndex lets a single index fail"),
        (failing("Fail"), f"{RULES}.action: Fail; allowed: Count, FailIndex, FailJob, Ignore"),
        ({"podFailurePolicy": {"rules": [{}]}}, f"{RULES}.action: missing; allowed: Count, FailIndex, FailJob, Ignore"),
        (failing(onExitCodes=None), f"{RULES}: says no condition; give one of onExitCodes and onPodConditions"),
        (failing(onPodConditions=[{"type": "x"}]), f"{RULES}: says onExitCodes and onPodConditions; give one of"),
        (failing(onExitCodes={"values": [1]}), f"{RULES}.onExitCodes.operator: missing; allowed: In, NotIn"),
        (failing(onExitCodes={"operator": "In"}), f"{RULES}.onExitCodes.values: none; give the exit codes"),
        (failing(onExitCodes={**CODES, "values": [0]}), f"{RULES}.onExitCodes.values: 0 is no failure; leave it out"),
        (
            failing(onExitCodes={**CODES, "containerName": "mian"}),
            f'{RULES}.onExitCodes.containerName: there is, in group "a", no container "mian"; known: main',
        ),
        ({"successPolicy": {}}, "operation.job.successPolicy.rules: none; say which indexes must succeed"),
        (succeeding(), f"{SUCCESS}: says neither succeededIndexes nor a succeededCount of 1 or more; give one"),
        (succeeding(succeededIndexes="0..2"), f'{SUCCESS}.succeededIndexes: "0..2"; write numbers and ranges'),
        *(
            (succeeding(succeededIndexes=given), f'{SUCCESS}.succeededIndexes: "{given}"; {part} does not rise; write')
            for given, part in (("2-0", "2-0"), ("1-1", "1-1"), ("2,0", "0"), ("1,1", "1"), ("0-1,1-2", "1-2"))
        ),
        (
            succeeding(succeededIndexes="0,2", succeededCount=3),
            f"{SUCCESS}.succeededCount: 3, but succeededIndexes (0,2) are 2; allowed: up to that",
        ),
        (succeeding(succeededIndexes="0,2-3"), f'{SUCCESS}.succeededIndexes: 3, but group "a" has 3 indexes, counted'),
        (succeeding(succeededCount=4), f'{SUCCESS}.succeededCount: 4, but group "a" has 3 indexes, counted from 0'),
    ],
)
def test_fields_of_the_job_that_no_job_may_have_together_are_refused(chart4: Chart, fields: Values, words: str) -> None:
    assert chart4.refusal(job({"replicas": 3}, job=fields)).startswith(words)


def test_policies_of_the_job_that_fit_it_are_passed_on(chart4: Chart) -> None:
    codes = {"operator": "NotIn", "values": [0], "containerName": "log"}
    rules = [
        {"action": "FailIndex", "onExitCodes": codes},
        {"action": "Ignore", "onPodConditions": [{"type": "DisruptionTarget", "status": "True"}]},
    ]
    given = {
        "backoffLimitPerIndex": 1,
        "maxFailedIndexes": 3,
        "podReplacementPolicy": "Failed",
        "podFailurePolicy": {"rules": rules},
        "successPolicy": {"rules": [{"succeededIndexes": "0,1-2", "succeededCount": 2}]},
    }
    objects = chart4.render(job({"replicas": 3, "sidecars": {"log": {}}}, job=given))
    assert objects.workload()["spec"].items() >= given.items()
    validity.check(objects.all)
