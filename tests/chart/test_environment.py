"""What surrounds the container, and the labels and annotations of pods and objects."""

from __future__ import annotations

import pytest

from helm_roster import constants

from tests.chart.rendering import Chart, Values, layered, operation


def test_the_hosts_network_brings_its_dns_policy(chart: Chart) -> None:
    assert chart.render(layered({"environment": {"hostNetwork": True}})).pod()["dnsPolicy"] == "ClusterFirstWithHostNet"


def test_a_dns_policy_of_the_user_wins(chart4: Chart) -> None:
    environment = {"hostNetwork": True, "dnsPolicy": "Default"}
    assert chart4.render(layered({"environment": environment})).pod()["dnsPolicy"] == "Default"


def test_pods_carry_our_labels_and_the_users(chart: Chart) -> None:
    values = layered({"environment": {"labels": {"x": "y"}, "annotations": {"n": "1"}}}, defaults={})
    metadata = chart.render({**values, "operation": {"name": "chat"}}).workload()["spec"]["template"]["metadata"]
    assert metadata["annotations"] == {"n": "1"}
    assert metadata["labels"] == {
        constants.INSTANCE_LABEL: "rl",
        constants.OPERATION_LABEL: "chat",
        constants.GROUP_LABEL: "a",
        "x": "y",
    }


def test_labels_of_the_operation_are_on_its_objects_and_never_on_pods(chart: Chart) -> None:
    objects = chart.render(operation({"a": {}}, labels={"x": "y"}, annotations={"n": "1"}))
    assert all(entry["metadata"]["labels"]["x"] == "y" for entry in objects.all)
    assert all(entry["metadata"]["annotations"]["n"] == "1" for entry in objects.all)
    assert "x" not in objects.workload()["spec"]["template"]["metadata"]["labels"]


def test_the_version_of_the_chart_is_on_objects_and_never_in_a_template(chart4: Chart) -> None:
    workload = chart4.render(operation({"a": {}})).workload()
    assert workload["metadata"]["annotations"][constants.CHART_VERSION_ANNOTATION] == "0.1.0"
    assert "chart-version" not in str(workload["spec"])


@pytest.mark.parametrize("major", ["helm3", "helm4"])
def test_helm_is_named_as_the_manager_of_objects_only(major: str, request: pytest.FixtureRequest) -> None:
    workload = Chart(request.getfixturevalue(major)).render(operation({"a": {}})).workload()
    assert workload["metadata"]["labels"][constants.MANAGED_BY_LABEL] == "Helm"
    assert constants.MANAGED_BY_LABEL not in workload["spec"]["template"]["metadata"]["labels"]


@pytest.mark.parametrize(
    ("values", "words"),
    [
        (
            layered({"environment": {"labels": {constants.GROUP_LABEL: "x"}}}),
            "groups.a.environment.labels: helm-roster.",
        ),
        (
            layered({"environment": {"annotations": {constants.KIND_ANNOTATION: "x"}}}),
            "groups.a.environment.annotations",
        ),
        (
            operation({"a": {}}, labels={constants.INSTANCE_LABEL: "x"}),
            "labels: app.kubernetes.io/instance is written by",
        ),
        (operation({"a": {}}, annotations={constants.GANG_ANNOTATION: "x"}), "annotations: helm-roster.dev/gang is"),
    ],
)
def test_keys_that_the_chart_writes_are_refused(chart4: Chart, values: Values, words: str) -> None:
    assert chart4.refusal(values).startswith(words)


@pytest.mark.parametrize(
    ("toleration", "words"),
    [
        ({"value": "present"}, 'gpu has operator Exists and the value "present", which Exists never reads; leave'),
        (
            {"effect": "NoSchedule", "tolerationSeconds": 9},
            "gpu has tolerationSeconds and effect NoSchedule, but only a",
        ),
        ({"tolerationSeconds": 9}, "gpu has tolerationSeconds and no effect, but only a taint of effect NoExecute"),
        ({"key": "", "operator": "Equal"}, '{"key":"","operator":"Equal"} has no key, and only operator Exists does'),
        (
            {"operator": "Foo"},
            'gpu has operator "Foo"; allowed: Equal, Exists, or where the cluster has them Gt and Lt',
        ),
        ({"key": "a b"}, '"a b" cannot be a key; allowed: up to 63 letters'),
        ({"effect": "NoRun"}, 'gpu has effect "NoRun"; allowed: NoExecute, NoSchedule, PreferNoSchedule, or none'),
    ],
)
def test_tolerations_that_kubernetes_would_not_take_are_refused(chart4: Chart, toleration: Values, words: str) -> None:
    tolerations = [{"key": "gpu", "operator": "Exists", **toleration}]
    refusal = chart4.refusal(layered({"environment": {"tolerations": tolerations}}))
    assert refusal.startswith(f"groups.a.environment.tolerations: {words}")


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"topologyKey": None}, "{"),
        ({"topologyKey": "the zone"}, '"the zone" cannot be a key; allowed: '),
        ({"maxSkew": None}, "zone: maxSkew is missing; set by how many pods places may differ, 1 or more"),
        ({"maxSkew": 0}, "zone: maxSkew is 0; set by how many pods places may differ, 1 or more"),
        ({"whenUnsatisfiable": None}, "zone: whenUnsatisfiable is missing; allowed: DoNotSchedule, ScheduleAnyway"),
        ({"whenUnsatisfiable": "Never"}, "zone: whenUnsatisfiable is Never; allowed: DoNotSchedule, ScheduleAnyway"),
    ],
)
@pytest.mark.parametrize("listed", [True, False], ids=["list", "map"])
def test_a_spread_constraint_that_says_too_little_is_refused(
    chart4: Chart, given: Values, words: str, *, listed: bool
) -> None:
    constraint = {"topologyKey": "zone", "whenUnsatisfiable": "DoNotSchedule", "maxSkew": 1, **given}
    spread = [constraint] if listed else {"x": constraint}
    refusal = chart4.refusal(layered({"environment": {"topologySpreadConstraints": spread}}))
    assert refusal.startswith(f"groups.a.environment.topologySpreadConstraints: {words}")


@pytest.mark.parametrize("given", [{}, {"labelSelector": {}}, {"labelSelector": {"matchLabels": {"x": "y"}}}])
def test_pods_of_the_group_are_spread_unless_others_are_said(chart: Chart, given: Values) -> None:
    constraint = {"topologyKey": "zone", "whenUnsatisfiable": "DoNotSchedule", "maxSkew": 1}
    workload = chart.render(layered({"environment": {"topologySpreadConstraints": [constraint | given]}})).workload()
    (found,) = workload["spec"]["template"]["spec"]["topologySpreadConstraints"]
    assert found == {**constraint, "labelSelector": workload["spec"]["selector"], **given}
