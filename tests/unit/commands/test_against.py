"""What is told beforehand of an upgrade, from the manifests that the release holds."""

from __future__ import annotations

from typing import Any

import pytest

from helm_roster import constants
from helm_roster.backends import native
from helm_roster.commands import against, regrouped
from helm_roster.manifests.walk import Manifest
from helm_roster.model.plan import Plan
from helm_roster.policy import changes

from tests.unit import api_servers
from tests.unit.builders import gang, group, plan

HPA = {"owner": "hpa", "min": 1, "max": 8}


def manifests(made: Plan) -> list[Manifest]:
    """Return what a release of this plan holds."""
    labelled = [
        {**workload, "metadata": {**workload["metadata"], "labels": {constants.GROUP_LABEL: name}}}
        for name, workload in made.workloads.items()
    ]
    return [*labelled, *native.objects(made)]


def told(before: Plan, after: Plan, now: dict[str, int] | None = None) -> list[str]:
    held = manifests(before)
    restarts = regrouped.judge(regrouped.released(held, native.MEMBERSHIPS), held, after, native)
    found = changes.compare(held, manifests(after), changes.Ways("op"))
    return against.warnings(found, held, after, now or {}, restarts)


def one(count: int | None, **more: Any) -> Plan:
    """Return a plan of one group; without a count its workload holds no replicas."""
    made = plan({"a": group(1 if count is None else count, **more)})
    if count is None:
        del made.workloads["a"]["spec"]["replicas"]
    return made


GANG = {"step": gang(a=(1, True))}


@pytest.mark.parametrize(("replicas", "restarts"), [(2, True), (0, False)])
def test_a_gang_restarts_only_where_pods_of_it_run(replicas: int, restarts: bool) -> None:  # noqa: FBT001
    said = told(plan({"a": group(replicas)}), plan({"a": group(2)}, GANG))
    way = (
        'gang "step" restarts (it is turned on): helm roster upgrade op --recreate deletes all pods of a at once, '
        "and an upgrade without it is refused"
    )
    assert said == ([way] if restarts else [])


def test_a_job_without_parallelism_runs_as_kubernetes_has_it() -> None:
    jobs = {"a": group(2, kind="Job")}
    (said,) = told(plan(jobs, kind="job"), plan(jobs, GANG, kind="job"))
    assert said.startswith('helm roster upgrade will refuse this: gang "step": this restarts it (it is turned on)')
    assert "set operation.run" in said


def test_autoscaling_that_begins_is_told_as_refused() -> None:
    (said,) = told(one(4), one(None, autoscaling=HPA))
    start = "helm roster upgrade will refuse this, and plain helm upgrade would do it: "
    assert said.startswith(f'{start}group "a": autoscaling takes "replicas: 4" out of')


@pytest.mark.parametrize(("released", "running", "refused"), [(1, 5, True), (3, 1, False), (3, 0, False)])
def test_autoscaling_that_begins_is_told_by_what_runs(released: int, running: int, refused: bool) -> None:  # noqa: FBT001
    said = told(one(released), one(None, autoscaling=HPA), {"a": running})
    assert [line[:34] for line in said] == (["helm roster upgrade will refuse th"] if refused else [])


def test_autoscaling_that_ends_is_told_with_the_replicas() -> None:
    assert told(one(None, autoscaling=HPA), one(3)) == ['group "a": its autoscaler goes, and replicas become 3 at once']


def test_a_workload_that_is_replaced_is_told() -> None:
    (said,) = told(one(1), one(1, kind="Deployment"))
    reason = "StatefulSet op-a goes, Deployment op-a comes"
    assert said == f'group "a": its workload is recreated ({reason}): its pods end before new ones are ready'


def test_rolling_out_together_that_begins_with_another_version_is_told_as_refused() -> None:
    before, after = one(1), one(1, pod={"containers": [{"name": "main", "image": "a:2"}]})
    after.workloads["a"]["spec"]["template"]["metadata"] = {"labels": {"helm-roster.dev/revision": "abc"}}
    (said,) = told(before, after)
    start = "helm roster upgrade will refuse this, and plain helm upgrade would mix versions: "
    assert said.startswith(f"{start}a: rollout.coordinated begins while its pods change otherwise too")


@pytest.mark.parametrize(("status", "expected"), [(200, {"a": 5}), (403, {})], ids=["seen", "may not be listed"])
def test_what_runs_is_known_where_workloads_may_be_listed(
    monkeypatch: pytest.MonkeyPatch, status: int, expected: dict[str, int]
) -> None:
    running = {"metadata": {"labels": {constants.GROUP_LABEL: "a"}}, "spec": {"replicas": 5}}

    def answer(path: str) -> tuple[int, Manifest]:
        return (status, {"items": [running]}) if "/statefulsets?" in path else (200, {"items": []})

    with api_servers.serving(answer, monkeypatch):
        assert against.replicas("op", one(None, autoscaling=HPA)) == expected
