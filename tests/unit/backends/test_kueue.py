"""What the Kueue backend marks, refuses and says; that the real Kueue keeps it is proven in tests/cluster."""

from __future__ import annotations

import copy
import re
from typing import Any

import pytest

from helm_roster.backends import kueue
from helm_roster.manifests.walk import Manifest
from helm_roster.model.operation import Patch
from helm_roster.model.plan import Plan, pod_template

from tests.unit import builders
from tests.unit.asks import Asked
from tests.unit.builders import gang, group

MARK = "kueue.x-k8s.io/"
QUEUE = {"backend": "kueue", "queue": "team"}
RL_GROUPS = {"learner": group(4, accelerators=1), "rollout": group(2, accelerators=1)}
RL_GANG = {"step": gang(learner=(4, False), rollout=(2, False))}
JOBS = {"learner": group(2, kind="Job"), "rollout": group(2, kind="Job")}
JOBS_GANG = {"step": gang(learner=(2, False), rollout=(2, False))}
RACK = {"within": "rack", "label": "example.com/rack"}
TERM = {"matchExpressions": [{"key": "model", "operator": "In", "values": ["b200"]}]}
AFFINE = {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [TERM]}}}


def plan(groups: dict[str, Any], gangs: dict[str, Any] | None = None, **options: Any) -> Plan:
    return builders.plan(groups, gangs, **{"admission": QUEUE, **options})


def stamped(name: str, asked: Plan) -> Manifest:
    """Return a group's workload as it was marked."""
    workload = copy.deepcopy(asked.workloads[name])
    assert kueue.stamp(workload, asked.operation.groups[name], asked)
    return workload


def marks(node: Manifest) -> dict[str, str]:
    """Return the labels and annotations of a workload or a pod template without Kueue's prefix."""
    found = {**node.get("metadata", {}).get("labels", {}), **node.get("metadata", {}).get("annotations", {})}
    return {key.removeprefix(MARK): value for key, value in found.items()}


def of_pods(name: str, asked: Plan) -> dict[str, str]:
    return marks(pod_template(stamped(name, asked)))


def refusals(*arguments: Any, **options: Any) -> list[str]:
    return kueue.check(plan(*arguments, **options))


def test_the_pods_of_a_gang_are_one_group_of_one_queue() -> None:
    asked = plan(RL_GROUPS, RL_GANG)
    learner, rollout = (of_pods(name, asked) for name in RL_GROUPS)
    shared = {
        "queue-name": "team",
        "managed": "true",
        "pod-group-name": learner["pod-group-name"],
        "pod-group-total-count": "6",
        "pod-group-serving": "true",
        "pod-suspending-parent": "helm-roster",
    }
    assert learner == {**shared, "role-hash": "learner"}
    assert rollout == {**shared, "role-hash": "rollout"}


def test_the_group_is_named_where_the_backend_says_that_pods_name_it() -> None:
    template = pod_template(stamped("learner", plan(RL_GROUPS, RL_GANG)))
    ((*above, key),) = kueue.MEMBERSHIPS
    assert above == ["metadata", "labels"]
    assert template["metadata"]["labels"][key].startswith("op-step-")


def test_a_stateful_set_of_a_gang_itself_has_no_mark_which_would_make_it_a_workload_of_its_own() -> None:
    assert marks(stamped("learner", plan(RL_GROUPS, RL_GANG))) == {}


@pytest.mark.parametrize(
    ("groups", "gangs", "serving"), [(RL_GROUPS, RL_GANG, True), (JOBS, JOBS_GANG, False)], ids=["services", "jobs"]
)
def test_a_group_of_pods_ends_only_if_it_has_jobs(groups: Any, gangs: Any, serving: bool) -> None:  # noqa: FBT001
    assert ("pod-group-serving" in of_pods("learner", plan(groups, gangs))) is serving


def test_jobs_of_a_gang_carry_the_marks_on_their_pods_alone() -> None:
    made = stamped("learner", plan(JOBS, JOBS_GANG))
    assert marks(made) == {}
    assert marks(pod_template(made))["pod-group-total-count"] == "4"


IGNORED = {"action": "Ignore", "onPodConditions": [{"type": "TerminationTarget", "status": "True"}]}
FAILS = {"action": "FailJob", "onExitCodes": {"operator": "In", "values": [143]}}


@pytest.mark.parametrize(
    ("rules", "expected"), [(None, [IGNORED]), ([FAILS], [IGNORED, FAILS]), ([FAILS, IGNORED], [FAILS, IGNORED])]
)
def test_jobs_of_a_gang_do_not_count_pods_that_kueue_deletes_as_failed(rules: Any, expected: Any) -> None:
    """The first rule that applies decides; who wrote the rule keeps its place."""
    spec = {"podFailurePolicy": {"rules": rules}} if rules else {}
    asked = plan({name: group(2, kind="Job", spec=copy.deepcopy(spec)) for name in JOBS}, JOBS_GANG)
    assert stamped("learner", asked)["spec"]["podFailurePolicy"]["rules"] == expected


def test_jobs_of_a_gang_that_a_run_time_ends_count_them() -> None:
    """That is how it ends them."""
    jobs = {name: group(2, kind="Job", spec={"backoffLimit": 0}) for name in JOBS}
    asked = plan(jobs, JOBS_GANG, admission=QUEUE | {"maxRunTime": 60})
    assert "podFailurePolicy" not in stamped("learner", asked)["spec"]
    assert any("an eviction ends them as failed" in line for line in kueue.guarantees(asked))


@pytest.mark.parametrize(
    ("more", "told"),
    [
        ({"spec": {"podReplacementPolicy": "TerminatingOrFailed"}}, "operation.job.podReplacementPolicy Terminating"),
        ({"pod": {"restartPolicy": "OnFailure"}}, "with restartPolicy OnFailure: leave it Never"),
    ],
)
def test_jobs_of_a_gang_that_cannot_but_count_them_are_refused(more: dict[str, Any], told: str) -> None:
    one = {"learner": group(2, kind="Job", **more)}
    (refusal,) = refusals(JOBS | one, JOBS_GANG)
    assert told in refusal
    assert refusals(one, {"step": gang(learner=(2, False))}) == []


@pytest.mark.parametrize("gangs", [{}, {"step": gang(learner=(2, False))}], ids=["outside", "a gang of one Job"])
def test_a_job_by_itself_is_left_to_kueues_own_handling(gangs: dict[str, Any]) -> None:
    admission = QUEUE | {"priorityClass": "high", "maxRunTime": 3600}
    made = stamped("learner", plan({"learner": group(2, kind="Job")}, gangs, admission=admission))
    assert marks(made) == {"queue-name": "team", "priority-class": "high", "max-exec-time-seconds": "3600"}
    assert marks(pod_template(made)) == {}


@pytest.mark.parametrize("kind", ["Deployment", "StatefulSet"])
def test_a_pod_outside_gangs_is_admitted_by_itself(kind: str) -> None:
    made = stamped("web", plan({"web": group(2, kind=kind)}))
    assert marks(made) == {}
    assert marks(pod_template(made)) == {
        "queue-name": "team", "managed": "true", "pod-suspending-parent": "helm-roster",
    }  # fmt: skip


def test_a_group_outside_gangs_may_have_a_queue_and_a_class_of_its_own() -> None:
    groups = {"web": group(2, admission={"queue": "spare", "priorityClass": "low"})}
    found = of_pods("web", plan(groups, admission=QUEUE | {"priorityClass": "high"}))
    assert (found["queue-name"], found["priority-class"]) == ("spare", "low")


def test_a_group_may_run_without_asking() -> None:
    asked = plan({"web": group(2, admission={"backend": "none"})})
    workload = copy.deepcopy(asked.workloads["web"])
    assert not kueue.stamp(workload, asked.operation.groups["web"], asked)
    assert workload == asked.workloads["web"]
    assert kueue.guarantees(asked)[-1] == 'quota, group "web": pods run without asking for quota'


@pytest.mark.parametrize(
    ("groups", "options"),
    [
        ({**RL_GROUPS, "rollout": group(3, accelerators=1)}, {}),
        ({**RL_GROUPS, "rollout": group(2, accelerators=2)}, {}),
        ({**RL_GROUPS, "rollout": group(2, accelerators=1, pod={"nodeSelector": {"model": "b200"}})}, {}),
        ({**RL_GROUPS, "rollout": group(2, accelerators=1, pod={"affinity": AFFINE})}, {}),
        (RL_GROUPS, {"admission": QUEUE | {"queue": "other"}}),
        (RL_GROUPS, {"admission": QUEUE | {"priorityClass": "high"}}),
        (RL_GROUPS, {"run": "2"}),
    ],
    ids=["size", "requests", "node selector", "node affinity", "queue", "class", "run"],
)
def test_what_kueue_counts_once_changes_the_name_of_the_group(groups: Any, options: dict[str, Any]) -> None:
    count = groups["rollout"]["replicas"]
    changed = of_pods("learner", plan(groups, {"step": gang(learner=(4, False), rollout=(count, False))}, **options))
    assert changed["pod-group-name"] != of_pods("learner", plan(RL_GROUPS, RL_GANG))["pod-group-name"]


@pytest.mark.parametrize(
    "groups",
    [
        {**RL_GROUPS, "learner": group(4, accelerators=1, pod={"tolerations": [{"operator": "Exists"}]})},
        {**RL_GROUPS, "extra": group(5)},
    ],
    ids=["another template", "extras"],
)
def test_nothing_else_changes_the_name_of_the_group(groups: Any) -> None:
    found = of_pods("learner", plan(groups, RL_GANG))
    assert found["pod-group-name"] == of_pods("learner", plan(RL_GROUPS, RL_GANG))["pod-group-name"]


def test_a_long_name_of_a_group_fits_a_label_and_still_differs() -> None:
    name = "o" * 60
    found = {of_pods("a", plan({"a": group(size)}, {"g": gang(a=(size, False))}, name=name))["pod-group-name"]
             for size in (2, 3)}  # fmt: skip
    assert len(found) == 2
    assert all(len(one) <= 63 for one in found)


def test_a_required_locality_is_kueues_own_where_nothing_else_places_the_gang() -> None:
    gangs = {"x": gang(a=(4, False)) | {"locality": RACK}}
    assert refusals({"a": group(4)}, gangs, backend="default") == []
    assert of_pods("a", plan({"a": group(4)}, gangs, backend="default"))["podset-required-topology"] == RACK["label"]
    assert "podset-required-topology" not in of_pods("a", plan({"a": group(4)}, gangs, backend="native"))


def test_a_job_that_kueue_places_itself_says_its_level_on_its_pods() -> None:
    asked = plan({"a": group(4, kind="Job")}, {"x": gang(a=(4, False)) | {"locality": RACK}}, backend="default")
    assert of_pods("a", asked) == {"podset-required-topology": RACK["label"]}


@pytest.mark.parametrize(
    "entry",
    [
        gang(a=(2, False)),
        gang(a=(2, False)) | {"locality": RACK | {"required": False}},
        gang(a=(2, False), b=(2, False)) | {"locality": RACK},
    ],
    ids=["no locality", "a preferred one", "two groups"],
)
def test_a_gang_that_nothing_would_place_together_is_refused(entry: dict[str, Any]) -> None:
    (refusal,) = refusals({"a": group(2), "b": group(2)}, {"x": entry}, backend="default")
    assert refusal.startswith(
        'gang "x": once admitted, nothing would place its pods together: set scheduling.placement'
    )


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"minResources": True}, "scheduling.gangs.x.minResources is given, but Kueue itself waits"),
        ({"stalenessGracePeriod": 5}, "scheduling.gangs.x.stalenessGracePeriod is given, but Kueue evicts no gang"),
        ({"preemption": "pod"}, "scheduling.gangs.x.preemption is given, but Kueue always takes all of a gang"),
        ({"locality": {"within": "rack"}}, "set scheduling.topology.levels.rack.label"),
        ({"locality": RACK | {"segment": 1}}, "scheduling.gangs.x.locality.segment is 1"),
    ],
)
def test_what_no_placement_backend_keeps_is_refused(more: dict[str, Any], said: str) -> None:
    (refusal,) = refusals({"a": group(2)}, {"x": gang(a=(2, False)) | {"locality": RACK} | more}, backend="default")
    assert said in refusal


def test_a_minimum_below_the_replicas_is_refused_with_the_way_to_have_it() -> None:
    groups = {"learner": group(4), "rollout": group(8)}
    (refusal,) = refusals(groups, {"step": gang(learner=(4, False), rollout=(2, True))})
    assert refusal == (
        'gang "step", member "rollout": min 2 of 8 pods, but Kueue admits a gang of one size, all of its pods or none: '
        "declare rollout with replicas 2 and rollout-extra, with the other 6, as a group outside the gang"
    )


def test_a_member_that_an_autoscaler_sizes_is_refused_with_the_way_to_have_it() -> None:
    groups = {"a": group(2, autoscaling={"owner": "hpa", "min": 2, "max": 8})}
    (refusal,) = refusals(groups, {"x": gang(a=(2, True))})
    assert "declare a with replicas 2 and without autoscaling, and autoscale a-extra, a group outside" in refusal


def test_a_member_that_may_grow_is_refused_at_its_minimum_too() -> None:
    (refusal,) = refusals({"a": group(2)}, {"x": gang(a=(2, True))})
    assert refusal.endswith("leave elastic out")


def test_a_member_that_is_replaced_by_surplus_pods_is_refused() -> None:
    (refusal,) = refusals({"a": group(2, kind="Deployment")}, {"x": gang(a=(2, False))})
    assert 'member "a": a Deployment replaces pods by new ones beside the old' in refusal


@pytest.mark.parametrize(("count", "refused"), [(8, False), (9, True)])
def test_more_roles_than_kueue_takes_together_are_refused(count: int, refused: bool) -> None:  # noqa: FBT001
    groups = {f"g{number}": group(1) for number in range(count)}
    found = refusals(groups, {"x": gang(**dict.fromkeys(groups, (1, False)))})
    assert bool(found) is refused
    assert all("9 members, and Kueue 0.17 admits at most 8 together" in refusal for refusal in found)


def test_jobs_of_a_gang_that_are_deleted_while_others_run_are_refused() -> None:
    one = {"learner": group(2, kind="Job", spec={"ttlSecondsAfterFinished": 60})}
    (refusal,) = refusals(JOBS | one, JOBS_GANG)
    assert refusal.startswith('gang "step": ttlSecondsAfterFinished deletes the Job of learner')
    assert refusals(one, {"step": gang(learner=(2, False))}) == []


def test_others_may_be_in_a_gang_with_jobs_and_are_of_the_same_group() -> None:
    asked = plan(JOBS | {"rollout": group(2)}, JOBS_GANG)
    assert kueue.check(asked) == []
    learner, rollout = (of_pods(name, asked) for name in JOBS)
    assert "pod-group-serving" not in rollout  # the group would never give back what its Jobs have used
    assert {**learner, "role-hash": "rollout"} == rollout
    assert "podFailurePolicy" not in stamped("rollout", asked)["spec"]
    assert any("one that fails keeps its part" in line for line in kueue.guarantees(asked))


def test_without_a_queue_nothing_is_admitted() -> None:
    (refusal,) = refusals({"web": group(1)}, admission={"backend": "kueue"})
    assert refusal.startswith("scheduling.admission.queue is missing: set it to a LocalQueue of the namespace")


@pytest.mark.parametrize(
    ("admission", "own", "at"),
    [
        ({"queue": "No_Queue"}, {}, "scheduling.admission.queue is 'No_Queue'"),
        ({"priorityClass": "p" * 64}, {}, "scheduling.admission.priorityClass is 'ppp"),
        ({}, {"queue": "-x"}, "groups.web.admission.queue is '-x'"),
    ],
)
def test_a_name_that_no_label_holds_is_refused(admission: dict[str, Any], own: dict[str, Any], at: str) -> None:
    (refusal,) = refusals({"web": group(1, admission=own)}, admission=QUEUE | admission)
    assert refusal.startswith(at)
    assert "which pods cannot carry as a label" in refusal


@pytest.mark.parametrize("part", ["labels", "annotations"])
def test_marks_of_kueue_in_the_values_are_refused(part: str) -> None:
    asked = plan({"web": group(1)})
    for node, at in (
        (asked.workloads["web"], part),
        (pod_template(asked.workloads["web"]), f"groups.web.environment.{part}"),
    ):
        node.setdefault("metadata", {})[part] = {f"{MARK}queue-name": "other"}
        (refusal,) = kueue.check(asked)
        assert refusal == f'group "web": {at} sets {MARK}queue-name, but admission decides it: remove it'
        del node["metadata"][part]


def test_a_mark_that_a_patch_of_the_workload_may_have_set_is_told_with_the_patch() -> None:
    asked = plan({"web": group(1)})
    patch = Patch(group="web", name="mark", form="merge", body={}, kind="workload")
    asked = asked.replace(operation=asked.operation.replace(patches=(patch,)))
    asked.workloads["web"].setdefault("metadata", {})["labels"] = {f"{MARK}queue-name": "other"}
    (refusal,) = kueue.check(asked)
    assert refusal.startswith(f'group "web": labels or patches.web.mark sets {MARK}queue-name')


@pytest.mark.parametrize(
    ("groups", "gangs", "said"),
    [
        ({"web": group(1)}, {}, "is given, but no group is a Job"),
        (RL_GROUPS | {"job": group(1, kind="Job")}, RL_GANG, 'learner, rollout of gang "step" is no Job'),
        (JOBS, JOBS_GANG, "set operation.job.backoffLimit to 0"),
        ({"learner": group(2, kind="Job")}, {"step": gang(learner=(2, False))}, None),
        ({name: group(2, kind="Job", spec={"backoffLimit": 0}) for name in JOBS}, JOBS_GANG, None),
        ({"job": group(1, kind="Job"), "web": group(1)}, {}, None),
    ],
)
def test_a_run_time_that_ends_nothing_is_refused(groups: Any, gangs: Any, said: str | None) -> None:
    found = refusals(groups, gangs, admission=QUEUE | {"maxRunTime": 60})
    assert len(found) == (said is not None)
    assert all(str(said) in refusal for refusal in found)


def test_a_run_time_of_a_group_that_is_no_job_is_refused() -> None:
    groups = {"web": group(1, admission={"maxRunTime": 60}), "job": group(1, kind="Job", admission={"maxRunTime": 60})}
    (refusal,) = refusals(groups)
    assert refusal.startswith("groups.web.admission.maxRunTime is given, but the group is a StatefulSet")


def test_a_run_time_of_the_operation_is_on_its_jobs_alone_and_the_others_are_told() -> None:
    asked = plan({"job": group(1, kind="Job"), "web": group(1)}, admission=QUEUE | {"maxRunTime": 60})
    assert "max-exec-time-seconds" not in of_pods("web", asked)
    assert kueue.guarantees(asked)[-1].endswith("maxRunTime ends none of them, being for Jobs")


def test_what_is_kept_is_told_by_topic_by_pair_and_by_group() -> None:
    told = kueue.guarantees(plan(RL_GROUPS | {"extra": group(6), "job": group(1, kind="Job")}, RL_GANG, backend="kai"))
    assert told[0] == f"quota, first placement: {kueue.KEEPS['first placement']} (step: 4 learner, 2 rollout)"
    assert told[-3:] == [
        f"quota, then placement: {kueue.PLACEMENTS['kai']}",
        'quota, group "extra": queue team admits pods one by one',
        'quota, group "job": queue team admits each Job as a whole',
    ]


def found(*arguments: Any, **options: Any) -> list[tuple[str, str]]:
    """Return what is said of crowding; of the queues of this cluster nothing can be read."""
    told = [(one.state, one.message) for one in kueue.inspect(plan(*arguments, **options), Asked([]))]
    return [(state, message) for state, message in told if not message.startswith("not checked: ")]


def extras(count: int = 6, **admission: str) -> dict[str, Any]:
    return {**RL_GROUPS, "extra": group(count, admission=admission)}


def test_extras_of_the_gangs_own_priority_are_warned_of_with_what_they_need() -> None:
    ((state, message),) = found(extras(), RL_GANG)
    assert state == "warns"
    assert message == (
        'gang "step" may never be admitted beside "extra", whose pods use up quota of the same ClusterQueue one '
        "by one and have the same priority: set groups.extra.admission.priorityClass to a WorkloadPriorityClass that "
        "is lower than the gang's, and preemption.withinClusterQueue: LowerPriority in the ClusterQueue"
    )


def many(**admission: str) -> dict[str, Any]:
    """Return the gang's groups and a hundred others that are alike."""
    return {**RL_GROUPS, **{f"extra-{number}": group(1, admission=admission) for number in range(100)}}


@pytest.mark.parametrize("low", [{}, {"priorityClass": "low"}], ids=["same priority", "another one"])
def test_what_is_said_of_many_groups_that_are_alike_is_said_once(low: dict[str, str]) -> None:
    asked = plan(many(**low), RL_GANG)
    told = [*kueue.guarantees(asked), *(message for _, message in found(many(**low), RL_GANG))]
    assert sum("extra-" in line for line in told) == 3
    assert [len(line) for line in told if len(line) > 500] == []
    assert sum("and 97 more" in line for line in told) == 3


def test_of_classes_that_differ_only_the_cluster_knows_whether_they_help() -> None:
    ((state, message),) = found(extras(priorityClass="low"), RL_GANG)
    assert state == "unknown"
    assert message.endswith(
        "unless low is lower than no class and the ClusterQueue has preemption.withinClusterQueue: LowerPriority"
    )


@pytest.mark.parametrize(
    "groups",
    [extras(queue="spare"), extras(backend="none"), extras(0), {**RL_GROUPS, "extra": group(6, kind="Job")}],
    ids=["another queue", "none", "no pods", "a Job"],
)
def test_what_takes_no_quota_pod_by_pod_of_the_gangs_queue_is_not_warned_of(groups: Any) -> None:
    assert found(groups, RL_GANG) == []


@pytest.mark.parametrize(("count", "warned"), [(99, 0), (100, 1)])
def test_many_pods_that_are_admitted_one_by_one_are_warned_of(count: int, warned: int) -> None:
    told = found({"a": group(count - 1), "b": group(1, kind="Deployment"), "c": group(500, kind="Job")})
    assert len(told) == warned
    assert all(f"{count} pods of a, b are admitted one by one" in message for _, message in told)


def test_kinds_are_needed_of_kueue_and_its_topologies_where_it_places_a_gang_itself() -> None:
    gangs = {"x": gang(a=(4, False)) | {"locality": RACK}}
    without, within = ({need.kind.kind for need in kueue.needs(plan({"a": group(4)}, gangs, backend=name))}
                       for name in ("native", "default"))  # fmt: skip
    assert without == {"LocalQueue", "ClusterQueue", "Workload"}
    assert within - without == {"ResourceFlavor", "Topology"}


@pytest.mark.parametrize(
    ("groups", "gangs", "told"),
    [(JOBS, JOBS_GANG, True), (RL_GROUPS, RL_GANG, False), (JOBS, {"step": gang(learner=(2, False))}, False)],
    ids=["Jobs", "services", "one Job"],
)
def test_that_a_failed_job_of_several_keeps_its_quota_is_told(groups: Any, gangs: Any, told: bool) -> None:  # noqa: FBT001
    said = [line for line in kueue.guarantees(plan(groups, gangs)) if "one that fails keeps its part" in line]
    assert bool(said) is told


def test_a_rolling_update_that_needs_more_quota_than_there_are_pods_is_told() -> None:
    told = kueue.guarantees(plan({"web": group(4, kind="Deployment")}))[-1]
    assert told == (
        'quota, group "web": queue team admits pods one by one; a rolling update asks for quota for 1 pod more, '
        "and waits for it"
    )


def test_refusals_name_values_where_they_stand_in_a_chart_that_wraps_ours() -> None:
    entry = gang(a=(2, True)) | {"locality": RACK | {"segment": 1, "label": None}, "minResources": True}
    groups = {"a": group(4), "web": group(1, admission={"queue": "-", "maxRunTime": 5})}
    asked = plan(groups, {"x": entry}, backend="default", admission={"backend": "kueue", "maxRunTime": 5})
    for name in groups:
        asked.workloads[name]["metadata"]["labels"] = {f"{MARK}queue-name": "other"}
    wrapped = asked.replace(operation=asked.operation.replace(wrapped=True))
    paths = r"(?<![\w.])((?:replica-operation\.)?(?:scheduling|groups|labels)\b[-\w.]*)"
    bare, below = (re.findall(paths, "\n".join(kueue.check(one))) for one in (asked, wrapped))
    assert len(bare) > 8
    assert below == [f"replica-operation.{path}" for path in bare]
