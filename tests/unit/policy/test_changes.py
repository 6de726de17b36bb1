"""What an upgrade does to what runs, and what it must not do."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from helm_roster import constants
from helm_roster.backends import native
from helm_roster.manifests.walk import Manifest
from helm_roster.model.live import Live, LiveGroup
from helm_roster.model.plan import Plan
from helm_roster.policy import changes
from helm_roster.policy.changes import Change, GroupChange

from tests.unit import builders
from tests.unit.builders import gang, group, plan

GROUPS = {"learner": group(2), "actor": group(4)}
BEFORE = {"step": gang(learner=(2, False), actor=(1, True))}


def running(before: Plan, *, pods: int = 1) -> Live:
    """Return what the cluster holds after `before` was installed."""
    groups = {
        name: LiveGroup(name=name, workload=workload, pods=[{}] * pods) for name, workload in before.workloads.items()
    }
    return Live(name="op", namespace="default", groups=groups, grouping=native.objects(before))


def refusals(live: Live, after: Plan) -> list[str]:
    return changes.regrouped(live, after, native.objects(after))


def test_more_replicas_of_an_elastic_member_are_an_ordinary_change() -> None:
    after = plan(GROUPS | {"actor": group(8)}, BEFORE)
    assert refusals(running(plan(GROUPS, BEFORE)), after) == []


@pytest.mark.parametrize(
    "after",
    [
        pytest.param({"step": gang(learner=(2, False), actor=(4, False))}, id="fixed or elastic"),
        pytest.param({"step": gang(learner=(2, False))}, id="a member left"),
        pytest.param({"other": gang(learner=(2, False), actor=(1, True))}, id="renamed"),
    ],
)
def test_another_grouping_under_running_pods_is_refused(after: dict[str, Any]) -> None:
    (refusal,) = refusals(running(plan(GROUPS, BEFORE)), plan(GROUPS, after))
    assert "a rolling update into a new one never ends" in refusal
    assert "helm roster cancel op" in refusal


def test_a_gang_that_is_turned_on_under_running_pods_is_refused() -> None:
    assert refusals(running(plan(GROUPS)), plan(GROUPS, BEFORE)) != []


def test_a_gang_that_is_turned_off_is_an_ordinary_change() -> None:
    assert refusals(running(plan(GROUPS, BEFORE)), plan(GROUPS)) == []


def test_without_pods_nothing_has_to_move() -> None:
    after = plan(GROUPS, {"step": gang(learner=(2, False))})
    assert refusals(running(plan(GROUPS, BEFORE), pods=0), after) == []


def test_a_group_whose_kind_changes_is_replaced_and_not_moved() -> None:
    deployments: dict[str, Any] = {name: group(2, kind="Deployment") for name in GROUPS}
    assert refusals(running(plan(deployments)), plan(GROUPS, BEFORE)) == []


def test_for_a_job_the_way_out_is_a_new_run() -> None:
    jobs: dict[str, Any] = {name: group(2, kind="Job") for name in GROUPS}
    after = plan(jobs, {"step": gang(learner=(2, False), actor=(2, False))}, kind="job")
    (refusal,) = refusals(running(plan(jobs, BEFORE, kind="job")), after)
    assert "operation.run" in refusal


def test_a_new_run_of_a_job_moves_nothing() -> None:
    jobs: dict[str, Any] = {name: group(2, kind="Job") for name in GROUPS}
    after = plan(jobs, BEFORE, kind="job", run="2", name="op2")
    assert refusals(running(plan(jobs, BEFORE, kind="job")), after) == []


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


def becomes(before: list[Manifest], after: list[Manifest]) -> GroupChange:
    """Return what becomes of the one group of these manifests."""
    (found,) = changes.compare(before, after, "op").groups
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


def test_anything_else_of_the_workload_or_beside_it_changes_in_place() -> None:
    after = [changed(WEB, "metadata", "annotations", to={"a": "2"}), service("web", 81)]
    found = becomes([WEB, service("web", 80)], after)
    assert (found.action, [entry.kind for entry in found.objects]) == ("changed", ["Deployment", "Service"])


def test_an_object_that_comes_or_goes_beside_the_workload_is_a_change_in_place() -> None:
    assert becomes([WEB], [WEB, service("web", 80)]).action == "changed"
    assert becomes([WEB, service("web", 80)], [WEB]).action == "changed"


@pytest.mark.parametrize("key", [constants.CHART_VERSION_ANNOTATION, constants.HELM4_FILENAME_ANNOTATION])
def test_a_new_version_of_ours_changes_nothing(key: str) -> None:
    assert becomes([WEB], [changed(WEB, "metadata", "annotations", key, to="0.2.0")]).action == "unchanged"


def test_another_kind_recreates_the_group() -> None:
    found = becomes([WEB], [workload("web", "StatefulSet")])
    assert found.action == "recreated"
    assert found.objects[0].reason == "Deployment op-web goes, StatefulSet op-web comes"


@pytest.mark.parametrize(
    ("kind", "field"),
    [
        ("Deployment", "selector"),
        *(
            ("StatefulSet", field)
            for field in ("selector", "serviceName", "volumeClaimTemplates", "podManagementPolicy")
        ),
        *(("Job", field) for field in ("completionMode", "podFailurePolicy", "backoffLimitPerIndex")),
    ],
)
def test_what_the_api_server_does_not_change_is_refused_with_the_way_out(kind: str, field: str) -> None:
    found = becomes([workload("w", kind, **{field: "a"})], [workload("w", kind, **{field: "b"})])
    assert found.action == "refused"
    assert f"does not change spec.{field} of a {kind} in place: " in found.objects[0].reason


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
    found = changes.compare([WEB], [workload("api")], "op").groups
    assert [(entry.group, entry.action) for entry in found] == [("api", "new"), ("web", "removed")]


def test_the_gravest_change_names_the_group() -> None:
    after = changed(template(WEB, priorityClassName="high"), "spec", "replicas", to=12)
    assert becomes([WEB, service("web", 80)], [after, service("web", 81)]).action == "rolls"


def test_a_change_of_one_group_leaves_the_others_unchanged() -> None:
    others = [workload(name) for name in ("a", "b")]
    found = changes.compare([*others, WEB], [changed(WEB, "spec", "replicas", to=1), *others], "op").groups
    assert {entry.group: entry.action for entry in found} == {"a": "unchanged", "b": "unchanged", "web": "scaled"}


def claim(size: str, storage_class: str = "fast", **annotations: str) -> Manifest:
    spec = {"resources": {"requests": {"storage": size}}, "storageClassName": storage_class}
    metadata = {"name": "data", "annotations": annotations}
    return {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": metadata, "spec": spec}


def test_objects_of_no_group_are_told_apart() -> None:
    found = changes.compare([claim("1Gi")], [claim("2Gi")], "op")
    assert (found.groups, [entry.action for entry in found.objects]) == ((), ["changed"])


def test_a_claim_of_another_class_is_refused() -> None:
    (found,) = changes.compare([claim("1Gi")], [claim("1Gi", "slow")], "op").objects
    assert (found.action, "give it another name" in found.reason) == ("refused", True)


def test_what_helms_keep_rule_holds_is_kept() -> None:
    kept = claim("1Gi", **{"helm.sh/resource-policy": "keep"})
    assert [entry.action for entry in changes.compare([kept], [], "op").objects] == ["kept"]
    assert [entry.action for entry in changes.compare([claim("1Gi")], [], "op").objects] == ["removed"]
