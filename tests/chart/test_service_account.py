"""Whom the pods of a group act as: service accounts of the group, and what they may do."""

from __future__ import annotations

from typing import Any

import pytest

from tests.chart.rendering import Chart, Values, operation

RULES = [{"apiGroups": [""], "resources": ["pods"], "verbs": ["get", "list"]}]
RBAC = {"Role", "RoleBinding"}


def account(**fields: Any) -> Values:
    return {"environment": {"serviceAccount": fields}}


def test_an_account_of_the_group_is_called_as_its_workload(chart: Chart) -> None:
    objects = chart.render(operation({"a": account(create=True, annotations={"example.org/role": "x"})}))
    made = objects.get("ServiceAccount", "rl-a")
    assert made["metadata"]["annotations"]["example.org/role"] == "x"
    assert objects.pod()["serviceAccountName"] == "rl-a"
    assert not RBAC & objects.kinds()


def test_an_account_may_have_a_name_of_its_own(chart: Chart) -> None:
    objects = chart.render(operation({"a": account(name="on")}))
    assert objects.get("ServiceAccount", "on")
    assert objects.pod()["serviceAccountName"] == "on"


@pytest.mark.parametrize(
    ("asked", "subject"), [({"create": True}, "rl-a"), ({"create": False, "name": "there"}, "there")]
)
def test_rules_become_a_role_that_is_bound_to_the_account(chart: Chart, asked: Values, subject: str) -> None:
    objects = chart.render(operation({"a": account(**asked, rules=RULES)}))
    binding = objects.get("RoleBinding", "rl-a")
    assert objects.get("Role", "rl-a")["rules"] == RULES
    assert binding["roleRef"] == {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": "rl-a"}
    assert binding["subjects"] == [{"kind": "ServiceAccount", "name": subject, "namespace": "default"}]


def test_an_existing_account_is_not_made(chart4: Chart) -> None:
    objects = chart4.render(operation({"a": account(create=False, name="there")}))
    assert (objects.pod()["serviceAccountName"], "ServiceAccount" in objects.kinds()) == ("there", False)


@pytest.mark.parametrize("asked", [{}, {"create": None}, {"rules": None}])
def test_an_account_of_which_nothing_is_said_is_made_too(chart4: Chart, asked: Values) -> None:
    assert chart4.render(operation({"a": account(**asked)})).get("ServiceAccount", "rl-a")


@pytest.mark.parametrize("asked", [None, {"create": False}])
def test_who_asks_for_no_account_gets_none(chart4: Chart, asked: Values | None) -> None:
    objects = chart4.render(operation({"a": {"environment": {"serviceAccount": asked}}}))
    assert objects.kinds() == {"Deployment", "Service"}
    assert "serviceAccountName" not in objects.pod()
    assert "serviceAccount" not in objects.pod()


def test_accounts_from_defaults_are_one_for_each_group(chart4: Chart) -> None:
    values = operation({"a": {}, "b": {"environment": {"serviceAccount": None}}})
    values["defaults"] |= account(create=True, rules=RULES)
    objects = chart4.render(values)
    assert objects.get("ServiceAccount", "rl-a")
    assert [entry["metadata"]["name"] for entry in objects.all if entry["kind"] in RBAC] == ["rl-a", "rl-a"]


@pytest.mark.parametrize(
    ("group", "words"),
    [
        (
            {"environment": {"serviceAccount": {"create": True}, "serviceAccountName": "x"}},
            "groups.b.environment.serviceAccount: given, and so is serviceAccountName (x); keep one",
        ),
        (account(name="shared"), 'groups.b.environment.serviceAccount.name: group "a" makes "shared" already; let it'),
        (
            account(create=False, name="x", annotations={"y.z/a": "b"}),
            'groups.b.environment.serviceAccount.annotations: given, but create is false, so "x" is not ours',
        ),
        (
            account(create=False, rules=RULES),
            "groups.b.environment.serviceAccount.rules: given, but create is false and no name says whose; give name",
        ),
        (
            account(annotations={"helm-roster.dev/kind": "x"}),
            "groups.b.environment.serviceAccount.annotations: helm-roster.dev/kind is written by the chart",
        ),
        (
            account(annotations={"helm.sh/resource-policy": "keep"}),
            "groups.b.environment.serviceAccount.annotations: helm.sh/resource-policy is an order to Helm",
        ),
        (
            account(annotations={"y.z/a": 1}),
            "groups.b.environment.serviceAccount.annotations.y.z/a: 1 is a number where Kubernetes wants text",
        ),
    ],
)
def test_an_account_that_cannot_be_meant_is_refused(chart4: Chart, group: Values, words: str) -> None:
    assert chart4.refusal(operation({"a": account(name="shared"), "b": group})).startswith(words)
