"""Who sets a group's replicas: bounds, the HorizontalPodAutoscaler, and workloads without `replicas`."""

from __future__ import annotations

from typing import Any

import pytest

from tests.chart import validity
from tests.chart.rendering import GPU, Chart, Values, layered, operation

CPU = {"requests": {"cpu": 4}}
WAITING = {
    "type": "Pods",
    "pods": {"metric": {"name": "waiting"}, "target": {"type": "AverageValue", "averageValue": "9"}},
}
REQUESTS = {"type": "External", "external": {"metric": {"name": "requests"}, "target": {"type": "Value", "value": "9"}}}


def scaled(**fields: Any) -> Values:
    return {"resources": CPU, "autoscaling": {"owner": "hpa", "max": 8, "cpu": 70, **fields}}


def autoscaler(chart: Chart, group: Values, **root: Any) -> Values:
    spec: Values = chart.render(operation({"a": group}, **root)).get("HorizontalPodAutoscaler", "rl-a")["spec"]
    return spec


def test_an_autoscaler_scales_the_workload_between_its_bounds(chart: Chart) -> None:
    spec = autoscaler(chart, scaled(min=2))
    assert spec["scaleTargetRef"] == {"apiVersion": "apps/v1", "kind": "Deployment", "name": "rl-a"}
    assert (spec["minReplicas"], spec["maxReplicas"]) == (2, 8)


def test_cpu_is_short_for_the_metric_of_kubernetes(chart: Chart) -> None:
    target = {"type": "Utilization", "averageUtilization": 70}
    source = {"name": "cpu", "container": "main", "target": target}
    assert autoscaler(chart, scaled())["metrics"] == [{"type": "ContainerResource", "containerResource": source}]


@pytest.mark.parametrize("sidecar", [{"native": True}, {"native": False}], ids=["native", "plain"])
def test_a_sidecar_without_a_request_leaves_the_main_container_to_be_measured(chart4: Chart, sidecar: Values) -> None:
    """Of the whole pod no utilization is known while one of its containers asks for no CPU."""
    objects = chart4.render(operation({"a": {**scaled(), "sidecars": {"log": sidecar}}}))
    (metric,) = objects.get("HorizontalPodAutoscaler", "rl-a")["spec"]["metrics"]
    assert metric["containerResource"]["container"] == objects.container()["name"]
    validity.check(objects.all)


MEMORY = {"requests": {"memory": "1Gi"}}
SHARE = {"name": "memory", "target": {"type": "Utilization", "averageUtilization": 70}}


def measured(kind: str, source: Values, **group: Any) -> Values:
    """Return values of a group with a sidecar, scaled by a metric of its resources."""
    metric = {"type": kind, kind[0].lower() + kind[1:]: source}
    return operation({"a": {**scaled(cpu=None, metrics=[metric]), "sidecars": {"log": {}}, **group}})


@pytest.mark.parametrize(
    ("values", "words"),
    [
        (measured("Resource", SHARE), ": a share of the requested memory, but resources.requests.memory is not set"),
        (measured("ContainerResource", {**SHARE, "container": "main"}), ": a share of the requested memory, but"),
        (
            measured("Resource", SHARE, resources=MEMORY),
            ": a share of the requested memory, but sidecars.log.resources.requests.memory is not set, and of a whole",
        ),
        (
            measured("ContainerResource", {**SHARE, "container": "log"}),
            ": a share of the requested memory, but sidecars.log.resources.requests.memory is not set; set it, or",
        ),
        (measured("Resource", {"target": SHARE["target"]}), ": a share of a resource without its name; give name, cpu"),
        (
            measured("ContainerResource", {**SHARE, "container": "logs"}),
            '.containerResource.container: there is no container of the pods "logs" (did you mean',
        ),
    ],
)
def test_what_cannot_be_measured_is_refused(chart4: Chart, values: Values, words: str) -> None:
    assert chart4.refusal(values).startswith(f"groups.a.autoscaling.metrics.0{words}")


@pytest.mark.parametrize(
    "values",
    [
        measured("Resource", SHARE, resources=MEMORY, sidecars={"log": {"resources": MEMORY}}),
        measured("Resource", {"name": "memory", "target": {"type": "AverageValue", "averageValue": "1Gi"}}),
        measured("ContainerResource", {**SHARE, "container": "main"}, resources=MEMORY),
        measured("ContainerResource", {**SHARE, "container": "log"}, sidecars={"log": {"resources": MEMORY}}),
    ],
    ids=["requested", "no share", "main alone", "sidecar"],
)
def test_what_can_be_measured_is_passed_on(chart4: Chart, values: Values) -> None:
    validity.check(chart4.render(values).all)


@pytest.mark.parametrize("metrics", [[REQUESTS, WAITING], {"b": WAITING, "a": REQUESTS}], ids=["list", "map"])
def test_metrics_are_a_list_or_a_map(chart: Chart, metrics: Any) -> None:
    assert autoscaler(chart, scaled(cpu=None, metrics=metrics))["metrics"] == [REQUESTS, WAITING]


def test_metrics_of_a_map_merge_by_name(chart4: Chart) -> None:
    preset = {"autoscaling": {"metrics": {"a": WAITING, "gone": REQUESTS}}}
    own = {"owner": "hpa", "max": 2, "metrics": {"a": {"pods": {"metric": {"name": "other"}}}, "gone": None}}
    found = chart4.render(layered({"autoscaling": own}, p=preset)).get("HorizontalPodAutoscaler", "rl-a")["spec"]
    assert [metric["pods"]["metric"]["name"] for metric in found["metrics"]] == ["other"]


def test_behavior_is_passed_on(chart4: Chart) -> None:
    behavior = {"scaleDown": {"stabilizationWindowSeconds": 1000000}}
    assert autoscaler(chart4, scaled(behavior=behavior))["behavior"] == behavior


@pytest.mark.parametrize("owner", [scaled(), {"autoscaling": {"owner": "external"}}], ids=["hpa", "external"])
@pytest.mark.parametrize("kind", ["Deployment", "StatefulSet"])
def test_an_autoscaled_workload_says_no_replicas(chart: Chart, owner: Values, kind: str) -> None:
    workload = chart.render(operation({"a": {**owner, "workload": kind, "replicas": 4}})).workload()
    assert (workload["kind"], "replicas" in workload["spec"]) == (kind, False)


@pytest.mark.parametrize(
    "asked", [None, {}, {"owner": "none"}, {"owner": "none", "max": 8, "cpu": 70}, {"owner": None, "min": None}]
)
def test_a_group_that_nobody_scales_keeps_its_replicas(chart4: Chart, asked: Values | None) -> None:
    objects = chart4.render(operation({"a": {"replicas": 3, "autoscaling": asked}}))
    assert objects.workload()["spec"]["replicas"] == 3
    assert "HorizontalPodAutoscaler" not in objects.kinds()


def test_an_external_autoscaler_brings_no_object(chart4: Chart) -> None:
    values = operation({"a": {"autoscaling": {"owner": "external", "min": 0, "max": 8}}})
    assert chart4.render(values).kinds() == {"Deployment", "Service"}


@pytest.mark.parametrize(
    ("group", "replicas", "bounds"),
    [
        (scaled(), 1, {"owner": "hpa", "min": 1, "max": 8}),
        (scaled(min=3), 3, {"owner": "hpa", "min": 3, "max": 8}),
        ({**scaled(min=3), "replicas": 5}, 3, {"owner": "hpa", "min": 3, "max": 8}),
        ({"autoscaling": {"owner": "external", "min": 0}}, 0, {"owner": "external", "min": 0}),
    ],
)
def test_the_resolved_operation_says_who_scales(chart4: Chart, group: Values, replicas: int, bounds: Values) -> None:
    found = chart4.resolved(operation({"a": group}))["groups"]["a"]
    assert (found["replicas"], found["autoscaling"]) == (replicas, bounds)


def test_the_resolved_operation_says_nothing_of_scaling_that_nobody_does(chart4: Chart) -> None:
    assert "autoscaling" not in chart4.resolved(operation({"a": {"autoscaling": {"owner": "none"}}}))["groups"]["a"]


def test_replicas_that_follow_from_min_name_its_layer(chart4: Chart) -> None:
    spec = chart4.resolved(layered({}, defaults=scaled(min=2)))
    assert spec["layers"]["a"]["replicas"] == "defaults"


@pytest.mark.parametrize(
    ("group", "words"),
    [
        (
            {"autoscaling": {"max": 8, "cpu": 70}},
            "groups.a.autoscaling.owner: missing beside cpu, max; allowed: hpa, keda, external",
        ),
        ({"autoscaling": {"owner": "hpa", "cpu": 70}}, "groups.a.autoscaling.max: missing; owner hpa needs a number"),
        (scaled(min=9), "groups.a.autoscaling.max: 8, but min is 9; allowed: min or more"),
        (
            scaled(min=0),
            "groups.a.autoscaling.min: 0, but a HorizontalPodAutoscaler keeps one; set 1 or more, or owner:",
        ),
        (scaled(cpu=None), "groups.a.autoscaling: owner hpa, but nothing to scale by; set cpu"),
        ({**scaled(), "resources": None}, "groups.a.autoscaling.cpu: 70 percent of the requested CPU, but resources.r"),
        (
            {**scaled(), "replicas": 9},
            "groups.a.replicas: 9, but autoscaling keeps 1 to 8, whatever replicas says; leave replicas out",
        ),
        ({**scaled(min=2), "replicas": 1}, "groups.a.replicas: 1, but autoscaling keeps 2 to 8"),
        (
            {"replicas": 0, "autoscaling": {"owner": "external"}},
            "groups.a.replicas: 0, but autoscaling keeps 1 to any",
        ),
        ({"autoscaling": {"owner": "external", "cpu": 1}}, "groups.a.autoscaling.cpu: given, but owner is external"),
        ({**scaled(), "router": True, "readiness": {"requires": []}}, "groups.a.autoscaling.owner: hpa, but a router"),
        (scaled(metrics={"q": {"pods": {}}}), 'groups.a.autoscaling.metrics.q.type: ""; allowed: ContainerResource'),
        (scaled(metrics=[{"type": None}]), 'groups.a.autoscaling.metrics.0.type: ""; allowed: ContainerResource'),
        (scaled(metrics=[{"type": "Pods"}]), "groups.a.autoscaling.metrics.0: type Pods, with no source; give pods"),
        (
            scaled(metrics={"q": {**WAITING, "external": {}}}),
            "groups.a.autoscaling.metrics.q: type Pods, with external and pods; give pods alone",
        ),
        (scaled(metrics={"true": WAITING}), 'groups.a.autoscaling.metrics: the key "true" is what YAML makes of a'),
    ],
)
def test_scaling_that_cannot_work_is_refused(chart4: Chart, group: Values, words: str) -> None:
    assert chart4.refusal(operation({"a": group})).startswith(words)


def test_a_stateless_router_may_be_autoscaled(chart4: Chart) -> None:
    router = {**scaled(min=2), "router": {"stateless": True}, "readiness": {"requires": []}}
    assert autoscaler(chart4, router)["minReplicas"] == 2


def test_a_job_is_never_autoscaled(chart4: Chart) -> None:
    refusal = chart4.refusal(operation({"a": scaled()}, operation={"kind": "job"}))
    assert refusal.startswith("groups.a.autoscaling.owner: hpa, but the group is a Job, whose number of pods is fixed")


@pytest.mark.parametrize("field", ["min", "max"])
def test_a_preset_never_says_how_far_to_scale(chart4: Chart, field: str) -> None:
    refusal = chart4.refusal(layered({}, p={"autoscaling": {field: 2}}))
    assert refusal.startswith(f"presets.p.autoscaling.{field}: a preset says by what to scale and never how far")


@pytest.mark.parametrize(
    ("preset", "words"),
    [
        ({"autoscaling": {"min": None}}, "presets.p.autoscaling.min: a preset says by what to scale and never how far"),
        ({"autoscaling": None}, "presets.p.autoscaling: null takes away how far a group is scaled"),
        ({"autoscaling": {"cpu": 5}, "patchStrategy": "replace"}, "presets.p.autoscaling: patchStrategy replace takes"),
        ({"unset": ["autoscaling"]}, 'presets.p.unset: "autoscaling"; a preset never says how much'),
        ({"unset": ["autoscaling.min"]}, 'presets.p.unset: "autoscaling.min"; a preset never says how much'),
        ({"unset": ["autoscaling.max"]}, 'presets.p.unset: "autoscaling.max"; a preset never says how much'),
    ],
)
def test_a_preset_never_takes_away_how_far_to_scale(chart4: Chart, preset: Values, words: str) -> None:
    assert chart4.refusal(layered(scaled(min=2), p={"patchStrategy": "post_merge", **preset})).startswith(words)


def test_a_preset_may_take_away_by_what_to_scale(chart4: Chart) -> None:
    preset = {"patchStrategy": "post_merge", "unset": ["autoscaling.cpu"]}
    found = chart4.render(layered(scaled(metrics=[WAITING]), p=preset)).get("HorizontalPodAutoscaler", "rl-a")
    assert found["spec"]["metrics"] == [WAITING]


def ganged(group: Values, **member: Any) -> Values:
    gangs = {"step": {"members": {"a": member}}}
    return operation({"a": group}, scheduling={"placement": {"backend": "native"}, "gangs": gangs})


@pytest.mark.parametrize(("member", "least"), [({}, 3), ({"min": 3}, 3), ({"min": 1}, 1)])
def test_an_autoscaled_member_is_elastic(chart4: Chart, member: Values, least: int) -> None:
    found = chart4.resolved(ganged({**scaled(min=3), "replicas": 5}, **member))["scheduling"]["gangs"]["step"][
        "members"
    ]
    assert found["a"] == {"min": least, "elastic": True, "order": 0}


def test_a_gang_never_needs_more_than_the_autoscaler_keeps(chart4: Chart) -> None:
    refusal = chart4.refusal(ganged({**scaled(min=3), "replicas": 5}, min=4))
    assert refusal == (
        "scheduling.gangs.step.members.a.min: 4, but the group may have no more than 3, its autoscaling.min; "
        "allowed: 1 to that"
    )


def test_accelerators_and_scaling_go_together(chart4: Chart) -> None:
    group = {**scaled(), "accelerators": 1, "presets": ["gpu"]}
    assert autoscaler(chart4, group, presets={"gpu": GPU})["maxReplicas"] == 8
