"""The account of groups that find others by their labels."""

from __future__ import annotations

import pytest

from tests.chart.rendering import Chart, Objects, Values, operation

SELECTING: Values = {"container": {"args": [{"fromGroup": "b", "as": "labels"}]}}
RULES = [{"apiGroups": [""], "resources": ["pods"], "verbs": ["get", "list", "watch"]}]
FORBIDDEN = {"container": {"image": "example/app:1"}, "environment": {"automountServiceAccountToken": False}}


def render(chart: Chart, **environment: object) -> Objects:
    """Return what comes of a group that selects another, with these settings beside."""
    group = {**SELECTING, "environment": environment}
    return chart.render(operation({"a": group, "b": {}}, defaults=FORBIDDEN))


def test_it_may_read_pods_and_nothing_else_and_gets_its_token(chart: Chart) -> None:
    objects = render(chart)
    assert objects.get("Role", "rl-a")["rules"] == RULES
    assert objects.get("RoleBinding", "rl-a")["subjects"][0]["name"] == "rl-a"
    pod = objects.pod("a")
    assert (pod["serviceAccountName"], pod["automountServiceAccountToken"]) == ("rl-a", True)
    assert objects.pod("b")["automountServiceAccountToken"] is False


def test_a_selector_in_a_variable_counts_too_and_other_forms_do_not(chart4: Chart) -> None:
    variable = {"container": {"env": {"X": {"fromGroup": "b", "as": "selector"}}}}
    other = {"container": {"env": {"X": {"fromGroup": "b", "as": "count"}, "Y": '{"as":"labels"}'}}}
    objects = chart4.render(operation({"a": variable, "b": {}, "c": other}))
    assert [entry["metadata"]["name"] for entry in objects.all if entry["kind"] == "Role"] == ["rl-a"]


@pytest.mark.parametrize(
    "environment",
    [
        {"serviceAccountName": "own"},
        {"serviceAccount": {"create": False, "name": "own"}},
        {"serviceAccount": {"create": False}},
        {"serviceAccount": {"rules": []}},
    ],
)
def test_an_account_that_the_group_names_is_left_alone(chart4: Chart, environment: Values) -> None:
    assert "Role" not in render(chart4, **environment).kinds()


def test_an_account_of_its_own_keeps_what_is_said_of_it(chart4: Chart) -> None:
    objects = render(chart4, serviceAccount={"annotations": {"x": "y"}})
    assert objects.get("ServiceAccount", "rl-a")["metadata"]["annotations"]["x"] == "y"
    assert objects.get("Role", "rl-a")["rules"] == RULES


def test_a_group_may_say_that_its_pods_have_no_token(chart4: Chart) -> None:
    assert render(chart4, automountServiceAccountToken=False).pod("a")["automountServiceAccountToken"] is False
