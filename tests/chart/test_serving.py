"""How others find and reach the pods of a group: the labels of those that serve, its role, its port."""

from __future__ import annotations

from typing import Any

import pytest

from tests.chart.rendering import Chart, operation

PORTS = {"container": {"ports": {"http": 8000, "bootstrap": 8998}}}
LEADER = "helm-roster.dev/leader"
ROLE = "helm-roster.dev/role"


def metadata(chart: Chart, **serving: Any) -> dict[str, Any]:
    """Return the metadata of the pod template of a group with these settings."""
    group = {**PORTS, "serving": serving, "environment": {"annotations": {"example.org/note": "1"}}}
    found: dict[str, Any] = chart.render(operation({"a": group})).workload()["spec"]["template"]["metadata"]
    return found


def test_pods_of_a_group_that_says_how_it_serves_carry_it_and_selectors_of_workloads_never(chart: Chart) -> None:
    workload = chart.render(operation({"a": {**PORTS, "serving": {"port": "http"}}})).workload()
    assert workload["spec"]["template"]["metadata"]["labels"][LEADER] == "true"
    assert LEADER not in workload["spec"]["selector"]["matchLabels"]


@pytest.mark.parametrize("kind", ["service", "job"])
def test_what_other_pods_are_called_stays_as_it_was_so_that_no_upgrade_replaces_them(chart4: Chart, kind: str) -> None:
    objects = chart4.render(operation({"a": PORTS}, operation={"kind": kind}))
    assert LEADER not in objects.workload()["spec"]["template"]["metadata"]["labels"]
    for service in ("rl-a", "rl-a-svc"):
        assert LEADER not in objects.get("Service", service)["spec"]["selector"]


def test_services_of_single_pods_do_not_look_for_it_so_that_older_pods_stay_reached(chart4: Chart) -> None:
    objects = chart4.render(operation({"a": {**PORTS, "serving": {"port": "http"}}}))
    assert LEADER not in objects.get("Service", "rl-a-svc")["spec"]["selector"]


def test_the_role_is_a_label_of_the_pods(chart4: Chart) -> None:
    assert metadata(chart4, role="decode")["labels"][ROLE] == "decode"
    assert ROLE not in metadata(chart4)["labels"]


def test_annotations_hold_the_numbers_of_ports(chart: Chart) -> None:
    annotations = metadata(chart, portAnnotations={"sglang.ai/bootstrap-port": "bootstrap"})["annotations"]
    assert annotations == {"example.org/note": "1", "sglang.ai/bootstrap-port": "8998"}


def test_labels_stand_on_the_pods_that_serve_alone_and_in_no_selector(chart: Chart) -> None:
    group = {**PORTS, "serving": {"labels": {"llm-d.ai/role": "decode"}}}
    objects = chart.render(operation({"a": group, "b": {**group, "podsPerReplica": 2}}))
    pods = objects.workload()["spec"]
    assert pods["template"]["metadata"]["labels"]["llm-d.ai/role"] == "decode"
    assert "llm-d.ai/role" not in pods["selector"]["matchLabels"]
    parts = objects.workload("b")["spec"]["leaderWorkerTemplate"]
    labels = [parts[part]["metadata"]["labels"].get("llm-d.ai/role") for part in ("leaderTemplate", "workerTemplate")]
    assert labels == ["decode", None]


@pytest.mark.parametrize(
    ("serving", "words"),
    [
        ({"role": "a b"}, 'groups.a.serving.role: "a b" cannot be the value of a label'),
        (
            {"port": "htpp"},
            'groups.a.serving.port: there is no port of the group "a" called "htpp" (did you mean "http"?); known: ',
        ),
        ({"portAnnotations": {"x/y": "bootstap"}}, "groups.a.serving.portAnnotations.x/y: there is no port of the"),
        ({"portAnnotations": {"x/y": 8998}}, "groups.a.serving.portAnnotations.x/y: 8998 is a number where Kuber"),
        (
            {"portAnnotations": {"example.org/note": "http"}},
            "groups.a.serving.portAnnotations.example.org/note: environment.annotations has this key too; keep one",
        ),
        ({"portAnnotations": {"helm-roster.dev/x": "http"}}, "groups.a.serving.portAnnotations: helm-roster.dev/x is"),
        ({"labels": {"helm-roster.dev/x": "y"}}, "groups.a.serving.labels: helm-roster.dev/x is written by the chart"),
        ({"labels": {"x": "a b"}}, 'groups.a.serving.labels.x: "a b" cannot be the value of a label'),
        ({"labels": {"x": 1}}, "groups.a.serving.labels.x: 1 is a number where Kubernetes wants text; quote it"),
        ({"labels": {"own": "y"}}, "groups.a.serving.labels.own: environment.labels has this key too; keep one"),
    ],
)
def test_what_no_pod_could_say_is_refused(chart4: Chart, serving: dict[str, Any], words: str) -> None:
    environment = {"annotations": {"example.org/note": "1"}, "labels": {"own": "x"}}
    group = {**PORTS, "serving": serving, "environment": environment}
    assert chart4.refusal(operation({"a": group})).startswith(words)


def test_a_port_annotation_that_the_leader_has_otherwise_is_refused(chart4: Chart) -> None:
    key = "example.org/note"
    leader = {"environment": {"annotations": {key: "mine"}}}
    group = {**PORTS, "podsPerReplica": 2, "serving": {"portAnnotations": {key: "http"}}, "leader": leader}
    told = f"groups.a.serving.portAnnotations.{key}: leader.environment.annotations has this key too; keep one"
    assert chart4.refusal(operation({"a": group})) == told


@pytest.mark.parametrize(
    ("ports", "leaders", "asked", "words"),
    [
        (
            {"http": 8000},
            {"http": 9000},
            "http",
            'groups.a.serving.pods: all, but the port "http" is 9000 of leaders and 8000 of workers, and others are',
        ),
        (
            {"http": 8000},
            {"gcs": 6379},
            "gcs",
            'groups.b.container.env.U.port: "gcs" is a port of the leaders of the group "a" alone, but all its pod',
        ),
        (
            {},
            {"http": 9000},
            "http",
            'groups.b.container.env.U.port: "http" is a port of the leaders of the group "a" al',
        ),
    ],
)
def test_where_all_pods_serve_they_agree_on_their_ports(
    chart4: Chart, ports: dict[str, int], leaders: dict[str, int], asked: str, words: str
) -> None:
    spanning = {
        "podsPerReplica": 2,
        "serving": {"pods": "all"},
        "container": {"ports": ports},
        "leader": {"container": {"ports": leaders}},
    }
    reader = {"container": {"env": {"U": {"fromGroup": "a", "as": "urls", "port": asked}}}}
    assert chart4.refusal(operation({"a": spanning, "b": reader})).startswith(words)
