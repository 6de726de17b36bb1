"""Groups that KEDA scales: the ScaledObject, its bounds, and what only one owner of replicas reads."""

from __future__ import annotations

from typing import Any

import pytest

from tests.chart import validity
from tests.chart.rendering import Chart, Values, layered, operation
from tests.support.turns import by_turns

QUEUE = {"type": "prometheus", "metadata": {"query": "queued", "threshold": "10"}}


def scaled(**fields: Any) -> Values:
    return {"autoscaling": {"owner": "keda", "max": 8, "triggers": {"queue": QUEUE}, **fields}}


def ganged(group: Values) -> Values:
    scheduling = {"placement": {"backend": "native"}, "gangs": {"g": {"members": {"a": {}}}}}
    return operation({"a": group}, scheduling=scheduling)


@by_turns(
    ("group", "target"),
    [
        ({}, {"apiVersion": "apps/v1", "kind": "Deployment"}),
        ({"workload": "StatefulSet"}, {"apiVersion": "apps/v1", "kind": "StatefulSet"}),
        ({"podsPerReplica": 4}, {"apiVersion": "leaderworkerset.x-k8s.io/v1", "kind": "LeaderWorkerSet"}),
    ],
)
def test_a_scaled_object_scales_the_workload_which_says_no_replicas(
    chart: Chart, group: Values, target: Values
) -> None:
    objects = chart.render(operation({"a": {**scaled(min=2, pollingInterval=15, cooldownPeriod=60), **group}}))
    assert objects.get("ScaledObject", "rl-a")["spec"] == {
        "scaleTargetRef": {**target, "name": "rl-a"},
        "minReplicaCount": 2,
        "maxReplicaCount": 8,
        "pollingInterval": 15,
        "cooldownPeriod": 60,
        "triggers": [{**QUEUE, "name": "queue"}],
    }
    assert "replicas" not in objects.workload()["spec"]
    validity.check(objects.all)


def test_idleness_and_behavior_stand_where_keda_reads_them(chart4: Chart) -> None:
    behavior = {"scaleDown": {"stabilizationWindowSeconds": 600}}
    objects = chart4.render(operation({"a": scaled(idleReplicas=0, behavior=behavior)}))
    spec = objects.get("ScaledObject", "rl-a")["spec"]
    assert (spec["minReplicaCount"], spec["idleReplicaCount"]) == (1, 0)
    assert spec["advanced"] == {"horizontalPodAutoscalerConfig": {"behavior": behavior}}
    validity.check(objects.all)


def test_triggers_of_layers_are_merged_by_name_and_a_list_is_kept_as_it_is(chart4: Chart) -> None:
    preset = {"autoscaling": {"triggers": {"queue": QUEUE, "cpu": {"type": "cpu"}}}}
    own = scaled(triggers={"queue": {"metadata": {"threshold": "5"}}, "cpu": None})
    found = chart4.render(layered(own, p=preset)).get("ScaledObject", "rl-a")["spec"]["triggers"]
    assert found == [{"name": "queue", "type": "prometheus", "metadata": {"query": "queued", "threshold": "5"}}]
    listed = chart4.render(operation({"a": scaled(triggers=[QUEUE])})).get("ScaledObject", "rl-a")["spec"]["triggers"]
    assert listed == [QUEUE]


def test_it_may_go_to_none(chart4: Chart) -> None:
    objects = chart4.render(operation({"a": scaled(min=0)}))
    assert objects.get("ScaledObject", "rl-a")["spec"]["minReplicaCount"] == 0


def test_the_resolved_operation_tells_the_owner_and_the_bounds(chart4: Chart) -> None:
    assert chart4.resolved(operation({"a": scaled(min=2)}))["groups"]["a"]["autoscaling"] == {
        "owner": "keda",
        "min": 2,
        "max": 8,
    }


@pytest.mark.parametrize(
    ("values", "words"),
    [
        (
            operation({"a": scaled(triggers={})}),
            "groups.a.autoscaling.triggers: none; owner keda scales by one or more",
        ),
        (
            operation({"a": scaled(max=None)}),
            "groups.a.autoscaling.max: missing; owner keda needs a number of replicas",
        ),
        (
            operation({"a": scaled(triggers={"q": {"metadata": {}}})}),
            "groups.a.autoscaling.triggers.q.type: missing; name a scaler of KEDA, such as prometheus",
        ),
        (
            operation({"a": scaled(triggers={"q": {"type": "x", "metadata": {"threshold": 5}}})}),
            "groups.a.autoscaling.triggers.q.metadata.threshold: 5 is a number where Kubernetes wants text; quote it",
        ),
        (
            operation({"a": scaled(idleReplicas=1, min=2)}),
            "groups.a.autoscaling.idleReplicas: 1, with min 2; KEDA allows",
        ),
        (
            operation({"a": scaled(idleReplicas=0, min=0)}),
            "groups.a.autoscaling.idleReplicas: 0, with min 0; KEDA allows",
        ),
        (
            operation({"a": scaled(min=0, triggers={"c": {"type": "cpu"}})}),
            "groups.a.autoscaling.triggers: cpu alone, which pods must run for, so KEDA goes to none by them never;",
        ),
        (
            operation({"a": scaled(cpu=70)}),
            "groups.a.autoscaling.cpu: given, but owner is keda, which reads behavior, coold",
        ),
        (
            operation({"a": scaled(owner="hpa")}),
            "groups.a.autoscaling.triggers: given, but owner is hpa, which reads behavior, cpu, metrics; leave it",
        ),
        (
            operation({"a": scaled(owner="external")}),
            "groups.a.autoscaling.triggers: given, but owner is external, which decides by itself; leave it out, or",
        ),
        (
            operation({"a": scaled(owner=None)}),
            "groups.a.autoscaling.owner: missing beside max, triggers; allowed: hpa, keda",
        ),
        (
            ganged(scaled(idleReplicas=0)),
            'groups.a.autoscaling.idleReplicas: 0, but gang "g" does not run below its mi',
        ),
        (
            ganged(scaled(min=0)),
            "scheduling.gangs.g.members.a.min: 0, but the group may have no more than 0, its autosc",
        ),
    ],
    ids=range(13),
)
def test_what_keda_cannot_scale_is_refused(chart4: Chart, values: Values, words: str) -> None:
    assert words in chart4.refusal(values)
