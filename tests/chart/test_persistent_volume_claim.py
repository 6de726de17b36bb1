"""Claims that the chart makes: one for the operation, or one for each pod."""

from __future__ import annotations

from typing import Any

import pytest

from tests.chart import validity
from tests.chart.rendering import Chart, Values, operation

NEW = {"kind": "newClaim", "size": "10Gi", "mountPath": "/c"}
ONCE = {**NEW, "accessModes": ["ReadWriteOnce"]}
USES = {"connections": ["c"]}
PER_POD = {"kind": "claimPerPod", "size": "1Ti", "mountPath": "/c"}
STATEFUL = {**USES, "workload": "StatefulSet"}


def using(connection: Values, groups: Values, **root: Any) -> Values:
    return operation(groups, connections={"c": connection}, **root)


def test_a_new_claim_is_made_once_for_all_groups(chart: Chart) -> None:
    objects = chart.render(using({**NEW, "storageClassName": "fast"}, {"a": USES, "b": {**USES, "replicas": 3}}))
    claim = objects.get("PersistentVolumeClaim", "rl-c")
    assert claim["spec"] == {
        "accessModes": ["ReadWriteMany"],
        "resources": {"requests": {"storage": "10Gi"}},
        "storageClassName": "fast",
    }
    validity.check(objects.all)


def test_it_belongs_to_the_operation_and_outlives_it_by_default(chart4: Chart) -> None:
    values = using(NEW, {"a": USES}, labels={"team": "x"}, annotations={"y": "z"})
    metadata = chart4.render(values).get("PersistentVolumeClaim", "rl-c")["metadata"]
    assert metadata["labels"] == {
        "app.kubernetes.io/instance": "rl",
        "app.kubernetes.io/managed-by": "Helm",
        "helm-roster.dev/operation": "rl",
        "team": "x",
    }
    assert metadata["annotations"].items() >= {"helm.sh/resource-policy": "keep", "y": "z"}.items()


def test_it_may_go_with_the_operation(chart4: Chart) -> None:
    claim = chart4.render(using({**NEW, "keep": False}, {"a": USES})).get("PersistentVolumeClaim", "rl-c")
    assert "helm.sh/resource-policy" not in claim["metadata"]["annotations"]


@pytest.mark.parametrize("group", [{}, {**USES, "volumes": {"c": {"emptyDir": {}}}}])
def test_without_a_user_none_is_made(chart4: Chart, group: Values) -> None:
    assert "PersistentVolumeClaim" not in chart4.render(using(NEW, {"a": group})).kinds()


def test_it_is_the_same_in_every_run(chart4: Chart) -> None:
    values = using(NEW, {"a": USES}, operation={"kind": "job", "run": "2"})
    assert chart4.render(values).get("PersistentVolumeClaim", "rl-c")


def test_claims_of_two_operations_never_share_a_name(chart4: Chart) -> None:
    def name(release: str, connection: str) -> str:
        values = operation({"a": {"connections": [connection]}}, connections={connection: NEW})
        volume = chart4.render(values, release=release).pod()["volumes"][0]
        return str(volume["persistentVolumeClaim"]["claimName"])

    assert name("a", "b-c") != name("a-b", "c")


def test_another_group_with_or_without_it_leaves_every_byte_of_a_group(chart4: Chart) -> None:
    alone, together = using(NEW, {"a": USES}), using(NEW, {"a": USES, "b": USES})
    assert len(chart4.texts(alone, "a")) == 2
    assert chart4.texts(alone, "a") == chart4.texts(together, "a")
    claims = [chart4.render(values).get("PersistentVolumeClaim", "rl-c") for values in (alone, together)]
    assert claims[0] == claims[1]


@pytest.mark.parametrize(
    ("groups", "users"),
    [({"a": {**USES, "replicas": 2}}, "a"), ({"a": USES, "b": {"init": {"x": USES}}}, "a, b")],
)
@pytest.mark.parametrize("mode", ["ReadWriteOnce", "ReadWriteOncePod"])
def test_one_that_a_single_node_may_mount_is_refused_for_several_pods(
    chart4: Chart, groups: Values, users: str, mode: str
) -> None:
    assert chart4.refusal(using({**NEW, "accessModes": [mode]}, groups)) == (
        f"connections.c.accessModes: {mode}, but several pods use the claim (groups: {users}); allow ReadWriteMany, "
        "or give each pod its own by kind claimPerPod"
    )


@pytest.mark.parametrize("autoscaling", [{"owner": "external"}, {"owner": "external", "max": 2}])
def test_a_group_that_may_be_scaled_counts_as_several(chart4: Chart, autoscaling: Values) -> None:
    refusal = chart4.refusal(using(ONCE, {"a": {**USES, "autoscaling": autoscaling}}))
    assert refusal.startswith("connections.c.accessModes: ReadWriteOnce, but several pods use the claim")


def test_a_pod_that_holds_one_alone_is_replaced_without_a_second(chart: Chart) -> None:
    strategy = chart.render(using(ONCE, {"a": USES})).workload()["spec"]["strategy"]
    assert strategy == {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 0, "maxUnavailable": 1}}


def test_a_surplus_pod_that_could_not_mount_it_is_refused(chart4: Chart) -> None:
    refusal = chart4.refusal(using(ONCE, {"a": {**USES, "rollout": {"maxSurge": 1}}}))
    assert refusal.startswith(
        'groups.a.rollout.maxSurge: 1, but connection "c" is a claim that one node alone may mount'
    )


def test_a_pod_that_holds_one_alone_may_be_missing_for_a_while(chart4: Chart) -> None:
    refusal = chart4.refusal(using(ONCE, {"a": {**USES, "rollout": {"maxUnavailable": 0}}}))
    assert refusal.endswith("both 0, so no pod could be replaced; set maxUnavailable to 1 or more")


@pytest.mark.parametrize("keep", [{}, {"keep": True}], ids=["default", "said"])
def test_a_stateful_set_keeps_a_claim_for_each_pod(chart4: Chart, keep: Values) -> None:
    objects = chart4.render(using({**PER_POD, **keep}, {"a": STATEFUL}))
    assert objects.workload()["spec"]["volumeClaimTemplates"] == [
        {
            "metadata": {
                "name": "c",
                "annotations": {"helm.sh/resource-policy": "keep"},
                "labels": {"helm-roster.dev/operation": "rl"},
            },
            "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Ti"}}},
        }
    ]
    assert "persistentVolumeClaimRetentionPolicy" not in objects.workload()["spec"]
    assert ("volumes" in objects.pod(), objects.container()["volumeMounts"][0]["name"]) == (False, "c")
    validity.check(objects.all)


def test_a_volume_of_the_groups_own_takes_its_place(chart4: Chart) -> None:
    group = {**STATEFUL, "volumes": {"c": {"emptyDir": {}}}}
    assert chart4.render(using(PER_POD, {"a": group})).pod()["volumes"] == [{"name": "c", "emptyDir": {}}]


def test_claims_of_a_stateful_set_that_outlive_the_pods_may_go_with_it(chart: Chart) -> None:
    objects = chart.render(using({**PER_POD, "keep": False}, {"a": STATEFUL}))
    spec = objects.workload()["spec"]
    assert spec["persistentVolumeClaimRetentionPolicy"] == {"whenDeleted": "Delete", "whenScaled": "Retain"}
    assert "annotations" not in spec["volumeClaimTemplates"][0]["metadata"]
    validity.check(objects.all)


def test_claims_of_a_stateful_set_are_kept_or_go_together(chart4: Chart) -> None:
    other = {**PER_POD, "keep": False, "mountPath": "/d"}
    group = {**STATEFUL, "connections": ["d", "c"]}
    assert chart4.refusal(operation({"a": group}, connections={"c": PER_POD, "d": other})) == (
        'groups.a.connections: "c" keeps its claims and "d" does not, and a StatefulSet keeps those of its pods or '
        "none; give both one `keep`"
    )


def test_claims_of_a_stateful_set_stand_in_one_order(chart4: Chart) -> None:
    connections = {"c": PER_POD, "d": {**PER_POD, "mountPath": "/d"}}
    for names in (["c", "d"], ["d", "c"]):
        values = operation({"a": {**STATEFUL, "connections": names}}, connections=connections)
        claims = chart4.render(values).workload()["spec"]["volumeClaimTemplates"]
        assert [claim["metadata"]["name"] for claim in claims] == ["c", "d"]


@pytest.mark.parametrize("keep", [{}, {"keep": False}], ids=["default", "said"])
def test_a_claim_of_another_kinds_pod_ends_with_the_pod(chart4: Chart, keep: Values) -> None:
    (volume,) = chart4.render(using({**PER_POD, **keep}, {"a": USES})).pod()["volumes"]
    assert volume["ephemeral"]["volumeClaimTemplate"]["spec"]["resources"]["requests"] == {"storage": "1Ti"}


@pytest.mark.parametrize(("kind", "workload"), [("service", "Deployment"), ("job", "Job")])
def test_no_other_kind_keeps_one(chart4: Chart, kind: str, workload: str) -> None:
    refusal = chart4.refusal(using({**PER_POD, "keep": True}, {"a": USES}, operation={"kind": kind}))
    assert refusal.startswith(f'connections.c.keep: true, but group "a" is a {workload}, and only a StatefulSet keeps')
