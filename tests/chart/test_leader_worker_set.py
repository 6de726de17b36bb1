"""Groups whose replicas span pods: the LeaderWorkerSet, its rollout and its recovery."""

from __future__ import annotations

from typing import Any

import pytest

from tests.chart import validity
from tests.chart.rendering import GPU, Chart, Values, operation
from tests.support.turns import by_turns


def spanning(operation_: Values | None = None, **group: Any) -> Values:
    """Return values of one group whose replicas have four pods."""
    return operation({"a": {"podsPerReplica": 4, **group}}, **(operation_ or {}))


def ganged(**member: Any) -> Values:
    scheduling = {"placement": {"backend": "native"}, "gangs": {"g": {"members": {"a": member}}}}
    return spanning({"scheduling": scheduling}, replicas=2)


def test_replicas_of_several_pods_are_a_leader_worker_set_of_both_templates(chart: Chart) -> None:
    objects = chart.render(spanning(replicas=2))
    workload = objects.workload()
    template = workload["spec"]["leaderWorkerTemplate"]
    assert (workload["kind"], workload["spec"]["replicas"], template["size"]) == ("LeaderWorkerSet", 2, 4)
    assert template["leaderTemplate"]["spec"] == template["workerTemplate"]["spec"]
    validity.check(objects.all)


def test_one_pod_a_replica_may_be_one_too(chart4: Chart) -> None:
    workload = chart4.render(operation({"a": {"workload": "LeaderWorkerSet"}})).workload()
    assert (workload["kind"], workload["spec"]["leaderWorkerTemplate"]["size"]) == ("LeaderWorkerSet", 1)


def test_the_headless_service_has_the_name_that_its_controller_would_take(chart4: Chart) -> None:
    objects = chart4.render(spanning())
    service = objects.get("Service", objects.workload()["metadata"]["name"])["spec"]
    assert (service["clusterIP"], service["publishNotReadyAddresses"]) == ("None", True)


@by_turns(
    ("rollout", "steps"),
    [
        ({}, {"partition": 0, "maxSurge": 0, "maxUnavailable": 1}),
        ({"partition": 1, "maxUnavailable": "50%"}, {"partition": 1, "maxSurge": 0, "maxUnavailable": "50%"}),
        ({"type": "RollingUpdate", "maxSurge": 1}, {"partition": 0, "maxSurge": 1, "maxUnavailable": 1}),
        ({"maxSurge": 1, "maxUnavailable": 0}, {"partition": 0, "maxSurge": 1, "maxUnavailable": 0}),
    ],
)
def test_it_says_how_replicas_are_rolled_out(chart: Chart, rollout: Values, steps: Values) -> None:
    strategy = chart.render(spanning(replicas=2, rollout=rollout)).workload()["spec"]["rolloutStrategy"]
    assert strategy == {"type": "RollingUpdate", "rollingUpdateConfiguration": steps}


@by_turns(
    ("recovery", "policy"),
    [
        ({}, "RecreateGroupOnPodRestart"),
        ({"scope": "replica"}, "RecreateGroupOnPodRestart"),
        ({"scope": None}, "RecreateGroupOnPodRestart"),
        ({"scope": "pod"}, "None"),
    ],
)
def test_a_failure_starts_the_replica_anew_unless_recovery_says_pod(
    chart: Chart, recovery: Values, policy: str
) -> None:
    template = chart.render(spanning(recovery=recovery)).workload()["spec"]["leaderWorkerTemplate"]
    assert template["restartPolicy"] == policy


def test_an_autoscaled_one_is_applied_without_replicas(chart4: Chart) -> None:
    owned = {"owner": "external", "min": 1}
    assert "replicas" not in chart4.render(spanning(autoscaling=owned)).workload()["spec"]


@pytest.mark.parametrize(
    ("values", "words"),
    [
        (
            spanning(workload="StatefulSet"),
            "groups.a.workload: StatefulSet, whose replicas are one pod each, but podsPer",
        ),
        (spanning(workload="Deployment"), "(`size` of a LeaderWorkerSet, `nodeCount` in Dynamo, `numOfHosts` in Ray)"),
        (
            spanning({"operation": {"kind": "job"}}),
            "groups.a.podsPerReplica: 4, but the operation is of kind job, whose",
        ),
        (
            operation({"a": {"workload": "LeaderWorkerSet"}}, operation={"kind": "job"}),
            "groups.a.workload: LeaderWorkerSet, but the operation is of kind job, whose replicas are one pod each;",
        ),
        (spanning(router=True), "groups.a.podsPerReplica: 4, but a router is one pod; leave it out"),
        (spanning(router={"stateless": True}), "groups.a.podsPerReplica: 4, but a router is one pod; leave it out"),
        (
            spanning(rollout={"type": "Recreate"}),
            "groups.a.rollout.type: Recreate, but the group is a LeaderWorkerSet; a",
        ),
        (
            spanning(rollout={"type": "OnDelete"}),
            "groups.a.rollout.type: OnDelete, but the group is a LeaderWorkerSet; a",
        ),
        (spanning(rollout={"maxUnavailable": 0}), "groups.a.rollout: maxSurge and maxUnavailable are both 0, so no"),
        (
            spanning(replicas=3, rollout={"maxUnavailable": "30%"}),
            "groups.a.rollout.maxUnavailable: 30% of 3 replicas is",
        ),
        (
            spanning(
                replicas=None,
                resources={"requests": {"cpu": 1}},
                rollout={"maxUnavailable": "50%"},
                autoscaling={"owner": "hpa", "min": 2, "max": 8, "cpu": 70},
            ),
            "groups.a.rollout.maxUnavailable: 50% of 1 replica, with which it begins until it is scaled, is none, and",
        ),
        (spanning(rollout={"maxSurge": "101%"}), "groups.a.rollout.maxSurge: 101%; a LeaderWorkerSet takes up to 100%"),
        (
            spanning(minReadySeconds=9),
            "groups.a.minReadySeconds: 9, but a LeaderWorkerSet counts a pod as soon as it is re",
        ),
        (
            operation({"a": {"recovery": {"scope": "pod"}}}),
            "groups.a.recovery: given, but the group is a Deployment, whose pods are replaced one by one; leave it",
        ),
    ],
    ids=range(14),
)
def test_what_it_cannot_be_is_refused(chart4: Chart, values: Values, words: str) -> None:
    assert words in chart4.refusal(values)


LONGEST = operation({"g" * 40: {"podsPerReplica": 64, "replicas": 10_000}})


def test_names_of_what_its_controller_makes_fit_for_the_longest_that_we_take(chart: Chart) -> None:
    (workload,) = chart.render(LONGEST, release="r" * 53).workloads()
    replica = f"{workload['metadata']['name']}-{workload['spec']['replicas'] - 1}"
    assert len(replica) == 52
    assert len(f"{replica}-2147483647") <= 63


@pytest.mark.parametrize(
    "fields",
    [
        {"replicas": 10_001},
        {"rollout": {"maxSurge": 1}},
        {"rollout": {"maxSurge": "1%"}},
        {"replicas": None, "autoscaling": {"owner": "external", "max": 10_001}},
    ],
    ids=["replicas", "surge", "percent", "autoscaled"],
)
def test_one_character_more_is_refused_with_what_there_is(chart4: Chart, fields: Values) -> None:
    (group,) = LONGEST["groups"]
    told = chart4.refusal(operation({group: {**LONGEST["groups"][group], **fields}}), release="r" * 53)
    assert told.startswith(f"groups.{group}.replicas: up to 1000")
    assert "has 53 characters, and a replica of a LeaderWorkerSet at most 52; set fewer, or shorten the group's" in told


def test_an_object_that_its_controller_makes_is_not_made_twice(chart4: Chart) -> None:
    extra = {"apiVersion": "apps/v1", "kind": "StatefulSet", "metadata": {"name": "rl-a"}}
    refusal = chart4.refusal(spanning({"extraObjects": {"x": extra}}))
    assert refusal.startswith('extraObjects.x: StatefulSet "rl-a" is also made by group a')


def test_a_claim_of_each_pod_ends_with_it(chart4: Chart) -> None:
    scratch = {"kind": "claimPerPod", "size": "1Gi", "mountPath": "/scratch"}
    objects = chart4.render(spanning({"connections": {"c": scratch}}, connections=["c"]))
    assert "ephemeral" in objects.pod()["volumes"][0]
    kept = chart4.refusal(spanning({"connections": {"c": {**scratch, "keep": True}}}, connections=["c"]))
    assert kept.endswith(
        'group "a" is a LeaderWorkerSet, and only a StatefulSet keeps a claim for each pod; leave it out'
    )


def test_a_budget_of_evictions_counts_all_pods(chart4: Chart) -> None:
    objects = chart4.render(spanning(replicas=2, disruptionBudget={"minAvailable": 8}))
    assert objects.get("PodDisruptionBudget", "rl-a")["spec"]["minAvailable"] == 8
    assert "but the group has 8 at most" in chart4.refusal(spanning(replicas=2, disruptionBudget={"minAvailable": 9}))


@pytest.mark.parametrize(("member", "pods"), [({}, 8), ({"min": 1}, 4)], ids=["all", "one"])
def test_a_gang_counts_its_minimum_in_replicas_and_the_carrier_in_pods(
    chart4: Chart, member: Values, pods: int
) -> None:
    spec = chart4.resolved(ganged(**member))
    assert spec["scheduling"]["gangs"]["g"]["members"]["a"]["min"] == pods


def test_a_gang_cannot_need_more_replicas_than_there_are(chart4: Chart) -> None:
    words = "scheduling.gangs.g.members.a.min: 3, but the group has 2 replicas; allowed: 1 to its replicas"
    assert chart4.refusal(ganged(min=3)) == words


def test_a_preset_never_says_how_many_pods_a_replica_has(chart4: Chart) -> None:
    for preset in ({"podsPerReplica": 2}, {"unset": ["podsPerReplica"]}, {"leader": {"accelerators": 1}}):
        values = operation({"a": {"presets": ["p"]}}, presets={"p": preset})
        assert "never says how much" in chart4.refusal(values)


def test_the_resolved_operation_tells_the_pods_and_what_the_leader_holds_otherwise(chart4: Chart) -> None:
    alike = {"presets": ["p"], "accelerators": 8, "leader": {"cmd": "serve"}}
    for leader, told in [({}, None), ({"accelerators": 0}, {"accelerators": 0})]:
        group = {**alike, "leader": {**alike["leader"], **leader}}
        entry = chart4.resolved(spanning({"presets": {"p": GPU}}, **group))["groups"]["a"]
        assert (entry["podsPerReplica"], entry["accelerators"], entry.get("leader")) == (4, 8, told)


INDEX = "$(LWS_WORKER_INDEX)"


@pytest.mark.parametrize(
    ("group", "words"),
    [
        (
            {"podsPerReplica": 1, "container": {"args": [f"--rank={INDEX}"]}},
            (
                f"groups.a.container: {INDEX}, which only the pods of a LeaderWorkerSet are told, and the group is a "
                "Deployment; set groups.a.podsPerReplica, or leave out what refers to it"
            ),
        ),
        ({"podsPerReplica": 1, "sidecars": {"s": {"env": {"R": INDEX}}}}, f"groups.a.container s: {INDEX}, which only"),
        (
            {"container": {"args": ["$(LWS_WORKR_INDEX)"]}},
            'groups.a.container: there is no variable of LeaderWorkerSets "LWS_WORKR_INDEX" (did you mean "LWS_WORKER_',
        ),
        (
            {"leader": {"cmd": ["x", "$(LWS_SIZE)"]}},
            'groups.a.leader.container: there is no variable of LeaderWorkerSets "LWS_SIZE"',
        ),
        (
            {"container": {"env": {"LWS_WORKER_INDEX": "0"}}},
            "groups.a.container.env.LWS_WORKER_INDEX: each pod of a LeaderWorkerSet is told its own, and this would",
        ),
    ],
)
def test_ranks_that_nobody_would_tell_are_refused(chart4: Chart, group: Values, words: str) -> None:
    assert chart4.refusal(spanning(**group)).startswith(words)


def test_ranks_that_somebody_tells_are_not(chart4: Chart) -> None:
    own = {"env": {"LWS_WORKER_INDEX": "0"}, "args": [INDEX, "$$(LWS_OTHER)"]}
    chart4.render(spanning(podsPerReplica=1, container=own))
    chart4.render(spanning(container={"args": [INDEX]}, leader={"cmd": ["lead", "$(LWS_GROUP_SIZE)"]}))
