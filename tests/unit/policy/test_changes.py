"""What an upgrade does to what runs."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from helm_roster import constants
from helm_roster.manifests.walk import Manifest
from helm_roster.policy import changes
from helm_roster.policy.changes import Change, GroupChange

from tests.unit import builders
from tests.unit.builders import group


def workload(name: str, kind: str = "Deployment", **spec: Any) -> Manifest:
    """Return a group's workload with labels; `spec` is laid over the builder's."""
    made = builders.workload(f"op-{name}", group(8, kind=kind, spec=spec))
    made["metadata"] |= {"labels": {constants.GROUP_LABEL: name}, "annotations": {"a": "1"}}
    return made


def service(name: str, port: int) -> Manifest:
    metadata = {"name": f"op-{name}", "labels": {constants.GROUP_LABEL: name}}
    return {"apiVersion": "v1", "kind": "Service", "metadata": metadata, "spec": {"ports": [{"port": port}]}}


def changed(manifest: Manifest, *path: str, to: Any) -> Manifest:
    """Return the manifest with another value at the path."""
    made = copy.deepcopy(manifest)
    node = made
    for step in path[:-1]:
        node = node[step]
    node[path[-1]] = to
    return made


def thing(kind: str, path: str, *, to: Any, **more: Any) -> Manifest:
    """Return an object of a kind of no group, with a value at a dotted path."""
    made: Manifest = {"kind": kind, "metadata": {"name": "x"}, **more}
    *above, last = path.split(".")
    node = made
    for step in above:
        node = node.setdefault(step, {})
    node[last] = to
    return made


def becomes(before: list[Manifest], after: list[Manifest]) -> GroupChange:
    """Return what becomes of the one group of these manifests."""
    (found,) = changes.compare(before, after, changes.Ways("op")).groups
    return found


def paths(change: Change) -> list[str]:
    return [difference.path for difference in change.differences]


def template(manifest: Manifest, **fields: Any) -> Manifest:
    """Return the manifest with other fields in its pod."""
    spec = manifest["spec"]["template"]["spec"]
    return changed(manifest, "spec", "template", "spec", to={**spec, **fields})


WEB = workload("web")


def test_other_replicas_are_a_scaling() -> None:
    found = becomes([WEB], [changed(WEB, "spec", "replicas", to=12)])
    (difference,) = found.objects[0].differences
    assert (found.action, difference.before, difference.after) == ("scaled", 8, 12)


def test_replicas_that_are_left_to_an_autoscaler_fall_to_one_and_it_is_said() -> None:
    found = becomes([WEB], [changed(WEB, "spec", "replicas", to=None)])
    assert (found.action, "takes 1 until an autoscaler" in found.objects[0].reason) == ("scaled", True)


def test_another_pod_template_rolls_and_names_what_changed() -> None:
    found = becomes([WEB], [template(WEB, priorityClassName="high")])
    assert (found.action, paths(found.objects[0])) == ("rolls", ["spec.template.spec.priorityClassName"])


def test_pods_that_wait_for_their_deletion_are_said_to() -> None:
    held = workload("web", "StatefulSet", updateStrategy={"type": "OnDelete"})
    assert "OnDelete" in becomes([held], [template(held, priorityClassName="high")]).objects[0].reason


def stateful_set(partition: int, replicas: int | None = 4) -> Manifest:
    """Return a StatefulSet whose update stops at that ordinal."""
    strategy = {"type": "RollingUpdate", "rollingUpdate": {"partition": partition}}
    return workload("web", "StatefulSet", replicas=replicas, updateStrategy=strategy)


@pytest.mark.parametrize(
    ("held", "action", "said"),
    [
        pytest.param(stateful_set(2), "rolls", "only pods from ordinal 2 on (partition)", id="a part"),
        pytest.param(stateful_set(2, None), "rolls", "only pods from ordinal 2 on (partition)", id="autoscaled"),
        pytest.param(stateful_set(0), "rolls", "", id="all"),
        pytest.param(stateful_set(4), "changed", "until the partition (4) is lowered", id="none"),
        pytest.param(workload("web", paused=True), "changed", "while it is paused", id="paused"),
        pytest.param(workload("web", replicas=0), "changed", "it has none", id="no replicas"),
    ],
)
def test_which_pods_another_template_replaces_is_said(held: Manifest, action: str, said: str) -> None:
    found = becomes([held], [template(held, priorityClassName="high")])
    assert (found.action, said in found.objects[0].reason) == (action, True)
    assert bool(found.objects[0].reason) == bool(said)


def test_of_a_group_that_had_no_pods_none_is_replaced() -> None:
    held = workload("web", replicas=0)
    assert (
        becomes([held], [template(changed(held, "spec", "replicas", to=3), priorityClassName="high")]).action
        == "scaled"
    )


def test_replicas_that_an_autoscaler_set_so_far_and_the_values_do_now_are_told() -> None:
    found = becomes([workload("web", replicas=None)], [WEB])
    assert (found.action, "replicas become 8 at once" in found.objects[0].reason) == ("scaled", True)
    assert list(changes.raised(found)) == [8]


def test_replicas_that_were_in_the_values_before_are_not_raised_at_once() -> None:
    assert list(changes.raised(becomes([WEB], [changed(WEB, "spec", "replicas", to=12)]))) == []


def test_another_version_of_the_api_is_a_change_of_the_same_object() -> None:
    found = becomes([WEB], [changed(WEB, "apiVersion", to="apps/v2")])
    assert (found.action, paths(found.objects[0])) == ("changed", ["apiVersion"])


def test_an_object_of_another_api_group_is_another_object() -> None:
    found = changes.compare(
        [claim("1Gi")], [changed(claim("1Gi"), "apiVersion", to="x.dev/v1")], changes.Ways("op")
    ).objects
    assert sorted(entry.action for entry in found) == ["new", "removed"]


def test_anything_else_of_the_workload_or_beside_it_changes_in_place() -> None:
    after = [changed(WEB, "metadata", "annotations", to={"a": "2"}), service("web", 81)]
    found = becomes([WEB, service("web", 80)], after)
    assert (found.action, [entry.kind for entry in found.objects]) == ("changed", ["Deployment", "Service"])


def test_an_object_that_comes_or_goes_beside_the_workload_is_a_change_in_place() -> None:
    assert becomes([WEB], [WEB, service("web", 80)]).action == "changed"
    assert becomes([WEB, service("web", 80)], [WEB]).action == "changed"


@pytest.mark.parametrize(
    "key",
    [constants.CHART_VERSION_ANNOTATION, constants.HELM4_FILENAME_ANNOTATION, constants.GANG_SPEC_ANNOTATION],
)
def test_a_new_version_of_ours_changes_nothing(key: str) -> None:
    assert becomes([WEB], [changed(WEB, "metadata", "annotations", key, to="0.2.0")]).action == "unchanged"


def test_another_kind_recreates_the_group() -> None:
    found = becomes([WEB], [workload("web", "StatefulSet")])
    assert found.action == "recreated"
    assert found.objects[0].reason == "Deployment op-web goes, StatefulSet op-web comes"


@pytest.mark.parametrize(
    ("kind", "path"), [(kind, path) for kind, paths in changes.IMMUTABLE.items() for path in paths]
)
def test_what_the_api_server_does_not_change_is_refused_with_the_way_out(kind: str, path: str) -> None:
    sides = [thing(kind, path, to=to) for to in ("a", "b")]
    (found,) = changes.compare(sides[:1], sides[1:], changes.Ways("op")).objects
    assert found.action == "refused"
    assert f"the API server does not change {path} of a {kind} in place: " in found.reason


FIXED = {
    "Deployment": {"selector"},
    "LeaderWorkerSet": {"leaderWorkerTemplate.subGroupPolicy", "leaderWorkerTemplate.volumeClaimTemplates"},
    "StatefulSet": {"selector", "serviceName", "volumeClaimTemplates", "podManagementPolicy"},
    "Job": {
        *{"template", "selector", "completionMode", "podFailurePolicy", "successPolicy", "backoffLimitPerIndex"},
        "managedBy",
    },
    "PersistentVolumeClaim": {
        *{"accessModes", "storageClassName", "volumeMode", "selector", "volumeName", "dataSource", "dataSourceRef"}
    },
    "RoleBinding": {"roleRef"},
    "ClusterRoleBinding": {"roleRef"},
    "Secret": {"type"},
}


def test_the_table_of_what_is_fixed_is_whole() -> None:
    told = {kind: {path.removeprefix("spec.") for path in paths} for kind, paths in changes.IMMUTABLE.items()}
    assert told == FIXED


@pytest.mark.parametrize("kind", ["Secret", "ConfigMap"])
def test_the_data_of_what_is_immutable_is_refused(kind: str) -> None:
    sides = [thing(kind, "data.k", to=to, immutable=True) for to in ("a", "b")]
    assert [entry.action for entry in changes.compare(sides[:1], sides[1:], changes.Ways("op")).objects] == ["refused"]
    free = [thing(kind, "data.k", to=to) for to in ("a", "b")]
    assert [entry.action for entry in changes.compare(free[:1], free[1:], changes.Ways("op")).objects] == ["changed"]


def test_a_smaller_claim_is_refused_and_a_larger_one_is_not() -> None:
    (found,) = changes.compare([claim("2Gi")], [claim("1024Mi")], changes.Ways("op")).objects
    assert (found.action, "requests.storage to less of a" in found.reason) == ("refused", True)


def test_of_a_kind_that_is_not_known_it_is_said_so() -> None:
    sides = [thing("Widget", "spec.size", to=to) for to in ("a", "b")]
    (found,) = changes.compare(sides[:1], sides[1:], changes.Ways("op")).objects
    assert found.reason == "if the API server takes it: of a Widget this tool does not know what is fixed"


def test_what_groups_pods_is_known() -> None:
    labels = {"name": "x", "labels": {constants.GANG_LABEL: "step"}}
    sides = [thing("Widget", "spec.size", to=to, metadata=labels) for to in ("a", "b")]
    assert [entry.reason for entry in changes.compare(sides[:1], sides[1:], changes.Ways("op")).objects] == [""]


def test_a_jobs_pods_are_fixed_and_a_new_run_is_the_way_out() -> None:
    job = workload("train", "Job", completions=2, parallelism=2)
    found = becomes([job], [template(job, priorityClassName="high")])
    assert found.action == "refused"
    assert "spec.template of a Job in place: set operation.run" in found.objects[0].reason


@pytest.mark.parametrize(("parallelism", "action"), [(3, "scaled"), (2, "refused")])
def test_an_indexed_jobs_completions_change_only_with_its_parallelism(parallelism: int, action: str) -> None:
    before = workload("train", "Job", completions=2, parallelism=2)
    assert becomes([before], [workload("train", "Job", completions=3, parallelism=parallelism)]).action == action


def test_groups_come_and_go() -> None:
    found = changes.compare([WEB], [workload("api")], changes.Ways("op")).groups
    assert [(entry.group, entry.action) for entry in found] == [("api", "new"), ("web", "removed")]


def test_the_gravest_change_names_the_group() -> None:
    after = changed(template(WEB, priorityClassName="high"), "spec", "replicas", to=12)
    assert becomes([WEB, service("web", 80)], [after, service("web", 81)]).action == "rolls"


def test_a_change_of_one_group_leaves_the_others_unchanged() -> None:
    others = [workload(name) for name in ("a", "b")]
    found = changes.compare(
        [*others, WEB], [changed(WEB, "spec", "replicas", to=1), *others], changes.Ways("op")
    ).groups
    assert {entry.group: entry.action for entry in found} == {"a": "unchanged", "b": "unchanged", "web": "scaled"}


def claim(size: str, storage_class: str = "fast", **annotations: str) -> Manifest:
    spec = {"resources": {"requests": {"storage": size}}, "storageClassName": storage_class}
    metadata = {"name": "data", "annotations": annotations}
    return {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": metadata, "spec": spec}


def test_objects_of_no_group_are_told_apart() -> None:
    found = changes.compare([claim("1Gi")], [claim("2Gi")], changes.Ways("op"))
    assert (found.groups, [entry.action for entry in found.objects]) == ((), ["changed"])


def test_a_claim_of_another_class_is_refused() -> None:
    (found,) = changes.compare([claim("1Gi")], [claim("1Gi", "slow")], changes.Ways("op")).objects
    assert (found.action, "give it another name" in found.reason) == ("refused", True)


def test_what_helms_keep_rule_holds_is_kept() -> None:
    kept = claim("1Gi", **{"helm.sh/resource-policy": "keep"})
    assert [entry.action for entry in changes.compare([kept], [], changes.Ways("op")).objects] == ["kept"]
    assert [entry.action for entry in changes.compare([claim("1Gi")], [], changes.Ways("op")).objects] == ["removed"]


def test_what_is_refused_is_listed_with_its_group() -> None:
    job = workload("train", "Job")
    before, after = [job, WEB, claim("2Gi")], [template(job, priorityClassName="high"), WEB, claim("1Gi")]
    found = changes.refused(changes.compare(before, after, changes.Ways("op")))
    assert [(group, change.kind) for group, change in found] == [("train", "Job"), ("", "PersistentVolumeClaim")]


def test_the_way_out_of_a_jobs_template_says_what_becomes_of_the_run() -> None:
    job = workload("train", "Job")
    ((_, found),) = changes.refused(
        changes.compare([job], [template(job, priorityClassName="high")], changes.Ways("op"))
    )
    assert found.reason.endswith("operation.run to a new value, which ends the Jobs of this run and starts new ones")


@pytest.mark.parametrize(("kind", "action"), [("Job", "refused"), ("StatefulSet", "changed")])
@pytest.mark.parametrize(("before", "after"), [(None, '{"queue":"a"}'), ('{"queue":"a"}', '{"queue":"b"}')])
def test_how_quota_is_asked_for_a_job_that_runs_is_fixed(
    kind: str, action: str, before: str | None, after: str
) -> None:
    sides = [
        changed(workload("a", kind), "metadata", "annotations", constants.ADMISSION_SPEC_ANNOTATION, to=said)
        for said in (before, after)
    ]
    (found,) = becomes(sides[:1], sides[1:]).objects
    assert found.action == action
    if kind == "Job":
        assert found.reason.startswith("the API server does not change how quota is asked for of a Job in place: set")


def spanning(partition: int = 0, **template: Any) -> Manifest:
    """Return a LeaderWorkerSet of two replicas."""
    strategy = {"rollingUpdateConfiguration": {"partition": partition}}
    spec = {"replicas": 2, "leaderWorkerTemplate": {"size": 4, **template}, "rolloutStrategy": strategy}
    metadata = {"name": "op-web", "labels": {constants.GROUP_LABEL: "web"}}
    return {"apiVersion": "leaderworkerset.x-k8s.io/v1", "kind": "LeaderWorkerSet", "metadata": metadata, "spec": spec}


@pytest.mark.parametrize(
    ("partition", "after", "action", "said"),
    [
        pytest.param(0, {"size": 5}, "rolls", "", id="size"),
        pytest.param(0, {"leaderTemplate": {"spec": {"hostPID": True}}}, "rolls", "", id="leader"),
        pytest.param(1, {"size": 5}, "rolls", "only replicas from ordinal 1 on (partition)", id="a part"),
        pytest.param(2, {"size": 5}, "changed", "until the partition (2) is lowered", id="none"),
        pytest.param(0, {"volumeClaimTemplates": [{}]}, "refused", "volumeClaimTemplates of a Leader", id="claims"),
    ],
)
def test_a_change_of_replicas_that_span_pods_rolls_them(
    partition: int, after: dict[str, Any], action: str, said: str
) -> None:
    found = becomes([spanning(partition)], [spanning(partition, **after)])
    assert (found.action, said in found.objects[0].reason) == (action, True)


def test_a_stateful_set_where_a_leader_worker_set_has_made_one_is_refused() -> None:
    found = becomes([spanning()], [workload("web", "StatefulSet")])
    assert (found.action, "helm roster cancel op" in found.objects[0].reason) == ("refused", True)
    assert becomes([workload("web", "StatefulSet")], [spanning()]).action == "recreated"
