"""The kind of a group's workload, and its lifecycle: what ends, and what serves it meanwhile."""

from __future__ import annotations

from typing import Any

import pytest

from tests.chart.rendering import GPU, Chart, Values, operation
from tests.support.turns import by_turns

STORE = {"lifecycle": "auxiliary", "container": {"ports": {"http": 80}}}


def job(run: str = "", **groups: Any) -> Values:
    return operation({"trainer": {}, **groups}, operation={"kind": "job", **({"run": run} if run else {})})


def ganged(kind: str, group: Values) -> Values:
    scheduling = {"placement": {"backend": "native"}, "gangs": {"g": {"members": {"a": {}}}}}
    return operation({"a": group, "main": {}}, operation={"kind": kind}, scheduling=scheduling)


@by_turns("kind", ["Deployment", "StatefulSet"])
def test_a_group_of_a_service_is_what_it_says(chart: Chart, kind: str) -> None:
    assert chart.render(operation({"a": {"workload": kind}})).workload()["kind"] == kind


@by_turns(
    ("group", "kind"),
    [
        (STORE, "Deployment"),
        ({**STORE, "workload": "StatefulSet"}, "StatefulSet"),
        ({"lifecycle": "auxiliary", "workload": "Job"}, "Job"),
        ({"lifecycle": "primary"}, "Job"),
        ({"lifecycle": None, "workload": None}, "Job"),
    ],
)
def test_what_serves_a_job_never_ends_unless_it_says_so(chart: Chart, group: Values, kind: str) -> None:
    assert chart.render(job(a=group)).workload()["kind"] == kind


def test_what_serves_a_job_has_both_services(chart: Chart) -> None:
    objects = chart.render(job(store=STORE))
    assert objects.get("Service", "rl-store-svc")["spec"]["ports"][0]["port"] == 80
    assert objects.get("Service", "rl-store")["spec"]["clusterIP"] == "None"


def test_what_serves_a_job_gets_no_rendezvous(chart: Chart) -> None:
    objects = chart.render(job(store={**STORE, "container": {"env": {"MASTER_ADDR": "own"}}}))
    assert objects.env("store") == {"MASTER_ADDR": "own"}
    assert "PET_NNODES" in objects.env("trainer")


def test_a_variable_that_was_left_out_names_no_layer(chart4: Chart) -> None:
    assert not [path for path in chart4.resolved(job(store=STORE))["layers"]["store"] if "MASTER" in path]


def test_what_serves_a_job_keeps_its_name_over_the_runs(chart: Chart) -> None:
    objects = chart.render(job("2", store=STORE))
    assert objects.workload("store")["metadata"]["name"] == "rl-store"
    assert objects.workload("trainer")["metadata"]["name"] != "rl-trainer"
    assert objects.get("Service", "rl-store-svc")


def test_what_serves_a_job_in_a_gang_is_made_anew_with_it(chart4: Chart) -> None:
    values = ganged("job", {"lifecycle": "auxiliary"})
    values["operation"]["run"] = "2"
    objects = chart4.render(values)
    assert objects.workload("a")["metadata"]["name"] != "rl-a"
    assert objects.workload("a")["spec"]["serviceName"] == objects.workload("a")["metadata"]["name"]


@pytest.mark.parametrize("group", [{}, STORE])
def test_the_lifecycle_is_on_the_workload_and_in_the_resolved_operation(chart4: Chart, group: Values) -> None:
    lifecycle = group.get("lifecycle", "primary")
    values = operation({"a": group, "b": {}})
    annotations = chart4.render(values).workload()["metadata"]["annotations"]
    assert annotations["helm-roster.dev/lifecycle"] == lifecycle
    assert chart4.resolved(values)["groups"]["a"]["lifecycle"] == lifecycle


@pytest.mark.parametrize("kind", ["service", "job"])
def test_a_gang_of_pods_that_never_end_is_a_stateful_set(chart4: Chart, kind: str) -> None:
    assert chart4.render(ganged(kind, {"lifecycle": "auxiliary"})).workload()["kind"] == "StatefulSet"


@pytest.mark.parametrize(
    ("values", "words"),
    [
        (operation({"a": {"workload": "Job"}}), "groups.a.workload: Job, but the operation is of kind service, whose"),
        (job(a={"workload": "Deployment"}), "groups.a.workload: Deployment, which never ends, but a job ends when its"),
        (ganged("service", {"workload": "Deployment"}), 'groups.a.workload: Deployment, but gang "g" has no room for'),
        (operation({"a": {"lifecycle": "auxiliary"}}), "groups: all have lifecycle auxiliary; at least one is primary"),
        (
            operation({"a": {"lifecycle": "auxiliary", "router": True}, "b": {}}),
            "groups.a.lifecycle: auxiliary, but a router decides whether the operation is ready; leave lifecycle out",
        ),
        (operation({"a": {"rollout": {"partition": 1}}}), "groups.a.rollout.partition: the group is a Deployment, and"),
    ],
)
def test_a_workload_that_does_not_fit_is_refused(chart4: Chart, values: Values, words: str) -> None:
    assert chart4.refusal(values).startswith(words)


def test_a_stateful_set_is_rolled_out_in_part(chart: Chart) -> None:
    group = {"workload": "StatefulSet", "rollout": {"partition": 3}}
    strategy = chart.render(operation({"a": group})).workload()["spec"]["updateStrategy"]
    assert strategy == {"type": "RollingUpdate", "rollingUpdate": {"partition": 3}}


def test_accelerators_of_what_serves_a_job_roll_out_without_a_surplus(chart4: Chart) -> None:
    values = job(a={**STORE, "accelerators": 1, "presets": ["gpu"]}) | {"presets": {"gpu": GPU}}
    assert chart4.render(values).workload()["spec"]["strategy"]["rollingUpdate"]["maxSurge"] == 0
