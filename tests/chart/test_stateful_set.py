"""Groups of a service that are members of a gang."""

from __future__ import annotations

from typing import Any

import pytest

from tests.chart.rendering import Chart, Values, operation


def gang(group: dict[str, Any], **member: Any) -> Values:
    scheduling = {"placement": {"backend": "native"}, "gangs": {"step": {"members": {"a": member}}}}
    return operation({"a": group}, scheduling=scheduling)


def test_a_member_of_a_gang_is_a_stateful_set_that_starts_all_pods_at_once(chart: Chart) -> None:
    workload = chart.render(gang({"replicas": 2})).workload()
    assert (workload["kind"], workload["spec"]["podManagementPolicy"]) == ("StatefulSet", "Parallel")


def test_its_pods_are_named_through_the_headless_service(chart4: Chart) -> None:
    objects = chart4.render(gang({}))
    service = objects.get("Service", objects.workload()["spec"]["serviceName"])
    assert service["spec"]["clusterIP"] == "None"


def test_it_carries_the_name_of_its_gang(chart4: Chart) -> None:
    assert chart4.render(gang({})).workload()["metadata"]["annotations"]["helm-roster.dev/gang"] == "step"


def test_it_may_wait_for_deletion(chart4: Chart) -> None:
    workload = chart4.render(gang({"rollout": {"type": "OnDelete"}})).workload()
    assert workload["spec"]["updateStrategy"] == {"type": "OnDelete"}


@pytest.mark.parametrize(
    ("rollout", "steps"),
    [({}, {"partition": 0}), ({"partition": 2}, {"partition": 2}), ({"type": "RollingUpdate"}, {"partition": 0})],
)
def test_a_partition_is_always_said(chart4: Chart, rollout: dict[str, Any], steps: dict[str, Any]) -> None:
    """Where it is absent, Kubernetes makes a pod that is deleted in a rollout of the old template again."""
    workload = chart4.render(gang({"rollout": rollout} if rollout else {})).workload()
    assert workload["spec"]["updateStrategy"] == {"type": "RollingUpdate", "rollingUpdate": steps}


@pytest.mark.parametrize(
    ("rollout", "words"),
    [
        ({"type": "Recreate"}, "groups.a.rollout.type: Recreate, but the group is a StatefulSet; allowed: "),
        ({"maxSurge": 1}, "groups.a.rollout.maxSurge: the group is a StatefulSet, which never"),
        ({"maxSurge": 1, "maxUnavailable": 0}, "groups.a.rollout.maxSurge: the group is a StatefulSet, which never"),
    ],
)
def test_a_rollout_of_another_kind_is_refused(chart4: Chart, rollout: dict[str, Any], words: str) -> None:
    assert chart4.refusal(gang({"rollout": rollout})).startswith(words)
