"""Gangs that run and have to be restarted."""

from __future__ import annotations

import copy
from collections.abc import Collection
from typing import Any

import pytest

from helm_roster import constants
from helm_roster.backends import native
from helm_roster.manifests.walk import Manifest
from helm_roster.model import plan as plans
from helm_roster.model.plan import Plan, pod_template
from helm_roster.policy import gang_specs, regrouping
from helm_roster.policy.regrouping import Restart, Running

from tests.unit.builders import gang, group, plan

GROUPS = {"learner": group(2), "actor": group(4)}
BEFORE = {"step": gang(learner=(2, False), actor=(1, True))}
LEARNER = {"step": gang(learner=(2, False))}
MORE = {"step": gang(learner=(2, False), actor=(4, False))}


def names(made: Plan) -> dict[str, str]:
    """Return the grouping object that the pods of each group name."""
    found = {}
    for name, workload in made.workloads.items():
        stamped = copy.deepcopy(workload)
        native.stamp(stamped, made.operation.groups[name], made)
        found[name] = plans.membership(pod_template(stamped), native.MEMBERSHIPS)
    return found


def grouping(made: Plan) -> list[Manifest]:
    """Return the grouping objects with their specs, as the pipeline makes them."""
    specs = {gang.name: gang_specs.text(gang_specs.of(made, gang)) for gang in made.operation.gangs}
    found = native.objects(made)
    for entry in found:
        said = specs[entry["metadata"]["labels"][constants.GANG_LABEL]]
        entry["metadata"]["annotations"] = {constants.GANG_SPEC_ANNOTATION: said}
    return found


def restarts(
    before: Plan,
    after: Plan,
    *,
    pods: Collection[str] | None = None,
    specs: bool = True,
    in_place: Collection[str] = (),
) -> list[Restart]:
    """Return what restarts when `after` comes upon `before`, all groups of which have pods, or those named."""
    named = names(before)
    for name, workload in before.workloads.items():
        if named[name]:
            mark, _ = before.operation.gang_of(name) or (None, None)
            annotations = {constants.PLACEMENT_ANNOTATION: native.NAME, constants.GANG_ANNOTATION: mark and mark.name}
            workload["metadata"]["annotations"] = annotations
    running = {
        name: Running(workload, frozenset({named[name]}))
        for name, workload in before.workloads.items()
        if pods is None or name in pods
    }
    there = grouping(before) if specs else native.objects(before)
    return regrouping.restarts(running, there, after, names(after), in_place)


def reasons(before: Any, after: Any, **options: Any) -> str:
    """Return what changes of the one gang that restarts between these gangs over the same groups."""
    (found,) = restarts(plan(GROUPS, before), plan(GROUPS, after), **options)
    return found.what


def refusal(found: list[Restart], after: Plan, *, recreate: bool = False) -> str:
    (told,) = regrouping.refusals(found, after, recreate=recreate)
    return told


def test_more_replicas_of_an_elastic_member_are_an_ordinary_change() -> None:
    after = plan(GROUPS | {"actor": group(8)}, BEFORE)
    assert restarts(plan(GROUPS, BEFORE), after) == []


@pytest.mark.parametrize(
    ("before", "after", "what"),
    [
        pytest.param({}, BEFORE, "it is turned on", id="turned on"),
        pytest.param(BEFORE, {"other": BEFORE["step"]}, "it was called step", id="renamed"),
        pytest.param(BEFORE, LEARNER, "member actor removed", id="a member left"),
        pytest.param(LEARNER, BEFORE, "member actor added", id="a member came"),
        pytest.param(BEFORE, MORE, "actor becomes fixed", id="fixed or elastic"),
        pytest.param(
            {"step": gang(learner=(1, False))}, LEARNER, "size of learner 1 → 2", id="the size of a fixed member"
        ),
        pytest.param(
            BEFORE,
            {"other": gang(learner=(2, False), actor=(4, False))},
            "it was called step; actor becomes fixed",
            id="renamed and more",
        ),
    ],
)
def test_what_changes_of_a_gang_that_runs_is_said(before: Any, after: Any, what: str) -> None:
    assert reasons(before, after) == what


def test_a_member_that_moves_to_a_gang_of_its_own_is_not_told_as_a_gang_that_is_called_otherwise() -> None:
    after = plan(GROUPS, LEARNER | {"other": gang(actor=(1, True))})
    found = {restart.gang: restart.what for restart in restarts(plan(GROUPS, BEFORE), after)}
    assert found == {"step": "member actor removed", "other": "actor comes from gang step"}


def test_a_gang_of_members_of_several_gangs_tells_of_each() -> None:
    before = LEARNER | {"other": gang(actor=(1, True))}
    assert reasons(before, {"both": BEFORE["step"]}) == "actor comes from gang other; learner comes from gang step"


def test_another_backend_restarts_all() -> None:
    after = plan(GROUPS, BEFORE)
    switched = after.replace(operation=after.operation.replace(placement={"backend": "other"}))
    (found,) = restarts(plan(GROUPS, BEFORE), switched)
    assert (found.what, found.groups) == ("backend native → other", ("actor", "learner"))


def test_what_a_backend_changes_in_place_restarts_nothing() -> None:
    smaller = plan(GROUPS, {"step": gang(learner=(1, False))})
    assert restarts(smaller, plan(GROUPS, LEARNER), in_place=("size",)) == []


def test_pods_that_would_have_to_move_restart_their_gang_whatever_the_backend_changes_in_place() -> None:
    assert reasons(BEFORE, LEARNER, in_place=("member removed",)) == "member actor removed"


RAISED = {"step": gang(learner=(2, False), actor=(3, True))}


@pytest.mark.parametrize(
    ("in_place", "placed", "restarted"),
    [((), 2, True), ((), 3, False), (("minimum raised",), 2, False)],
    ids=["above the pods that have a place", "below them", "where the backend lets the survivors run on"],
)
def test_a_raised_minimum_restarts_its_gang_only_where_that_may_evict_it(
    in_place: tuple[str, ...], placed: int, *, restarted: bool
) -> None:
    # Names that hold whatever changes, as of the backends that evict.
    named = dict.fromkeys(GROUPS, "op-step")
    after = plan(GROUPS, RAISED)
    before = plan(GROUPS, BEFORE)
    running = {name: Running(before.workloads[name], frozenset({"op-step"}), placed) for name in GROUPS}
    found = regrouping.restarts(running, grouping(before), after, named, in_place)
    assert [restart.what for restart in found] == ["minimum of actor 1 → 3"] * restarted
    assert all("; or raise the replicas alone" in told for told in regrouping.refusals(found, after, recreate=False))


def test_objects_of_an_older_version_are_known_by_their_names() -> None:
    assert restarts(plan(GROUPS, BEFORE), plan(GROUPS, BEFORE), specs=False) == []
    assert reasons(BEFORE, LEARNER, specs=False) == "pods of learner are not in its group yet"
    assert reasons(BEFORE, {"other": BEFORE["step"]}, specs=False) == "it was called step"
    assert reasons({}, BEFORE, specs=False) == "it is turned on"


def test_what_quota_counts_is_told_as_a_reason_where_no_grouping_object_tells_what_it_was() -> None:
    after = plan(GROUPS, LEARNER, admission={"backend": "kueue", "queue": "team"})
    workload = copy.deepcopy(after.workloads["learner"])
    workload["metadata"]["annotations"] = {
        constants.ADMISSION_ANNOTATION: "kueue", constants.GANG_ANNOTATION: "step"
    }  # fmt: skip
    old = {"learner": Running(workload, frozenset({"op-step-before"}))}
    (found,) = regrouping.restarts(old, [], after, {"learner": "op-step-after"})
    assert found.what.endswith("or what quota counts of them, is another one (requests, nodes, queue, …)")


def test_what_changes_of_a_gang_without_grouping_objects_is_known_by_its_workloads() -> None:
    before, after = plan(GROUPS, {"step": gang(learner=(1, False))}), plan(GROUPS, LEARNER)
    said = {
        constants.GANG_ANNOTATION: "step",
        constants.GANG_SPEC_ANNOTATION: gang_specs.text(gang_specs.of(before, before.operation.gangs[0])),
    }
    before.workloads["learner"]["metadata"]["annotations"] = said
    running = {"learner": Running(before.workloads["learner"], frozenset({"an-earlier-one"}))}
    (found,) = regrouping.restarts(running, (), after, names(after))
    assert found.what == "size of learner 1 → 2"


TEAM = {"backend": "kueue", "queue": "team"}


def leaves(kind: str = "StatefulSet", *, admission: Any = None, mark: str = "step", own: Any = None) -> list[Restart]:
    """Return what restarts when the actor leaves a gang that is admitted; ``kind`` is what it becomes."""
    groups = {"learner": group(2), "actor": group(4, kind=kind, admission=own or {})}
    after = plan(groups, LEARNER, admission=admission or TEAM)
    running = plan(GROUPS, MORE, admission=TEAM).workloads
    for name, workload in running.items():
        gang_of = {constants.GANG_ANNOTATION: mark if name == "actor" else "step"}
        workload["metadata"]["annotations"] = {constants.ADMISSION_ANNOTATION: "kueue", **gang_of}
    old = {name: Running(workload, frozenset({"old"})) for name, workload in running.items()}
    return regrouping.restarts(old, [], after, {"learner": "old", "actor": ""})


def test_a_group_that_leaves_an_admitted_gang_pod_by_pod_would_wait_for_quota_of_its_own_pods() -> None:
    (found,) = leaves()
    assert (found.gang, found.groups) == ("step", ("actor",))
    assert found.what == "actor leaves it, and would wait for quota that old pods of the same hold"


@pytest.mark.parametrize(
    "how",
    [
        {"kind": "Deployment"}, {"admission": {"backend": "none"}}, {"own": {"backend": "none"}}, {"mark": ""},
    ],
    ids=["all of its pods go at once", "nobody admits any more", "it asks for none", "it was in none"],
)  # fmt: skip
def test_a_group_that_leaves_a_gang_without_waiting_for_quota_rolls_as_ever(how: dict[str, Any]) -> None:
    assert leaves(**how) == []


def test_pods_that_an_interrupted_restart_left_in_the_old_group_are_noticed() -> None:
    after = plan(GROUPS, LEARNER)
    old = {"learner": Running(after.workloads["learner"], frozenset({"an-earlier-one", names(after)["learner"]}))}
    (found,) = regrouping.restarts(old, grouping(after), after, names(after))
    assert (found.what, found.whole) == ("pods of learner are not in its group yet", False)
    assert "--recreate" in refusal([found], after)


def test_a_grouping_object_that_is_going_says_nothing_of_what_the_gang_is() -> None:
    after = plan(GROUPS, LEARNER)
    left = grouping(plan(GROUPS, BEFORE))
    for entry in left:
        entry["metadata"]["deletionTimestamp"] = "2026-01-01T00:00:00Z"
    new = {"learner": Running(after.workloads["learner"], frozenset({names(after)["learner"]}))}
    assert regrouping.restarts(new, [*grouping(after), *left], after, names(after)) == []


def test_without_the_option_it_is_refused_with_what_changes_and_whose_pods_go() -> None:
    after = plan(GROUPS, MORE)
    assert refusal(restarts(plan(GROUPS, BEFORE), after), after) == (
        'gang "step": this restarts it (actor becomes fixed), since a gang is placed as a whole: pass --recreate to '
        "have all pods of actor, learner deleted and placed anew at once"
    )
    assert regrouping.refusals(restarts(plan(GROUPS, BEFORE), after), after, recreate=True) == []


def test_only_members_that_run_are_named() -> None:
    (found,) = restarts(plan(GROUPS, BEFORE), plan(GROUPS, MORE), pods=["learner"])
    assert found.groups == ("learner",)


def test_a_gang_that_is_turned_off_is_an_ordinary_change() -> None:
    assert restarts(plan(GROUPS, BEFORE), plan(GROUPS)) == []


def test_without_pods_nothing_restarts() -> None:
    assert restarts(plan(GROUPS, BEFORE), plan(GROUPS, LEARNER), pods=()) == []


def test_a_gang_that_is_turned_on_restarts_deployments_though_stateful_sets_take_their_places() -> None:
    deployments: dict[str, Any] = {name: group(2, kind="Deployment") for name in GROUPS}
    (found,) = restarts(plan(deployments), plan(GROUPS, BEFORE))
    assert (found.what, found.groups) == ("it is turned on", ("actor", "learner"))


def test_a_group_that_is_called_otherwise_is_replaced_and_not_moved() -> None:
    before = plan(GROUPS, BEFORE)
    for workload in before.workloads.values():
        workload["metadata"]["name"] += "-old"
    assert restarts(before, plan(GROUPS, LEARNER)) == []


@pytest.mark.parametrize("recreate", [False, True])
def test_for_a_job_the_way_out_is_a_new_run(recreate: bool) -> None:  # noqa: FBT001
    jobs: dict[str, Any] = {name: group(2, kind="Job") for name in GROUPS}
    after = plan(jobs, {"step": gang(learner=(2, False), actor=(2, False))}, kind="job")
    found = restarts(plan(jobs, BEFORE, kind="job"), after)
    assert "set operation.run to" in refusal(found, after, recreate=recreate)


def test_below_a_chart_that_wraps_ours_the_way_out_begins_at_its_root() -> None:
    jobs: dict[str, Any] = {name: group(2, kind="Job") for name in GROUPS}
    after = plan(jobs, {"step": gang(learner=(2, False), actor=(2, False))}, kind="job")
    wrapped = after.replace(operation=after.operation.replace(wrapped=True))
    assert "set replica-operation.operation.run to" in refusal(
        restarts(plan(jobs, BEFORE, kind="job"), wrapped), wrapped
    )


def test_a_new_run_of_a_job_moves_nothing() -> None:
    jobs: dict[str, Any] = {name: group(2, kind="Job") for name in GROUPS}
    after = plan(jobs, BEFORE, kind="job", run="2", name="op2")
    assert restarts(plan(jobs, BEFORE, kind="job"), after) == []


def test_a_new_run_of_a_gang_of_a_job_and_another_restarts_the_other() -> None:
    mixed: dict[str, Any] = GROUPS | {"learner": group(2, kind="Job")}
    before, after = (plan(mixed, BEFORE, kind="job", run=run) for run in ("1", "2"))
    before.workloads["learner"]["metadata"]["name"] = "op-learner-1"  # which the next run's Job is not called
    found = restarts(before, after)
    assert [(one.what, one.groups) for one in found] == [("run 1 → 2", ("actor",))]
    assert "pass --recreate to have all pods of actor deleted" in refusal(found, after)
    assert regrouping.refusals(found, after, recreate=True) == []


def test_a_group_that_keeps_old_pods_cannot_be_restarted() -> None:
    parted = GROUPS | {"learner": group(2, spec={"updateStrategy": {"rollingUpdate": {"partition": 1}}})}
    after = plan(parted, MORE)
    told = refusal(restarts(plan(GROUPS, BEFORE), after), after, recreate=True)
    assert told.endswith("and learner keeps pods of the old template (rollout.partition): set it to 0")


def test_a_member_at_its_minimum_may_stay_elastic() -> None:
    after = plan(GROUPS | {"actor": group(1)}, {"step": gang(learner=(2, False), actor=(1, False))})
    told = refusal(restarts(plan(GROUPS, BEFORE), after), after)
    assert told.endswith("; if actor should stay elastic at its minimum, say elastic: true of it in the gang")


def test_only_a_member_that_comes_down_to_its_minimum_may_have_to_stay_elastic() -> None:
    after = plan(GROUPS, MORE)
    assert "elastic: true" not in refusal(restarts(plan(GROUPS, BEFORE), after), after)


def test_a_gang_whose_quota_is_another_restarts_whatever_its_placement_changes_in_place() -> None:
    team = {"backend": "kueue", "queue": "team"}
    before, after = plan(GROUPS, BEFORE), plan(GROUPS, BEFORE, admission=team)
    for one, other, what in ((before, after, "none → kueue, queue team"), (after, before, "kueue, queue team → none")):
        (found,) = restarts(one, other, in_place=native.IN_PLACE)
        assert (found.what, found.whole) == (f"admission {what}", True)


def test_a_workload_that_only_admission_marked_tells_its_gang_too() -> None:
    asked = plan({"a": group(2)}, {"x": gang(a=(2, False))})
    mark = {constants.ADMISSION_ANNOTATION: "kueue", constants.GANG_ANNOTATION: "w"}
    workload = {**asked.workloads["a"], "metadata": {"name": "op-a", "annotations": mark}}
    running = {"a": Running(workload, frozenset({"other"}))}
    (found,) = regrouping.restarts(running, [], asked, {"a": "op-x"})
    assert found.what == "it was called w"
