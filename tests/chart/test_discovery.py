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
        {"serviceAccount": {"rules": []}},
    ],
)
def test_an_account_that_the_group_names_is_left_alone(chart4: Chart, environment: Values) -> None:
    assert "Role" not in render(chart4, **environment).kinds()


READER = {"s": {"kind": "secret", "secret": "x", "serviceAccountName": "reader", "env": {"A": "b"}}}


def connected(group: Values) -> Values:
    """Return values with a group that selects another and has a connection that brings an account."""
    groups = {"a": {**SELECTING, "connections": ["s"], **group}, "b": {}}
    return operation(groups, defaults=FORBIDDEN, connections=READER)


@pytest.mark.parametrize("account", [{}, {"serviceAccount": {"create": False}}])
def test_an_account_that_a_connection_brings_gets_the_right(chart: Chart, account: Values) -> None:
    objects = chart.render(connected({"environment": account}))
    assert objects.get("RoleBinding", "rl-a")["subjects"][0]["name"] == "reader"
    assert objects.get("Role", "rl-a")["rules"] == RULES
    assert objects.pod("a")["serviceAccountName"] == "reader"
    assert "ServiceAccount" not in objects.kinds()


def test_an_account_of_the_groups_own_wins_over_that_of_a_connection(chart4: Chart) -> None:
    objects = chart4.render(connected({"environment": {"serviceAccount": {}}}))
    assert objects.get("RoleBinding", "rl-a")["subjects"][0]["name"] == objects.pod("a")["serviceAccountName"] == "rl-a"


def test_nobodys_account_that_would_not_see_the_pods_is_refused(chart4: Chart) -> None:
    said = chart4.refusal(
        operation({"a": {**SELECTING, "environment": {"serviceAccount": {"create": False}}}, "b": {}})
    )
    assert said.startswith(
        "groups.a.environment.serviceAccount.create: false, and no name says whose, but the pods find"
    )


def pods(objects: Objects) -> list[tuple[str | None, bool]]:
    """Return the account of leaders and of workers of group a, and whether they have its token."""
    template = objects.workload("a")["spec"]["leaderWorkerTemplate"]
    specs = [template[name]["spec"] for name in ("leaderTemplate", "workerTemplate")]
    return [(spec.get("serviceAccountName"), spec["automountServiceAccountToken"]) for spec in specs]


def leading(leader: Values, group: Values | None = None) -> Values:
    """Return values with a group whose leaders look for another group."""
    made = {"podsPerReplica": 2, "leader": {**SELECTING, **leader}, **(group or {})}
    return operation({"a": made, "b": {}}, defaults=FORBIDDEN, connections=READER)


def test_only_leaders_that_look_get_the_token(chart: Chart) -> None:
    objects = chart.render(leading({}))
    assert pods(objects) == [("rl-a", True), ("rl-a", False)]
    assert objects.get("Role", "rl-a")["rules"] == RULES
    said = leading({"environment": {"automountServiceAccountToken": False}})
    assert pods(chart.render(said)) == [("rl-a", False), ("rl-a", False)]


def test_leaders_that_name_an_account_are_left_alone(chart4: Chart) -> None:
    objects = chart4.render(leading({"environment": {"serviceAccountName": "mine"}}))
    assert pods(objects) == [("mine", True), (None, False)]
    assert "Role" not in objects.kinds()
    both = leading({"environment": {"serviceAccountName": "mine"}}, SELECTING)
    assert pods(chart4.render(both)) == [("mine", True), ("rl-a", True)]


def test_workers_that_look_give_their_leaders_the_account_and_no_token(chart4: Chart) -> None:
    leader: Values = {"container": {"args": ["serve"]}}
    assert pods(chart4.render(leading(leader, SELECTING))) == [("rl-a", False), ("rl-a", True)]


def test_leaders_with_an_account_of_a_connection_of_their_own_are_refused(chart4: Chart) -> None:
    said = chart4.refusal(leading({"connections": ["s"]}))
    assert said.startswith(
        'groups.a.leader.connections: "s" makes the leader act as "reader", and it finds others by la'
    )
    shared = chart4.render(leading({}, {"connections": ["s"]}))
    assert pods(shared) == [("reader", True), ("reader", False)]
    assert shared.get("RoleBinding", "rl-a")["subjects"][0]["name"] == "reader"


def test_an_account_of_its_own_keeps_what_is_said_of_it(chart4: Chart) -> None:
    objects = render(chart4, serviceAccount={"annotations": {"x": "y"}})
    assert objects.get("ServiceAccount", "rl-a")["metadata"]["annotations"]["x"] == "y"
    assert objects.get("Role", "rl-a")["rules"] == RULES


def test_a_group_may_say_that_its_pods_have_no_token(chart4: Chart) -> None:
    assert render(chart4, automountServiceAccountToken=False).pod("a")["automountServiceAccountToken"] is False
