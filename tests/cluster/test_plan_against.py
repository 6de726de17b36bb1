"""``plan --against``: what an upgrade does to each group of a release that runs."""

from __future__ import annotations

import copy
import json
import re
from pathlib import Path
from typing import Any

import pytest

from tests.cluster import operations
from tests.cluster.api import Json
from tests.cluster.namespaces import Namespace
from tests.support.roster import CHART
from tests.support.runner import Runner

GANG = {"step": {"decode": {"elastic": True, "min": 1}}}


def serving(namespace: Namespace) -> Json:
    """Return the values of three groups, one of them an elastic gang."""
    groups = {name: operations.group(namespace, 2) for name in ("decode", "prefill", "web")}
    return operations.values(groups, gangs=GANG)


def training(namespace: Namespace) -> Json:
    return operations.values(
        {"train": operations.group(namespace, 2), "data": operations.group(namespace, 1)}, kind="job"
    )


def changed(values: Json, path: str, value: Any) -> Json:
    made = copy.deepcopy(values)
    node = made
    *above, last = path.split(".")
    for key in above:
        node = node.setdefault(key, {})
    node[last] = value
    return made


def compared(run: Runner, folder: Path, values: Json, *flags: str) -> Json:
    done = run("plan", "--against", "op", "-f", operations.write(folder, values), *flags, "-o", "json")
    found: Json = json.loads(done.stdout)
    return found


def actions(plan: Json) -> dict[str, str]:
    return {group["name"]: group["action"] for group in plan["changes"]["groups"]}


def test_the_same_values_change_nothing(namespace: Namespace, roster: Runner, tmp_path: Path) -> None:
    values = serving(namespace)
    operations.install(roster, "op", operations.write(tmp_path, values))
    found = compared(roster, tmp_path, values)
    assert set(actions(found).values()) == {"unchanged"}
    assert {entry["action"] for entry in found["changes"]["objects"]} == {"unchanged"}
    assert (found["changes"]["release"], found["changes"]["revision"], found["warnings"]) == ("op", 1, [])


def test_what_was_changed_or_deleted_by_hand_is_told(
    namespace: Namespace, roster: Runner, kubectl: Runner, tmp_path: Path
) -> None:
    values = serving(namespace)
    operations.install(roster, "op", operations.write(tmp_path, values))
    kubectl("set", "image", "deployment/op-web", "main=registry.example/engine:2")
    kubectl("delete", "service/op-prefill")
    image = "Deployment op-web was changed by kubectl-set (spec.template.spec.containers.main.image)"
    overwrites = "Helm refuses to upgrade it, and overwrites that with --force-conflicts"
    assert compared(roster, tmp_path, values)["warnings"] == [
        "Service op-prefill is gone, which the release holds: an upgrade makes it again",
        f"{image}: {overwrites if roster.major == 4 else 'an upgrade overwrites that'}",
    ]


@pytest.mark.parametrize(
    ("path", "value", "action"),
    [
        ("groups.decode.replicas", 3, "scaled"),
        ("groups.decode.container.image", "registry.example/engine:2", "rolls"),
        ("groups.decode.rollout", {"type": "OnDelete"}, "changed"),
        ("scheduling.gangs", {}, "recreated"),
    ],
)
def test_a_change_of_one_group_leaves_all_others_unchanged(  # noqa: PLR0917
    namespace: Namespace, roster4: Runner, tmp_path: Path, path: str, value: Any, action: str
) -> None:
    values = serving(namespace)
    operations.install(roster4, "op", operations.write(tmp_path, values))
    found = compared(roster4, tmp_path, changed(values, path, value))
    assert actions(found) == {"decode": action, "prefill": "unchanged", "web": "unchanged"}


def test_grouping_objects_have_a_section_of_their_own(namespace: Namespace, roster4: Runner, tmp_path: Path) -> None:
    values = serving(namespace)
    operations.install(roster4, "op", operations.write(tmp_path, values))
    found = compared(roster4, tmp_path, changed(values, "scheduling.gangs.step.members.decode.min", 2))
    ((kind, action, path),) = [
        (entry["kind"], entry["action"], entry["differences"][0]["path"]) for entry in found["changes"]["objects"]
    ]
    assert (kind, action, path) == ("PodGroup", "changed", "spec.schedulingPolicy.gang.minCount")


def test_what_upgrade_will_refuse_is_told_beforehand(namespace: Namespace, roster4: Runner, tmp_path: Path) -> None:
    values = serving(namespace)
    operations.install(roster4, "op", operations.write(tmp_path, changed(values, "scheduling.gangs", {})))
    held = changed(values, "groups.decode.workload", "StatefulSet")
    operations.install(roster4, "op2", operations.write(tmp_path, changed(held, "scheduling.gangs", {})))
    done = roster4("plan", "--against", "op2", "-f", operations.write(tmp_path, held))
    assert 'gang "step" restarts (it is turned on): helm-roster upgrade op2 --recreate deletes all pods' in done.stdout
    assert re.search(r'gang "step" +restarts the gang: it is turned on', done.stdout)


def test_a_jobs_pods_are_refused_and_a_new_run_recreates_them(
    namespace: Namespace, roster: Runner, tmp_path: Path
) -> None:
    values = training(namespace)
    operations.install(roster, "op", operations.write(tmp_path, values))
    image = compared(roster, tmp_path, changed(values, "groups.train.container.image", "registry.example/engine:2"))
    assert actions(image) == {"data": "unchanged", "train": "refused"}
    run = compared(roster, tmp_path, changed(values, "operation.run", "2"))
    assert actions(run) == {"data": "recreated", "train": "recreated"}
    assert [warning for warning in run["warnings"] if 'group "train": its workload is recreated' in warning]


def test_what_plan_calls_refused_helm_cannot_do(
    namespace: Namespace, roster4: Runner, helm4: Runner, tmp_path: Path
) -> None:
    values = training(namespace)
    operations.install(roster4, "op", operations.write(tmp_path, values))
    image = changed(values, "groups.train.container.image", "registry.example/engine:2")
    done = helm4.attempt("upgrade", "op", CHART, "-f", operations.write(tmp_path, image))
    assert (done.returncode, "field is immutable" in done.stderr) == (1, True)


def test_what_plan_calls_refused_upgrade_refuses_before_helm(
    namespace: Namespace, roster4: Runner, tmp_path: Path
) -> None:
    values = training(namespace)
    operations.install(roster4, "op", operations.write(tmp_path, values))
    image = operations.write(tmp_path, changed(values, "groups.train.container.image", "registry.example/engine:2"))
    done = roster4.attempt("upgrade", "op", "-f", image)
    (said,) = done.stderr.splitlines()
    assert (done.returncode, 'group "train": the API server does not change spec.template of a Job' in said) == (
        1,
        True,
    )


def test_a_job_that_is_gone_may_be_made_with_another_template(
    namespace: Namespace, roster4: Runner, tmp_path: Path
) -> None:
    values = training(namespace)
    operations.install(roster4, "op", operations.write(tmp_path, values))
    namespace.delete("batch/v1", "Job", "op-train", propagationPolicy="Background")
    image = operations.write(tmp_path, changed(values, "groups.train.container.image", "registry.example/engine:2"))
    assert roster4.attempt("upgrade", "op", "-f", image).returncode == 0


def test_values_are_those_that_an_upgrade_with_the_same_flags_takes(
    namespace: Namespace, roster: Runner, tmp_path: Path
) -> None:
    operations.install(roster, "op", operations.write(tmp_path, serving(namespace)))
    done = roster("plan", "--against", "op", "--reuse-values", "--set", "groups.decode.replicas=5", "-o", "json")
    assert actions(json.loads(done.stdout)) == {"decode": "scaled", "prefill": "unchanged", "web": "unchanged"}


def test_the_table_says_what_changes(namespace: Namespace, roster4: Runner, tmp_path: Path) -> None:
    values = serving(namespace)
    operations.install(roster4, "op", operations.write(tmp_path, values))
    wider = changed(
        changed(values, "groups.decode.replicas", 3), "groups.web.container.image", "registry.example/web:2"
    )
    said = roster4("plan", "op", "--against", "op", "-f", operations.write(tmp_path, wider)).stdout
    assert "decode           scaled: replicas 2 → 3" in said
    assert "web              rolls: containers.main.image registry.example/engine:1 → registry.example/web:2" in said


def test_a_release_that_is_not_there_is_one_line(namespace: Namespace, roster4: Runner, tmp_path: Path) -> None:
    done = roster4.attempt("plan", "--against", "no", "-f", operations.write(tmp_path, serving(namespace)))
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == f'Error: there is no release "no" in namespace "{namespace.name}"; choose another with -n\n'
