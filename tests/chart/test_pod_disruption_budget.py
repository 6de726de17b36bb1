"""How many pods of a group may be evicted at once."""

from __future__ import annotations

from typing import Any

import pytest

from tests.chart.rendering import Chart, Values, layered, operation


def budget(chart: Chart, values: Values) -> Values:
    spec: Values = chart.render(values).get("PodDisruptionBudget", "rl-a")["spec"]
    return spec


@pytest.mark.parametrize(
    "asked",
    [{"minAvailable": 0}, {"maxUnavailable": "50%"}, {"minAvailable": 2, "unhealthyPodEvictionPolicy": "AlwaysAllow"}],
)
def test_it_says_what_the_group_says_of_its_own_pods(chart: Chart, asked: Values) -> None:
    selector = {"app.kubernetes.io/instance": "rl", "helm-roster.dev/group": "a"}
    found = budget(chart, operation({"a": {"replicas": 2, "disruptionBudget": asked}}))
    assert found == {**asked, "selector": {"matchLabels": selector}}


def test_the_later_layer_chooses_the_form(chart4: Chart) -> None:
    lower = {"disruptionBudget": {"minAvailable": 1, "unhealthyPodEvictionPolicy": "AlwaysAllow"}}
    found = budget(chart4, layered({"disruptionBudget": {"maxUnavailable": 1}}, defaults=lower))
    assert sorted(found) == ["maxUnavailable", "selector", "unhealthyPodEvictionPolicy"]


def test_a_null_form_is_absent(chart4: Chart) -> None:
    asked = {"minAvailable": 1, "maxUnavailable": None, "unhealthyPodEvictionPolicy": None}
    assert set(budget(chart4, operation({"a": {"disruptionBudget": asked}}))) == {"minAvailable", "selector"}


@pytest.mark.parametrize(
    "group",
    [{}, {"disruptionBudget": None}, {"unset": ["disruptionBudget"]}, {"unset": ["disruptionBudget.minAvailable"]}],
)
def test_a_group_without_a_budget_has_none(chart4: Chart, group: Values) -> None:
    lower = {"disruptionBudget": {"minAvailable": 1}} if group else {}
    assert "PodDisruptionBudget" not in chart4.render(layered(group, defaults=lower)).kinds()


def test_a_number_of_pods_of_a_job_may_be_kept(chart4: Chart) -> None:
    values = operation({"a": {"disruptionBudget": {"minAvailable": 1}}}, operation={"kind": "job"})
    assert budget(chart4, values)["minAvailable"] == 1


@pytest.mark.parametrize(
    ("kind", "asked", "words"),
    [
        ("service", {"minAvailable": 1, "maxUnavailable": 1}, "groups.a.disruptionBudget: both; give one of minAvail"),
        ("service", {"unhealthyPodEvictionPolicy": "AlwaysAllow"}, "groups.a.disruptionBudget: neither; give one of"),
        (
            "job",
            {"maxUnavailable": 1},
            "groups.a.disruptionBudget.maxUnavailable: 1, but Kubernetes counts pods of a J",
        ),
        ("job", {"minAvailable": "50%"}, "groups.a.disruptionBudget.minAvailable: 50%, but Kubernetes counts pods of"),
    ],
)
def test_a_budget_that_cannot_be_kept_is_refused(chart4: Chart, kind: str, asked: dict[str, Any], words: str) -> None:
    values = operation({"a": {"disruptionBudget": asked}}, operation={"kind": kind})
    assert chart4.refusal(values).startswith(words)


HPA = {"owner": "hpa", "max": 4, "metrics": {"m": {"type": "Pods", "pods": {}}}}


@pytest.mark.parametrize(
    ("group", "most"),
    [({"replicas": 2}, 2), ({"autoscaling": HPA}, 4), ({"autoscaling": {"owner": "external", "max": 3}}, 3)],
)
def test_a_budget_above_all_replicas_is_refused(chart4: Chart, group: Values, most: int) -> None:
    asked = {"disruptionBudget": {"minAvailable": most + 1}}
    refusal = chart4.refusal(operation({"a": {**group, **asked}}))
    assert refusal.startswith(f"groups.a.disruptionBudget.minAvailable: {most + 1}, but the group has {most} at most")
    assert budget(chart4, operation({"a": {**group, "disruptionBudget": {"minAvailable": most}}}))


@pytest.mark.parametrize("group", [{"replicas": 0}, {"autoscaling": {"owner": "external"}}], ids=["none", "unbounded"])
def test_a_budget_of_a_group_without_a_number_is_kept(chart4: Chart, group: Values) -> None:
    asked = {"disruptionBudget": {"minAvailable": 2}}
    assert budget(chart4, operation({"a": {**group, **asked}}))["minAvailable"] == 2
